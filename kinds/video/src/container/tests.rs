//! Tests of the readers for containers other than MP4 and Matroska.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::UNKNOWN_CODEC;
use ledge_core::registry::reading::{Probe, ReadTools, StreamKind};

use crate::container::media::Media;
use crate::fixtures::{self, JPEG};
use crate::reading::inspect::{cover_in, media};

fn media_of(bytes: &[u8]) -> Media {
    media(Cursor::new(bytes))
        .expect("no error")
        .expect("a video")
}

/// Returns container, codecs and size.
fn codecs_and_size(probe: &Probe) -> (&str, &str, &str, (i64, i64)) {
    let word = |word: &'_ Option<String>| word.clone().unwrap_or_default().leak() as &str;
    (
        word(&probe.container),
        word(&probe.vcodec),
        word(&probe.acodec),
        (probe.width.unwrap_or(0), probe.height.unwrap_or(0)),
    )
}

fn chapters(media: &Media) -> Vec<(String, f64)> {
    let chapters = media.probe().chapters.into_iter();
    chapters
        .map(|chapter| (chapter.title, chapter.start))
        .collect()
}

#[test]
fn avi_yields_its_streams() {
    let media = media_of(&fixtures::avi_film());
    let probe = media.probe();
    assert_eq!(codecs_and_size(&probe), ("avi", "mpeg4", "mp3", (640, 480)));
    assert_eq!(probe.duration, Some(4.0));
    assert_eq!(probe.streams[1].title.as_deref(), Some("Named"));
    assert_eq!(media.tags.title.as_deref(), Some("A Film"));
    assert_eq!(media.tags.date.as_deref(), Some("1999"));
}

#[test]
fn asf_yields_its_streams_cover_and_chapters() {
    let film = fixtures::asf_film();
    let media = media_of(&film);
    let probe = media.probe();
    assert_eq!(
        codecs_and_size(&probe),
        ("asf", "wmv3", "wmav2", (640, 480))
    );
    assert_eq!(probe.duration, Some(2.0));
    assert_eq!(probe.streams[1].language.as_deref(), Some("de-DE"));
    assert_eq!(media.tags.title.as_deref(), Some("A Film"));
    assert_eq!(media.tags.date.as_deref(), Some("1999"));
    assert_eq!(chapters(&media), [("First".to_owned(), 1.0)]);
    assert_eq!(
        cover_in(Cursor::new(film)).expect("no error").as_deref(),
        Some(JPEG)
    );
}

#[test]
fn flv_yields_its_streams_with_and_without_metadata() {
    let with_metadata = media_of(&fixtures::flv_film(true)).probe();
    assert_eq!(
        codecs_and_size(&with_metadata),
        ("flv", "h264", "aac", (1920, 1080))
    );
    assert_eq!(with_metadata.duration, Some(2.5));
    let without_metadata = media_of(&fixtures::flv_film(false)).probe();
    assert_eq!(without_metadata.duration, Some(2.0));
    let sorenson = media_of(&fixtures::flv_sorenson()).probe();
    assert_eq!(codecs_and_size(&sorenson), ("flv", "flv1", "", (320, 240)));
}

#[test]
fn ogg_yields_its_streams_chapters_and_cover() {
    let film = fixtures::ogg_film();
    let media = media_of(&film);
    let probe = media.probe();
    assert_eq!(
        codecs_and_size(&probe),
        ("ogg", "theora", "opus", (172, 144))
    );
    assert_eq!(probe.duration, Some(2.0));
    assert_eq!(probe.streams[0].language.as_deref(), Some("de"));
    assert_eq!(
        media.tags.title.as_deref(),
        Some("A Film"),
        "title of the video stream, not of the audio stream"
    );
    assert_eq!(media.facts()["display_size"], "229×144");
    assert_eq!(
        chapters(&media),
        [("One".to_owned(), 0.0), (String::new(), 1.5)]
    );
    assert_eq!(
        cover_in(Cursor::new(film)).expect("no error").as_deref(),
        Some(JPEG)
    );
}

