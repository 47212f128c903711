use std::io::Cursor;
use std::time::Duration;

use super::*;
use crate::fixtures::{matroska_film, mp4_film};
use crate::subtitles::cue;

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

fn texts(film: &[u8], index: usize) -> String {
    let cues = cues(Cursor::new(film), index, deadline()).expect("no error");
    cue::write(cues.expect("a stream of text"))
}

#[test]
fn mp4_text_tracks_are_read() {
    let film = mp4_film();
    let list = list(Cursor::new(&film)).expect("no error");
    assert_eq!(
        list.iter().map(|t| (t.index, t.format)).collect::<Vec<_>>(),
        [(3, Format::Srt)]
    );
    assert_eq!(
        texts(&film, 3),
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n\n00:00:02.000 --> 00:00:03.000\nYou!\n"
    );
    assert_eq!(
        cues(Cursor::new(&film), 1, deadline()).expect("no error"),
        None
    );
    assert_eq!(
        cues(Cursor::new(&film), 9, deadline()).expect("no error"),
        None
    );
}

#[test]
fn matroska_text_tracks_are_read_and_decompressed() {
    let film = matroska_film();
    let list = list(Cursor::new(&film)).expect("no error");
    let formats: Vec<_> = list.iter().map(|t| (t.index, t.format)).collect();
    assert_eq!(formats, [(2, Format::Srt), (3, Format::Ass)]);
    assert_eq!(
        texts(&film, 2),
        "WEBVTT\n\n00:00:01.500 --> 00:00:02.500\nHello\n"
    );
    assert_eq!(
        texts(&film, 3),
        "WEBVTT\n\n00:00:01.600 --> 00:00:02.100\n<i>Hi\nyou</i>\n"
    );
    assert_eq!(
        cues(Cursor::new(&film), 0, deadline()).expect("no error"),
        None
    );
}

#[test]
fn matroska_script_is_rebuilt() {
    let read =
        |film: Vec<u8>, index| script(Cursor::new(film), index, deadline()).expect("no error");
    assert_eq!(
        read(matroska_film(), 3).as_deref(),
        Some(
            "[Script Info]\nPlayResX: 640\n\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Dialogue: 0,0:00:01.60,0:00:02.10,Default,,0,0,0,,{\\i1}Hi\\Nyou\n"
        )
    );
    for (film, index) in [
        (matroska_film(), 0),
        (matroska_film(), 2),
        (matroska_film(), 9),
        (mp4_film(), 3),
        (b"no film at all".to_vec(), 0),
    ] {
        assert_eq!(read(film, index), None, "{index}");
    }
}

#[test]
fn reading_stops_at_the_deadline() {
    assert!(check_deadline(Instant::now()).is_err());
    assert!(check_deadline(deadline()).is_ok());
    let late = cues(Cursor::new(mp4_film()), 3, Instant::now());
    assert!(matches!(late, Err(ReadError::Limit(_))));
}
