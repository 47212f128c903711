//! One small recording of every format: what is read of each.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;

use super::{Recording, read};
use crate::fixtures::{self, JPEG};
use crate::inspect::examine_in;
use crate::said::Said;
use crate::source::Source;
use crate::tags::{Key, Want};

fn read_as(extension: &str, bytes: &[u8], want: Want) -> Recording {
    let mut source = Source::new(Cursor::new(bytes), Duration::from_secs(5)).expect("memory");
    let (recording, problem) = read(&mut source, extension, want).expect(extension);
    assert!(problem.is_none(), "{extension}: {problem:?}");
    recording
}

#[test]
fn formats_that_are_not_read_have_a_container() {
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
        let found = examine_in(Cursor::new(head), extension, &tools);
        let probe = found.expect(extension).1.expect(extension);
        assert_eq!(probe.container.as_deref(), Some(container), "{extension}");
        assert_eq!(probe.acodec.as_deref(), codec, "{extension}");
    }
}

#[test]
fn every_format_tells_its_codec_and_length() {
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
        let found = read_as(extension, &bytes, Want::Texts);
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
fn every_format_with_tags_tells_them() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, Want::Texts);
        let said = Said::of(&found);
        let has_tags = !matches!(extension, "w64" | "au" | "amr" | "ac3" | "dts");
        assert_eq!(
            said.title.as_deref(),
            has_tags.then_some("Title"),
            "{extension}"
        );
        assert_eq!(
            said.album.as_deref(),
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
        assert_eq!(said.artists[0], "One", "{extension}");
        assert_eq!(said.album_artists, ["Band"], "{extension}");
        assert_eq!((said.track, said.disc), (Some(3), Some(1)), "{extension}");
        assert_eq!(said.year(), Some(2004), "{extension}");
        assert_eq!(said.genres, ["Rock"], "{extension}");
    }
}

#[test]
fn chapters_are_found_wherever_they_are_kept() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, Want::Texts);
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
fn covers_come_out_as_they_lie_in_the_file() {
    for (extension, bytes) in fixtures::all() {
        let mut found = read_as(extension, &bytes, Want::Picture);
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
fn words_of_songs_are_read_when_asked_for() {
    for (extension, bytes) in fixtures::all() {
        let found = read_as(extension, &bytes, Want::Lyrics);
        if matches!(extension, "mp3" | "flac" | "ogg" | "ape" | "m4a") {
            assert_eq!(found.tags.first(Key::Lyrics), Some("la la"), "{extension}");
        }
        if extension == "mp3" {
            let timed = found.tags.timed_words.as_deref();
            assert_eq!(timed, Some("[00:01.00]la\n[00:02.00]li\n"));
        }
    }
}

#[test]
fn a_stream_of_uneven_frames_is_counted() {
    let found = read_as("mp3", &fixtures::uneven_mpeg(400), Want::Texts);
    let duration = found.duration.expect("a length");
    assert!(
        (duration - 400.0 * 1152.0 / 44_100.0).abs() < 0.1,
        "{duration}"
    );
}

#[test]
fn a_table_of_length_is_believed() {
    let mut bytes = fixtures::mpeg(2);
    bytes[36..48].copy_from_slice(b"Xing\0\0\0\x01\0\0\x03\xe8");
    let duration = read_as("mp3", &bytes, Want::Texts)
        .duration
        .expect("a length");
    assert!(
        (duration - 1000.0 * 1152.0 / 44_100.0).abs() < 0.01,
        "{duration}"
    );
}

#[test]
fn older_tags_speak_where_newer_ones_are_silent() {
    let tag = fixtures::id3(3, &[fixtures::frame("TIT2", b"\0New")]);
    let bytes = [tag, fixtures::mpeg(4), fixtures::id3v1("Old", 5)].concat();
    let said = Said::of(&read_as("mp3", &bytes, Want::Texts));
    assert_eq!(said.title.as_deref(), Some("New"));
    assert_eq!(said.album.as_deref(), Some("Old Album"));
    assert_eq!((said.track, said.year()), (Some(5), Some(1997)));
}

#[test]
fn the_oldest_frames_have_names_of_three_letters() {
    let mut body = Vec::new();
    for (id, text) in [("TT2", "\0Title"), ("TRK", "\x003/9"), ("TCO", "\0(17)")] {
        body.extend(id.as_bytes());
        body.extend([0, 0, u8::try_from(text.len()).expect("short")]);
        body.extend(text.as_bytes());
    }
    let mut tag = fixtures::id3(2, &[body]);
    tag.extend(fixtures::mpeg(4));
    let said = Said::of(&read_as("mp3", &tag, Want::Texts));
    assert_eq!(said.title.as_deref(), Some("Title"));
    assert_eq!(
        (said.track, said.genres),
        (Some(3), vec!["Rock".to_owned()])
    );
}

#[test]
fn whole_tags_may_be_unsynchronised() {
    // UTF-16 with its mark, between whose bytes a zero was put.
    let mut tag = fixtures::id3(3, &[fixtures::frame("TIT2", b"\x01\xff\0\xfeT\0i\0")]);
    tag[5] = 0x80;
    // The length of a frame counts what it was before.
    tag[17] = 7;
    tag.extend(fixtures::mpeg(4));
    let said = Said::of(&read_as("mp3", &tag, Want::Texts));
    assert_eq!(said.title.as_deref(), Some("Ti"));
}

#[test]
fn tags_are_read_where_the_sound_is_broken() {
    let mut source =
        Source::new(Cursor::new(fixtures::tagged()), Duration::from_secs(5)).expect("memory");
    let (recording, problem) = read(&mut source, "mp3", Want::Texts).expect("tags");
    assert_eq!(Said::of(&recording).title.as_deref(), Some("Title"));
    assert_eq!(
        problem.expect("no sound").to_string(),
        "has no frame of MPEG sound"
    );
}

#[test]
fn what_is_no_recording_is_told() {
    let bytes = b"#!/bin/sh\necho hello, this is no music at all";
    let mut source = Source::new(Cursor::new(bytes), Duration::from_secs(5)).expect("memory");
    let (_, problem) = read(&mut source, "wav", Want::Texts).expect("read");
    assert_eq!(
        problem.expect("told").to_string(),
        "is no recording of a known format"
    );
}

#[test]
fn a_picture_that_is_an_address_is_not_fetched() {
    let frame = fixtures::frame("APIC", b"\0-->\0\x03\0http://192.0.2.1/x.jpg");
    let bytes = [fixtures::id3(4, &[frame]), fixtures::mpeg(4)].concat();
    assert_eq!(
        read_as("mp3", &bytes, Want::Picture).tags.take_picture(),
        None
    );
}
