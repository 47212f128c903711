use std::io::Cursor;

use ledge_core::registry::reading::StreamKind;
use ledge_formats::{ReadError, ReadLimits};

use super::*;
use crate::fixtures::{JPEG, atom, full, mp4_chapters, mp4_film, mp4_fragmented};
use crate::reading::inspect::{cover_in, media};

fn found(bytes: &[u8]) -> Media {
    media(Cursor::new(bytes))
        .expect("no error")
        .expect("an MP4")
}

#[test]
fn film_yields_its_streams() {
    let media = found(&mp4_film());
    let probe = media.probe();
    assert_eq!(probe.container.as_deref(), Some("mp4"));
    assert_eq!(probe.vcodec.as_deref(), Some("h264"));
    assert_eq!(probe.acodec.as_deref(), Some("aac"));
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
                s.title.as_deref(),
                s.forced,
            )
        })
        .collect();
    let title = Some("Commentary");
    assert_eq!(
        streams,
        [
            (StreamKind::Video, Some("h264"), None, None, false),
            (StreamKind::Audio, Some("aac"), Some("en"), title, false),
            (StreamKind::Audio, Some("aac"), Some("fr"), title, false),
            (
                StreamKind::Subtitle,
                Some("mov_text"),
                Some("de"),
                None,
                true
            ),
        ]
    );
    let facts = media.facts();
    assert_eq!(facts["profile"], "High");
    assert_eq!(facts["hdr"], "HDR10");
    assert_eq!(facts["rotation"], 90);
    assert_eq!(facts["display_size"], "1080×1920");
    assert_eq!(facts["audio_channels"], 2);
}

#[test]
fn tags_yield_title_date_and_cover() {
    let film = mp4_film();
    let tags = found(&film).tags;
    assert_eq!(tags.title.as_deref(), Some("A Film"));
    assert_eq!(tags.date.as_deref(), Some("1999-05-04"));
    assert_eq!(tags.description.as_deref(), Some("Länger\nthan that"));
    assert_eq!(tags.genres, ["Drama"]);
    let cover = cover_in(Cursor::new(film)).expect("no error");
    assert_eq!(cover.as_deref(), Some(JPEG));
}

#[test]
fn chapters_are_read_from_track_or_list() {
    for is_list in [false, true] {
        let media = found(&mp4_chapters(is_list));
        let chapters = media.probe().chapters;
        let shown: Vec<_> = chapters
            .iter()
            .map(|c| (c.title.as_str(), c.start))
            .collect();
        assert_eq!(shown, [("First", 0.0), ("Zwei", 1.0)]);
        assert_eq!(
            media.streams().count(),
            1,
            "chapter titles are not subtitles"
        );
    }
}

#[test]
fn fragments_yield_the_duration() {
    assert_eq!(found(&mp4_fragmented()).duration, Some(2.0));
}

#[test]
fn text_samples_have_offset_and_time() {
    let mut source =
        Source::new(Cursor::new(mp4_film()), ReadLimits::with_bytes(1 << 20)).expect("memory");
    let tracks = tracks(&mut source).expect("tracks");
    let samples = samples_of(&mut source, &tracks[3], 10).expect("samples");
    let ends: Vec<_> = samples
        .iter()
        .map(|s| (s.offset, s.length, s.start, s.end))
        .collect();
    assert_eq!(
        ends,
        [(24, 7, 0.0, 1.0), (31, 2, 1.0, 2.0), (33, 6, 2.0, 3.0)]
    );
}

#[test]
fn single_picture_without_other_video_is_a_video() {
    let mut entry = vec![0; 78];
    entry[24..28].copy_from_slice(&[0, 9, 0, 9]);
    let stsd = full(
        b"stsd",
        0,
        &[&1_u32.to_be_bytes()[..], &atom(b"jpeg", &entry)].concat(),
    );
    let hdlr = full(b"hdlr", 0, b"\0\0\0\0vide\0\0\0\0");
    let mdia = [hdlr, atom(b"minf", &atom(b"stbl", &stsd))].concat();
    let moov = atom(b"moov", &atom(b"trak", &atom(b"mdia", &mdia)));
    let probe = found(&moov).probe();
    assert_eq!(
        (probe.vcodec.as_deref(), probe.width),
        (Some("mjpeg"), Some(9))
    );
}

#[test]
fn truncated_file_is_rejected_or_partly_read() {
    let film = mp4_film();
    let no_index = media(Cursor::new(&film[..40])).expect_err("no index");
    assert!(matches!(no_index, ReadError::Damaged(_)), "{no_index}");
    assert_eq!(found(&film[..film.len() - 60]).probe().width, Some(1920));
    let huge = [&[0, 0, 0, 1][..], b"moov", &[0x7f; 8], &[0; 32]].concat();
    assert!(media(Cursor::new(huge)).is_err());
    let nested = (0..20_000).fold(Vec::new(), |_, _| vec![0, 0, 0, 8, b'm', b'o', b'o', b'v']);
    assert!(media(Cursor::new(nested)).is_err());
}
