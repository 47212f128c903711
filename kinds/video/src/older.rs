//! Containers of before: what each tells, by fixtures.

use std::io::Cursor;

use ledge_core::registry::reading::{Probe, StreamKind};

use crate::fixtures::{self, JPEG};
use crate::inspect::{cover_in, media};
use crate::media::Media;

fn found(bytes: &[u8]) -> Media {
    media(Cursor::new(bytes))
        .expect("no error")
        .expect("a video")
}

/// Container, codecs and size.
fn told(probe: &Probe) -> (&str, &str, &str, (i64, i64)) {
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
fn avi_tells_its_streams() {
    let media = found(&fixtures::avi_film());
    let probe = media.probe();
    assert_eq!(told(&probe), ("avi", "mpeg4", "mp3", (640, 480)));
    assert_eq!(probe.duration, Some(4.0));
    assert_eq!(probe.streams[1].title.as_deref(), Some("Named"));
    assert_eq!(media.tags.title.as_deref(), Some("A Film"));
    assert_eq!(media.tags.date.as_deref(), Some("1999"));
}

#[test]
fn asf_tells_its_streams_cover_and_marks() {
    let film = fixtures::asf_film();
    let media = found(&film);
    let probe = media.probe();
    assert_eq!(told(&probe), ("asf", "wmv3", "wmav2", (640, 480)));
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
fn flash_tells_its_streams_also_where_nothing_is_said_of_them() {
    let said = found(&fixtures::flv_film(true)).probe();
    assert_eq!(told(&said), ("flv", "h264", "aac", (1920, 1080)));
    assert_eq!(said.duration, Some(2.5));
    let unsaid = found(&fixtures::flv_film(false)).probe();
    assert_eq!(unsaid.duration, Some(2.0));
    let sorenson = found(&fixtures::flv_sorenson()).probe();
    assert_eq!(told(&sorenson), ("flv", "flv1", "", (320, 240)));
}

#[test]
fn ogg_tells_its_streams_chapters_and_cover() {
    let film = fixtures::ogg_film();
    let media = found(&film);
    let probe = media.probe();
    assert_eq!(told(&probe), ("ogg", "theora", "opus", (172, 144)));
    assert_eq!(probe.duration, Some(2.0));
    assert_eq!(probe.streams[0].language.as_deref(), Some("de"));
    assert_eq!(
        media.tags.title.as_deref(),
        Some("A Film"),
        "not that of the sound"
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
fn transport_streams_tell_their_tables() {
    for length in [188, 192, 204] {
        let probe = found(&fixtures::transport(length)).probe();
        assert_eq!(
            told(&probe),
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

/// Kind, codec and language of each stream.
fn streams(file: &[u8]) -> Vec<(StreamKind, String, Option<String>)> {
    let streams = found(file).probe().streams.into_iter();
    streams
        .map(|s| (s.kind, s.codec.unwrap_or_default(), s.language))
        .collect()
}

#[test]
fn streams_of_broadcasts_have_codecs_and_languages() {
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
fn streams_of_blu_rays_have_codecs_with_and_without_a_registration() {
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
fn streams_without_a_container_have_a_codec_and_a_size() {
    let h263 = [0, 0, 0x80, 2, 8, 0, 0, 0];
    let probe = found(&h263).probe();
    assert_eq!(told(&probe), ("h263", "h263", "", (176, 144)));
    let h264 = [&[0, 0, 0, 1], fixtures::AVC_PARAMETERS, &[0, 0, 1, 0x65]].concat();
    let probe = found(&h264).probe();
    assert_eq!(told(&probe), ("h264", "h264", "", (1920, 1080)));
    assert_eq!(
        media(Cursor::new([0, 0, 0, 1, 9, 9])).expect("no error"),
        None
    );
}

#[test]
fn flash_tells_the_size_of_h263() {
    let packet = [0x18, 0, 0, 0x80, 2, 8, 0, 0, 0];
    let length = u8::try_from(packet.len()).expect("short");
    let tag = [&[9, 0, 0, length, 0, 0, 0, 0, 0, 0, 0], &packet[..]].concat();
    let head = b"FLV\x01\x01\0\0\0\x09\0\0\0\0";
    let end = u32::from(length + 11).to_be_bytes();
    let probe = found(&[&head[..], &tag, &end].concat()).probe();
    assert_eq!(told(&probe), ("flv", "h263", "", (176, 144)));
}

#[test]
fn program_streams_are_known_by_what_is_in_them() {
    let probe = found(&fixtures::program()).probe();
    assert_eq!(told(&probe), ("mpegps", "mpeg2video", "ac3", (352, 288)));
    assert_eq!(probe.duration, Some(2.0));
    assert_eq!(probe.streams[2].codec.as_deref(), Some("dvd_subtitle"));
    let first = found(&fixtures::first_program()).probe();
    assert_eq!(told(&first), ("mpegps", "mpeg1video", "mp2", (352, 288)));
    assert_eq!(first.duration, Some(1.0));
}

#[test]
fn pictures_without_a_container_have_a_codec_and_a_size() {
    let alone = [0, 0, 1, 0xb3, 0x16, 0x01, 0x20, 0x13, 0, 0, 1, 0xb5, 0x14];
    let probe = found(&alone).probe();
    assert_eq!(told(&probe), ("mpegvideo", "mpeg2video", "", (352, 288)));
    assert_eq!(probe.duration, None);
}

#[test]
fn what_is_none_of_them_is_not_guessed() {
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
