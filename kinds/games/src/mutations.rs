//! Damaged games: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::fixtures;
use crate::fixtures::discs;
use crate::fixtures::zip::{How, seven, zip};
use crate::header::cartridge;
use crate::inspect::{picture, read};
use crate::windows::Windows;

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
        const TELLING: &[u8] = &[0, 1, 0x7f, 0x80, 0xff, b' ', b'A', b'0'];
        match self.next(3) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    /// One to eight changes: bytes replaced, left out, repeated, cut off. Most of them hit the
    /// bytes that are not empty: the headers.
    fn mutate(&mut self, bytes: &[u8], telling: &[usize]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(8) {
            let mut at = self.next(bytes.len());
            if !telling.is_empty() && self.next(8) > 0 {
                at = telling[self.next(telling.len())].min(bytes.len().saturating_sub(1));
            }
            let len = self.next(24).min(bytes.len().saturating_sub(at));
            match self.next(16) {
                0..=11 if !bytes.is_empty() => bytes[at] = self.byte(),
                12 => drop(bytes.drain(at..at + len)),
                13 => {
                    let part = bytes[at..at + len].to_vec();
                    bytes.splice(at..at, part);
                }
                14 if self.next(4) == 0 => bytes.truncate(at),
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

fn survives(seed: &[u8], mut read: impl FnMut(Vec<u8>)) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let telling: Vec<usize> = (0..seed.len()).filter(|at| seed[*at] != 0).collect();
    for round in 0..mutations() {
        let bytes = numbers.mutate(seed, &telling);
        let start = Instant::now();
        read(bytes);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(5), "round {round} took {took:?}");
    }
}

#[test]
fn damaged_cartridges_are_read_or_refused() {
    let cartridges: &[(&str, Vec<u8>)] = &[
        (
            "nes",
            fixtures::nes([1, 1, 0x13, 8, 0x31, 0, 0, 0, 1, 0, 0, 0], 24 << 10),
        ),
        ("nes", fixtures::unif()),
        ("fds", fixtures::fds()),
        ("snes", fixtures::snes(0x10000, 0xffc0, 0x31)),
        ("gb", fixtures::game_boy()),
        ("gba", fixtures::advance()),
        ("n64", fixtures::n64(2)),
        ("nds", fixtures::ds("Mario Kart\nDS\nNintendo")),
        ("megadrive", fixtures::mega_drive(b"SEGA MEGA DRIVE")),
        ("megadrive", fixtures::interleaved()),
        ("mastersystem", fixtures::master_system()),
        ("atari7800", fixtures::seven_eight_hundred()),
        ("lynx", fixtures::lynx()),
        ("ngp", fixtures::neo_geo_pocket()),
        ("wonderswan", fixtures::wonderswan()),
        ("virtualboy", fixtures::virtual_boy()),
    ];
    for (platform, seed) in cartridges {
        survives(seed, |bytes| {
            let mut file = Windows::of(Cursor::new(bytes)).expect("a file");
            let _ = cartridge(platform, &mut file);
        });
    }
}

#[test]
fn damaged_discs_and_archives_are_read_or_refused() {
    let raw = discs::raw(&discs::playstation(), 2, 0);
    let rom = fixtures::advance();
    let files: &[(&str, Vec<u8>)] = &[
        ("bin", raw),
        ("iso", discs::portable()),
        ("iso", discs::playstation_2()),
        ("iso", discs::sega_cd()),
        ("iso", discs::saturn()),
        ("iso", discs::dreamcast()),
        ("pbp", discs::package("MG")),
        (
            "chd",
            discs::chd(
                5,
                &[(b"CHT2", b"TRACK:1 TYPE:AUDIO"), (b"CHGD", b"TRACK:2")],
            ),
        ),
        (
            "zip",
            zip(&[("A.gba", &rom, How::Stored), ("b.txt", b"x", How::Stored)]),
        ),
        ("zip", zip(&[("A.gba", &rom, How::Deflated)])),
        ("7z", seven(&[("A.gba", &rom), ("B.txt", b"x")])),
    ];
    for (extension, seed) in files {
        survives(seed, |bytes| {
            let _ = read(extension, None, Cursor::new(&bytes));
            let _ = picture(extension, Cursor::new(&bytes));
        });
    }
}
