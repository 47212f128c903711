use std::io::Cursor;
use std::time::Duration;

use super::*;
use crate::fixtures::{matroska_film, mp4_film};
use crate::subtitles::cue;

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

fn texts(film: &[u8], place: usize) -> String {
    let cues = cues(Cursor::new(film), place, deadline()).expect("no error");
    cue::write(cues.expect("a stream of text"))
}

#[test]
fn texts_of_mp4_are_read() {
    let film = mp4_film();
    let list = list(Cursor::new(&film)).expect("no error");
    assert_eq!(
        list.iter().map(|t| (t.place, t.format)).collect::<Vec<_>>(),
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
fn texts_of_matroska_are_read_and_unpacked() {
    let film = matroska_film();
    let list = list(Cursor::new(&film)).expect("no error");
    let formats: Vec<_> = list.iter().map(|t| (t.place, t.format)).collect();
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
fn a_script_in_matroska_is_put_together_again() {
    let read =
        |film: Vec<u8>, place| script(Cursor::new(film), place, deadline()).expect("no error");
    assert_eq!(
        read(matroska_film(), 3).as_deref(),
        Some(
            "[Script Info]\nPlayResX: 640\n\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Dialogue: 0,0:00:01.60,0:00:02.10,Default,,0,0,0,,{\\i1}Hi\\Nyou\n"
        )
    );
    for (film, place) in [
        (matroska_film(), 0),
        (matroska_film(), 2),
        (matroska_film(), 9),
        (mp4_film(), 3),
        (b"no film at all".to_vec(), 0),
    ] {
        assert_eq!(read(film, place), None, "{place}");
    }
}

#[test]
fn whoever_takes_too_long_is_given_up() {
    assert!(in_time(Instant::now()).is_err());
    assert!(in_time(deadline()).is_ok());
    let late = cues(Cursor::new(mp4_film()), 3, Instant::now());
    assert!(matches!(late, Err(ReadError::Limit(_))));
}
