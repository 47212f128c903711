//! Mutation tests: the readers of games return soon and without a panic for every damaged file.
//!
//! `LEDGE_MUTATIONS` sets the number of mutations per file.

use std::io::Cursor;

use ledge_formats::Source;
use ledge_proving::{Aim, seven, survives_aimed};

use crate::fixtures::zip::{Packing, zip};
use crate::fixtures::{self, discs};
use crate::reading::header::{READ_LIMITS, cartridge};
use crate::reading::inspect::{picture, read};

#[test]
fn damaged_cartridges_are_parsed_or_rejected() {
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
        survives_aimed(seed, Aim::Filled, |bytes| {
            let mut file = Source::new(Cursor::new(bytes), READ_LIMITS).expect("a file");
            let _ = cartridge(platform, &mut file);
        });
    }
}

#[test]
fn damaged_discs_and_archives_are_parsed_or_rejected() {
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
            zip(&[
                ("A.gba", &rom, Packing::Stored),
                ("b.txt", b"x", Packing::Stored),
            ]),
        ),
        ("zip", zip(&[("A.gba", &rom, Packing::Deflated)])),
        ("7z", seven(&[("A.gba", &rom), ("B.txt", b"x")])),
    ];
    for (extension, seed) in files {
        survives_aimed(seed, Aim::Filled, |bytes| {
            let _ = read(extension, None, Cursor::new(bytes));
            let _ = picture(extension, Cursor::new(bytes));
        });
    }
}
