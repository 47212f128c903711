//! Damaged videos: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::fixtures;
use crate::inspect::{cover_in, media};
use crate::nfo;
use crate::subtitles::{self, Format, cue, embedded};

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = &[0, 1, 8, 0x10, 0x7f, 0x80, 0xfe, 0xff];
        match self.next(3) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    /// One to eight changes: bytes replaced, inserted, left out, repeated, cut off.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(8) {
            let at = self.next(bytes.len());
            let len = self.next(24).min(bytes.len().saturating_sub(at));
            match self.next(8) {
                0..=3 if !bytes.is_empty() => bytes[at] = self.byte(),
                4 => {
                    let new: Vec<u8> = (0..len).map(|_| self.byte()).collect();
                    bytes.splice(at..at, new);
                }
                5 => drop(bytes.drain(at..at + len)),
                6 => {
                    let part = bytes[at..at + len].to_vec();
                    let to = self.next(bytes.len());
                    bytes.splice(to..to, part);
                }
                7 if self.next(4) == 0 => bytes.truncate(at),
                _ => {}
            }
        }
        bytes
    }
}

fn mutations() -> usize {
    std::env::var("LEDGE_MUTATIONS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1_000)
}

fn survives(seed: &[u8], mut read: impl FnMut(&[u8])) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..mutations() {
        let bytes = numbers.mutate(seed);
        let start = Instant::now();
        read(&bytes);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(5), "round {round} took {took:?}");
    }
}

fn videos() -> Vec<Vec<u8>> {
    vec![
        fixtures::mp4_film(),
        fixtures::mp4_chapters(false),
        fixtures::mp4_chapters(true),
        fixtures::mp4_fragmented(),
        fixtures::matroska_film(),
        fixtures::avi_film(),
        fixtures::asf_film(),
        fixtures::flv_film(true),
        fixtures::flv_film(false),
        fixtures::flv_sorenson(),
        fixtures::ogg_film(),
        fixtures::transport(188),
        fixtures::transport(192),
        fixtures::program(),
        fixtures::first_program(),
    ]
}

#[test]
fn damaged_videos_are_read_or_refused() {
    for seed in videos() {
        let whole = media(Cursor::new(&seed))
            .expect("no error")
            .expect("a video");
        assert!(whole.probe().duration.is_some());
        survives(&seed, |bytes| {
            if let Ok(Some(media)) = media(Cursor::new(bytes)) {
                media.probe();
                media.facts();
            }
            let _ = cover_in(Cursor::new(bytes));
        });
    }
}

#[test]
fn texts_in_damaged_films_are_read_or_refused() {
    for (seed, place) in [
        (fixtures::mp4_film(), 3),
        (fixtures::matroska_film(), 2),
        (fixtures::matroska_film(), 3),
    ] {
        let deadline = Instant::now() + Duration::from_mins(10);
        let read = |bytes: &[u8]| embedded::cues(Cursor::new(bytes), place, deadline);
        assert!(read(&seed).expect("no error").is_some());
        survives(&seed, |bytes| {
            if let Ok(Some(cues)) = read(bytes) {
                cue::write(cues);
            }
        });
    }
}

#[test]
fn damaged_subtitles_are_text_without_marks_that_run() {
    let seeds: [(Format, &str); 3] = [
        (
            Format::Srt,
            "1\n00:00:01,000 --> 00:00:02,500\n<i>Hi</i> <script>&amp;\n\n2\n0:0:3,0 --> 0:0:4,0\n{\\an8}x",
        ),
        (
            Format::Ass,
            "[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.00,{\\i1\\p0}<b>\\Nx",
        ),
        (
            Format::Vtt,
            "WEBVTT\n\nSTYLE\n::cue{}\n\n00:01.000 --> 00:02.000 line:0\n<v A><c.x>t</c> <00:01.500>",
        ),
    ];
    for (format, seed) in seeds {
        let whole = subtitles::cues(format, seed.as_bytes(), None).expect("subtitles");
        assert!(!whole.is_empty());
        survives(seed.as_bytes(), |bytes| {
            let Ok(cues) = subtitles::cues(format, bytes, None) else {
                return;
            };
            for cue in cues {
                let plain = ["<b>", "</b>", "<i>", "</i>", "<u>", "</u>"]
                    .iter()
                    .fold(cue.text, |text, mark| text.replace(mark, ""));
                assert!(!plain.contains(['<', '>']), "{plain}");
                assert!(!plain.contains("\n\n"), "{plain:?}");
            }
        });
    }
}

#[test]
fn damaged_notes_are_read_or_refused() {
    let seed = "<?xml version='1.0' encoding='UTF-8'?><movie><title>A &amp; B</title>\
                <year>1999</year><actor><name>X</name><role>Y</role></actor>\
                <set><name>S</name></set><uniqueid type='imdb'>tt1</uniqueid>\
                <plot><![CDATA[P]]></plot><genre>G / H</genre></movie>";
    assert!(nfo::read(seed.as_bytes()).expect("no error").is_some());
    survives(seed.as_bytes(), |bytes| {
        let _ = nfo::read(bytes);
    });
}