#[test]
fn transport_streams_yield_their_tables() {
    for length in [188, 192, 204] {
        let probe = media_of(&fixtures::transport(length)).probe();
        assert_eq!(
            codecs_and_size(&probe),
            ("mpegts", "h264", "ac3", (1920, 1080)),
            "{length}"
        );
        assert_eq!(probe.duration, Some(3.0));
        let streams: Vec<_> = probe
            .streams
            .iter()
            .map(|s| (s.kind, s.language.as_deref()))
            .collect();
        assert_eq!(
            streams,
            [
                (StreamKind::Video, None),
                (StreamKind::Audio, Some("de")),
                (StreamKind::Subtitle, Some("fr")),
            ]
        );
    }
}

/// Streams of a broadcast: type, descriptors, content.
pub(crate) const DVB: &[(u8, &[u8], &[u8])] = &[
    (0x06, b"\x6a\x01\0\x0a\x04ger\0", b""),
    (0x06, b"\x7a\x01\0\x0a\x04fre\0", b""),
    (0x06, b"\x7b\x01\0", b""),
    (0x06, b"\x7f\x01\x0e", b""),
    (0x06, b"\x05\x04BSSD", b""),
    (0x06, b"\x59\x08dan\x10\0\x01\0\x01", b""),
    (0x06, b"\x56\x0aeng\x09\0swe\x11\0", b""),
    (0x06, b"", b"\x0b\x77\0\0\0\x40"),
    (0x06, b"", b"\x0b\x77\0\0\0\x80"),
    (0x06, b"", b"\x7f\xfe\x80\x01"),
    (0x06, b"", b"\x20\0\x0f"),
    (0x06, b"", b"\x10\x02\x2c"),
    (0x06, b"", b"unknown"),
    (0x03, b"", b"\xff\xfb\x90\0"),
    (0x04, b"", b"\xff\xfd\x90\0"),
    (0x81, b"", b""),
    (0x87, b"", b""),
    (0x80, b"", b""),
];

/// Returns kind, codec and language of each stream.
fn streams(file: &[u8]) -> Vec<(StreamKind, String, Option<String>)> {
    let streams = media_of(file).probe().streams.into_iter();
    streams
        .map(|s| (s.kind, s.codec.unwrap_or_default(), s.language))
        .collect()
}

#[test]
fn broadcast_streams_have_codecs_and_languages() {
    use StreamKind::{Audio, Subtitle};
    let expected = [
        (Audio, "ac3", Some("de")),
        (Audio, "eac3", Some("fr")),
        (Audio, "dts", None),
        (Audio, "dts", None),
        (Audio, "s302m", None),
        (Subtitle, "dvb_subtitle", Some("da")),
        (Subtitle, "dvb_teletext", Some("sv")),
        (Audio, "ac3", None),
        (Audio, "eac3", None),
        (Audio, "dts", None),
        (Subtitle, "dvb_subtitle", None),
        (Subtitle, "dvb_teletext", None),
        (Audio, "mp3", None),
        (Audio, "mp2", None),
        (Audio, "ac3", None),
        (Audio, "eac3", None),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, codec, language)| (*kind, (*codec).to_owned(), language.map(str::to_owned)))
        .collect();
    assert_eq!(streams(&fixtures::transport_of(188, false, DVB)), expected);
}

#[test]
fn blu_ray_streams_have_codecs_with_and_without_registration() {
    let types = [
        0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0xa1, 0xa2, 0x90, 0x92,
    ];
    let disc: Vec<(u8, &[u8], &[u8])> = types.map(|kind| (kind, &b""[..], &b""[..])).to_vec();
    let expected = [
        "pcm_bluray",
        "ac3",
        "dts",
        "truehd",
        "eac3",
        "dts",
        "dts",
        "eac3",
        "dts",
        "hdmv_pgs_subtitle",
        "hdmv_text_subtitle",
    ];
    for (length, is_registered) in [(188, true), (192, true), (192, false)] {
        let codecs: Vec<String> = streams(&fixtures::transport_of(length, is_registered, &disc))
            .into_iter()
            .map(|(_, codec, _)| codec)
            .collect();
        assert_eq!(codecs, expected, "{length} {is_registered}");
    }
}

