use std::io::Cursor;

use ledge_core::registry::reading::StreamKind;

use super::*;
use crate::fixtures::{JPEG, element as made, matroska_film};
use crate::reading::inspect::{cover_in, media};

fn found(bytes: &[u8]) -> Media {
    media(Cursor::new(bytes))
        .expect("no error")
        .expect("a Matroska file")
}

#[test]
fn film_yields_its_streams() {
    let media = found(&matroska_film());
    let probe = media.probe();
    assert_eq!(probe.container.as_deref(), Some("matroska"));
    assert_eq!(probe.vcodec.as_deref(), Some("h264"));
    assert_eq!(probe.acodec.as_deref(), Some("ac3"));
    assert_eq!((probe.width, probe.height), (Some(1920), Some(1080)));
    assert_eq!(probe.duration, Some(2.0));
    let streams: Vec<_> = probe
        .streams
        .iter()
        .map(|s| {
            (
                s.kind,
                s.codec.as_deref(),
                s.language.as_deref(),
                s.forced,
                s.default,
            )
        })
        .collect();
    assert_eq!(
        streams,
        [
            (StreamKind::Video, Some("h264"), Some("en"), false, true),
            (StreamKind::Audio, Some("ac3"), Some("fr"), false, false),
            (
                StreamKind::Subtitle,
                Some("subrip"),
                Some("pt-BR"),
                true,
                true
            ),
            (StreamKind::Subtitle, Some("ass"), Some("en"), false, true),
        ]
    );
    assert_eq!(probe.streams[2].title.as_deref(), Some("Signs"));
    let facts = media.facts();
    assert_eq!(
        (&facts["hdr"], &facts["profile"]),
        (&"HLG".into(), &"High".into())
    );
    assert_eq!(facts["display_size"], "2560×1080");
    assert_eq!(facts["audio_channels"], 6);
}

#[test]
fn elements_after_the_clusters_are_found_by_the_seek_head() {
    let film = matroska_film();
    let media = found(&film);
    assert_eq!(media.tags.title.as_deref(), Some("Two Tongues"));
    assert_eq!(media.tags.date.as_deref(), Some("2001-02-03"));
    assert_eq!(
        media.tags.directors,
        ["Ann Lee"],
        "a stream's tags are not the film's"
    );
    assert_eq!(media.tags.actors, ["Bo Kim"]);
    assert_eq!(media.tags.description.as_deref(), Some("A story."));
    let chapters = media.probe().chapters;
    let shown: Vec<_> = chapters
        .iter()
        .map(|c| (c.title.as_str(), c.start))
        .collect();
    assert_eq!(shown, [("One", 0.0), ("Two", 1.0)]);
    let cover = cover_in(Cursor::new(film)).expect("no error");
    assert_eq!(cover.as_deref(), Some(JPEG));
}

#[test]
fn webm_is_recognised_by_its_document_type() {
    let film = matroska_film();
    let at = film
        .windows(8)
        .position(|name| name == b"matroska")
        .expect("a name");
    let mut webm = film;
    webm[at..at + 8].copy_from_slice(b"webm\0\0\0\0");
    assert_eq!(found(&webm).container, "webm");
}

#[test]
fn excessive_lengths_are_truncated_at_the_end_of_the_file() {
    let film = matroska_film();
    let cut = &film[..film.len() / 2];
    assert_eq!(found(cut).tracks.len(), 4);
    let head = made(0x1a45_dfa3, b"");
    let endless = [
        &head[..],
        &[
            0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
        ],
    ]
    .concat();
    assert!(media(Cursor::new(endless)).is_err());
    let no_segment = media(Cursor::new(head)).expect_err("no segment");
    assert!(no_segment.to_string().contains("segment"), "{no_segment}");
}
