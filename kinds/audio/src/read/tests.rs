//! Reader tests with one small file per format.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;

use super::{Recording, open, read};
use crate::inspect::read_metadata_in;
use crate::tags::stored::StoredTags;
use crate::tags::{Key, TagSelection};
use crate::tests::fixtures::{self, JPEG};

fn read_as(extension: &str, bytes: &[u8], selection: TagSelection) -> Recording {
    let mut source = open(Cursor::new(bytes), Duration::from_secs(5)).expect("memory");
    let (recording, problem) = read(&mut source, extension, selection).expect(extension);
    assert!(problem.is_none(), "{extension}: {problem:?}");
    recording
}

#[test]
fn formats_without_a_reader_have_a_container() {
    for (extension, head, container, codec) in [
        ("ra", &b".ra\xfd\0\x03"[..], "rm", None),
        ("tak", b"tBaK\x01", "tak", Some("tak")),
        ("dtshd", b"DTSHDHDR\0", "dtshd", Some("dts")),
        (
            "thd",
            b"\x80\x20\0\0\xf8\x72\x6f\xba",
            "truehd",
            Some("truehd"),
        ),
        ("mlp", b"\x80\x20\0\0\xf8\x72\x6f\xbb", "mlp", Some("mlp")),
        ("aa", b"\0\0\0\x09\x57\x90\x75\x36", "aa", None),
        ("aa", b"something", "unknown", None),
    ] {
        let tools = ReadTools {
            root: Path::new("/"),
            ffprobe: None,
            time_limit: Duration::from_secs(5),
        };
        let found = read_metadata_in(Cursor::new(head), extension, &tools);
        let probe = found.expect(extension).1.expect(extension);
        assert_eq!(probe.container.as_deref(), Some(container), "{extension}");
        assert_eq!(probe.acodec.as_deref(), codec, "{extension}");
    }
}

#[test]
fn every_format_yields_codec_and_duration() {
    for (extension, container, codec, rate, channels, seconds) in [
        ("mp3", "mp3", "mp3", 44_100, 2, 1.045),
        ("flac", "flac", "flac", 44_100, 2, 1.0),
        ("ogg", "ogg", "vorbis", 44_100, 2, 1.0),
        ("opus", "ogg", "opus", 48_000, 2, 1.0),
        ("spx", "ogg", "speex", 16_000, 1, 1.0),
        ("oga", "ogg", "flac", 44_100, 2, 1.0),
        ("wav", "wav", "pcm_s16le", 8_000, 2, 1.0),
        ("w64", "w64", "pcm_s16le", 8_000, 2, 1.0),
        ("aiff", "aiff", "pcm_s16le", 8_000, 2, 1.0),
        ("ape", "ape", "ape", 44_100, 2, 1.0),
        ("wv", "wv", "wavpack", 44_100, 2, 1.0),
        ("mpc", "mpc", "musepack7", 44_100, 2, 1.008),
        ("mpp", "mpc8", "musepack8", 44_100, 2, 1.0),
        ("m4b", "mp4", "aac", 44_100, 2, 1.0),
        ("m4a", "mp4", "aac", 44_100, 2, 1.0),
        ("wma", "asf", "wmav2", 44_100, 2, 1.0),
        ("dsf", "dsf", "dsd_lsbf_planar", 352_800, 2, 1.0),
        ("dff", "iff", "dsd_msbf", 352_800, 2, 0.1),
        ("tta", "tta", "tta", 44_100, 2, 1.0),
        ("au", "au", "pcm_s16be", 8_000, 1, 1.0),
        ("caf", "caf", "pcm_s16le", 8_000, 1, 1.0),
        ("amr", "amr", "amr_nb", 8_000, 1, 1.0),
        ("aac", "adts", "aac", 44_100, 2, 0.998),
        ("ac3", "ac3", "ac3", 48_000, 2, 0.992),
        ("dts", "dts", "dts", 48_000, 2, 1.003),
        ("mka", "matroska", "opus", 48_000, 2, 1.0),
    ] {
        let (_, bytes) = fixtures::all()
            .into_iter()
            .find(|(name, _)| *name == extension)
            .expect("a fixture");
        let found = read_as(extension, &bytes, TagSelection::Texts);
        let sound = found.sound.expect(extension);
        assert_eq!(
            (
                found.container,
                sound.codec.as_str(),
                sound.sample_rate,
                sound.channels
            ),
            (Some(container), codec, Some(rate), Some(channels)),
            "{extension}"
        );
        let duration = found.duration.expect(extension);
        assert!((duration - seconds).abs() < 0.01, "{extension}: {duration}");
        assert_eq!(found.vcodec, None, "{extension}");
    }
}