#[test]
fn elementary_streams_have_codec_and_size() {
    let h263 = [0, 0, 0x80, 2, 8, 0, 0, 0];
    let probe = media_of(&h263).probe();
    assert_eq!(codecs_and_size(&probe), ("h263", "h263", "", (176, 144)));
    let h264 = [&[0, 0, 0, 1], fixtures::AVC_PARAMETERS, &[0, 0, 1, 0x65]].concat();
    let probe = media_of(&h264).probe();
    assert_eq!(codecs_and_size(&probe), ("h264", "h264", "", (1920, 1080)));
    assert_eq!(
        media(Cursor::new([0, 0, 0, 1, 9, 9])).expect("no error"),
        None
    );
}

#[test]
fn flv_yields_the_size_of_h263() {
    let packet = [0x18, 0, 0, 0x80, 2, 8, 0, 0, 0];
    let length = u8::try_from(packet.len()).expect("short");
    let tag = [&[9, 0, 0, length, 0, 0, 0, 0, 0, 0, 0], &packet[..]].concat();
    let head = b"FLV\x01\x01\0\0\0\x09\0\0\0\0";
    let end = u32::from(length + 11).to_be_bytes();
    let probe = media_of(&[&head[..], &tag, &end].concat()).probe();
    assert_eq!(codecs_and_size(&probe), ("flv", "h263", "", (176, 144)));
}

#[test]
fn program_stream_codecs_are_detected_by_content() {
    let probe = media_of(&fixtures::program()).probe();
    assert_eq!(
        codecs_and_size(&probe),
        ("mpegps", "mpeg2video", "ac3", (352, 288))
    );
    assert_eq!(probe.duration, Some(2.0));
    assert_eq!(probe.streams[2].codec.as_deref(), Some("dvd_subtitle"));
    let first = media_of(&fixtures::mpeg1_program()).probe();
    assert_eq!(
        codecs_and_size(&first),
        ("mpegps", "mpeg1video", "mp2", (352, 288))
    );
    assert_eq!(first.duration, Some(1.0));
}

#[test]
fn mpeg_2_elementary_stream_has_codec_and_size() {
    let alone = [0, 0, 1, 0xb3, 0x16, 0x01, 0x20, 0x13, 0, 0, 1, 0xb5, 0x14];
    let probe = media_of(&alone).probe();
    assert_eq!(
        codecs_and_size(&probe),
        ("mpegvideo", "mpeg2video", "", (352, 288))
    );
    assert_eq!(probe.duration, None);
}

#[test]
fn unknown_content_is_none() {
    for bytes in [
        &b""[..],
        b"hello",
        &[0; 2_000],
        b"RIFF\0\0\0\0WAVEfmt ",
        b"<html>",
    ] {
        assert_eq!(media(Cursor::new(bytes)).expect("no error"), None);
    }
}

#[test]
fn every_readable_file_has_a_container() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(5),
    };
    for (name, content, expected) in [
        ("a.rm", &b".RMF\0\0\0\x12"[..], "rm"),
        ("a.mxf", b"\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d", "mxf"),
        ("a.dv", b"\x1f\x07\0\xbf", "dv"),
        ("a.ivf", b"DKIF\0\0\x20\0VP80", "ivf"),
        ("a.wtv", b"something", UNKNOWN_CODEC),
        ("a.nut", b"", UNKNOWN_CODEC),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file");
        let probe = crate::reading::inspect::probe(&path, &tools).expect("a probe");
        assert_eq!(probe.container.as_deref(), Some(expected), "{name}");
    }
}
