//! Damaged videos: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::fixtures;
use crate::inspect::{cover_in, media};

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
