//! Damaged recordings: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;
use std::time::{Duration, Instant};

use ledge_core::registry::reading::ReadTools;

use crate::inspect::{cover_in, examine_in};
use crate::{cue, fixtures};

const TIME: Duration = Duration::from_secs(5);

const TOOLS: ReadTools<'_> = ReadTools {
    ffprobe: None,
    time_limit: TIME,
};

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
        const TELLING: &[u8] = &[0, 1, 3, 0x7f, 0x80, 0xfe, 0xff];
        match self.next(2) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    /// One to eight changes, most of them near the beginning: bytes replaced, inserted, left out,
    /// repeated, cut off.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(8) {
            let reach = if self.next(4) > 0 {
                bytes.len().min(1_500)
            } else {
                bytes.len()
            };
            let at = self.next(reach);
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

#[test]
fn damaged_recordings_are_read_or_refused_in_no_time() {
    let files = fixtures::all();
    let mut slowest = Duration::ZERO;
    for (extension, bytes) in &files {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..mutations() {
            let damaged = numbers.mutate(bytes);
            let start = Instant::now();
            let _ = examine_in(Cursor::new(&damaged), extension, &TOOLS);
            let _ = cover_in(Cursor::new(&damaged), extension, &TOOLS);
            slowest = slowest.max(start.elapsed());
        }
    }
    assert!(slowest < TIME, "{slowest:?}");
}

#[test]
fn damaged_cue_sheets_are_read_or_refused() {
    let sheet = b"FILE \"a.flac\" WAVE\n TRACK 01 AUDIO\n  TITLE \"One\"\n  INDEX 01 00:00:00\n";
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..mutations() {
        let _ = cue::read(&numbers.mutate(sheet), None);
    }
}
