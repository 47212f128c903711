//! Cartridges of the Master System and the Game Gear, and what homebrew writes beside their header.

use std::io::{Read, Seek};

use super::Header;
use crate::text;
use crate::windows::{ReadResult, Windows, array, le16};

/// What a copier writes in front of a cartridge.
const COPIER: u64 = 512;
const BANK: u64 = 0x4000;
/// Places of the header: cartridges may be smaller than what the console looks at.
const PLACES: [u64; 3] = [0x7ff0, 0x3ff0, 0x1ff0];
/// What stands before it in homebrew.
const HOMEBREW: u64 = 0x7fe0;

/// The header; empty where there is none, as in Japanese games.
pub fn read<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let copier = if file.length() % BANK == COPIER {
        COPIER
    } else {
        0
    };
    let mut header = Header::default();
    for place in PLACES {
        if let Some(found) = parse(&file.read(copier + place, 16)?) {
            header = found;
            break;
        }
    }
    homebrew(file, copier, &mut header)?;
    Ok(header)
}

fn parse(bytes: &[u8]) -> Option<Header> {
    let rest = bytes.strip_prefix(b"TMR SEGA")?;
    let [low, high, last, region] = array(rest, 4)?;
    let mut header = Header::default();
    // Two bytes of two digits each, and a half byte that counts to fifteen.
    let digits = [high >> 4, high & 15, low >> 4, low & 15];
    if digits.iter().all(|digit| *digit < 10) {
        let number = digits
            .iter()
            .fold(u32::from(last >> 4), |n, digit| n * 10 + u32::from(*digit));
        header.serial = (number > 0).then(|| number.to_string());
    }
    header.revised(last & 0x0f);
    if matches!(region >> 4, 3 | 5) {
        header.regions.push("Japan");
    }
    let size = match region & 0x0f {
        0xa => Some(8),
        0xb => Some(16),
        0xc => Some(32),
        0xd => Some(48),
        0xe => Some(64),
        0xf => Some(128),
        size @ 0..=2 => Some(256_u32 << size),
        _ => None,
    };
    header.put_known("rom_size", size.map(|kib| kib * 1024));
    Some(header)
}

/// Version, year, and where the names of game and author are.
fn homebrew<R: Read + Seek>(
    file: &mut Windows<R>,
    copier: u64,
    header: &mut Header,
) -> ReadResult<()> {
    let bytes = file.read(copier + HOMEBREW, 16)?;
    let Some(rest) = bytes.strip_prefix(b"SDSC") else {
        return Ok(());
    };
    if let Some([major, minor]) = array(rest, 0)
        && let (Some(major), Some(minor)) = (decimal(major), decimal(minor))
    {
        header.version = Some(format!("{major}.{minor:02}"));
    }
    if let Some([low, high]) = array(rest, 4)
        && let (Some(low), Some(high)) = (decimal(low), decimal(high))
    {
        let year = i32::from(high) * 100 + i32::from(low);
        header.year = (1985..=2100).contains(&year).then_some(year);
    }
    let mut named = |at: usize| -> ReadResult<Option<String>> {
        match le16(rest, at) {
            None | Some(0 | 0xffff) => Ok(None),
            Some(place) => Ok(text::ascii(&file.read(copier + u64::from(place), 128)?)),
        }
    };
    let developer = named(6)?;
    header.title = named(8)?;
    header.put_known("developer", developer);
    Ok(())
}

/// A byte of two decimal digits.
fn decimal(byte: u8) -> Option<u8> {
    let (high, low) = (byte >> 4, byte & 15);
    (high < 10 && low < 10).then_some(high * 10 + low)
}
