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
                (StreamKind::Audio, Some("deu")),
                (StreamKind::Subtitle, Some("fra")),
            ]
        );
    }
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