#[test]
fn every_tagged_format_yields_its_tags() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, TagSelection::Texts);
        let stored = StoredTags::from_recording(&found);
        let has_tags = !matches!(extension, "w64" | "au" | "amr" | "ac3" | "dts");
        assert_eq!(
            stored.title.as_deref(),
            has_tags.then_some("Title"),
            "{extension}"
        );
        assert_eq!(
            stored.album.as_deref(),
            has_tags.then_some("Album"),
            "{extension}"
        );
        assert_eq!(
            found.tags.first(Key::Lyrics),
            None,
            "{extension}: lyrics cost time"
        );
        if !has_tags || matches!(extension, "caf" | "mka") {
            continue;
        }
        assert_eq!(stored.artists[0], "One", "{extension}");
        assert_eq!(stored.album_artists, ["Band"], "{extension}");
        assert_eq!(
            (stored.track, stored.disc),
            (Some(3), Some(1)),
            "{extension}"
        );
        assert_eq!(stored.year(), Some(2004), "{extension}");
        assert_eq!(stored.genres, ["Rock"], "{extension}");
        let ids = (stored.musicbrainz_release, stored.musicbrainz_recording);
        let expected = [fixtures::RELEASE, fixtures::RECORDING].map(|id| Some(id.to_owned()));
        assert_eq!(<[_; 2]>::from(ids), expected, "{extension}");
    }
}

#[test]
fn chapters_are_read_from_every_source() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, TagSelection::Texts);
        let chapters: Vec<(&str, f64)> = found
            .chapters
            .iter()
            .map(|chapter| (chapter.title.as_str(), chapter.start))
            .collect();
        let has_chapters = matches!(
            extension,
            "mp3"
                | "wav"
                | "aiff"
                | "dsf"
                | "dff"
                | "tta"
                | "aac"
                | "flac"
                | "ogg"
                | "opus"
                | "spx"
                | "oga"
                | "m4b"
                | "m4a"
                | "mka"
        );
        let expected: &[(&str, f64)] = if has_chapters {
            &[("Begin", 0.0), ("End", 0.5)]
        } else {
            &[]
        };
        assert_eq!(chapters, expected, "{extension}");
    }
}

#[test]
fn covers_are_returned_unchanged() {
    for (extension, bytes) in fixtures::all() {
        let mut found = read_as(extension, &bytes, TagSelection::Picture);
        let has_cover = matches!(
            extension,
            "mp3"
                | "wav"
                | "aiff"
                | "dsf"
                | "dff"
                | "tta"
                | "aac"
                | "flac"
                | "ape"
                | "wv"
                | "mpc"
                | "mpp"
                | "m4b"
                | "m4a"
                | "mka"
        );
        let expected = has_cover.then(|| JPEG.to_vec());
        assert_eq!(found.tags.take_picture(), expected, "{extension}");
    }
}

#[test]
fn lyrics_are_read_only_on_request() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, TagSelection::Lyrics);
        if matches!(extension, "mp3" | "flac" | "ogg" | "ape" | "m4a") {
            assert_eq!(found.tags.first(Key::Lyrics), Some("la la"), "{extension}");
        }
        if extension == "mp3" {
            let timed = found.tags.synced_lyrics.as_deref();
            assert_eq!(timed, Some("[00:01.00]la\n[00:02.00]li\n"));
        }
    }
}

#[test]
fn duration_of_variable_bit_rate_stream_is_counted() {
    let found = read_as("mp3", &fixtures::uneven_mpeg(400), TagSelection::Texts);
    let duration = found.duration.expect("a length");
    assert!(
        (duration - 400.0 * 1152.0 / 44_100.0).abs() < 0.1,
        "{duration}"
    );
}

#[test]
fn xing_table_defines_the_duration() {
    let mut bytes = fixtures::mpeg(2);
    bytes[36..48].copy_from_slice(b"Xing\0\0\0\x01\0\0\x03\xe8");
    let duration = read_as("mp3", &bytes, TagSelection::Texts)
        .duration
        .expect("a length");
    assert!(
        (duration - 1000.0 * 1152.0 / 44_100.0).abs() < 0.01,
        "{duration}"
    );
}

#[test]
fn older_tags_fill_gaps_of_newer_tags() {
    let tag = fixtures::id3(3, &[fixtures::frame("TIT2", b"\0New")]);
    let bytes = [tag, fixtures::mpeg(4), fixtures::id3v1("Old", 5)].concat();
    let stored = StoredTags::from_recording(&read_as("mp3", &bytes, TagSelection::Texts));
    assert_eq!(stored.title.as_deref(), Some("New"));
    assert_eq!(stored.album.as_deref(), Some("Old Album"));
    assert_eq!((stored.track, stored.year()), (Some(5), Some(1997)));
}

#[test]
fn id3v2_2_frames_with_three_letter_names_are_read() {
    let mut body = Vec::new();
    for (id, text) in [("TT2", "\0Title"), ("TRK", "\x003/9"), ("TCO", "\0(17)")] {
        body.extend(id.as_bytes());
        body.extend([0, 0, u8::try_from(text.len()).expect("short")]);
        body.extend(text.as_bytes());
    }
    let mut tag = fixtures::id3(2, &[body]);
    tag.extend(fixtures::mpeg(4));
    let stored = StoredTags::from_recording(&read_as("mp3", &tag, TagSelection::Texts));
    assert_eq!(stored.title.as_deref(), Some("Title"));
    assert_eq!(
        (stored.track, stored.genres),
        (Some(3), vec!["Rock".to_owned()])
    );
}

#[test]
fn unsynchronised_tags_are_decoded() {
    // A UTF-16 byte order mark with an unsynchronisation zero between its bytes.
    let mut tag = fixtures::id3(3, &[fixtures::frame("TIT2", b"\x01\xff\0\xfeT\0i\0")]);
    tag[5] = 0x80;
    // The frame size is the size before unsynchronisation.
    tag[17] = 7;
    tag.extend(fixtures::mpeg(4));
    let stored = StoredTags::from_recording(&read_as("mp3", &tag, TagSelection::Texts));
    assert_eq!(stored.title.as_deref(), Some("Ti"));
}

#[test]
fn tags_are_read_if_the_audio_is_damaged() {
    let mut source = open(Cursor::new(fixtures::tagged()), Duration::from_secs(5)).expect("memory");
    let (recording, problem) = read(&mut source, "mp3", TagSelection::Texts).expect("tags");
    assert_eq!(
        StoredTags::from_recording(&recording).title.as_deref(),
        Some("Title")
    );
    assert_eq!(
        problem.expect("no sound").to_string(),
        "contains no MPEG audio frame"
    );
}

#[test]
fn unknown_format_is_reported() {
    let bytes = b"#!/bin/sh\necho hello, this is no music at all";
    let mut source = open(Cursor::new(bytes), Duration::from_secs(5)).expect("memory");
    let (_, problem) = read(&mut source, "wav", TagSelection::Texts).expect("read");
    assert_eq!(
        problem.expect("an error").to_string(),
        "is not in a known audio format"
    );
}

#[test]
fn picture_with_a_url_is_not_fetched() {
    let frame = fixtures::frame("APIC", b"\0-->\0\x03\0http://192.0.2.1/x.jpg");
    let bytes = [fixtures::id3(4, &[frame]), fixtures::mpeg(4)].concat();
    assert_eq!(
        read_as("mp3", &bytes, TagSelection::Picture)
            .tags
            .take_picture(),
        None
    );
}
