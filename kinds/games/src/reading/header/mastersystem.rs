//! Headers of Master System and Game Gear cartridges, and the additional header of homebrew.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::Header;
use crate::reading::text;

/// Size in bytes of the header that a copier adds before a cartridge.
const COPIER_HEADER_BYTES: u64 = 512;
const BANK: u64 = 0x4000;
/// Possible offsets of the header. Small cartridges have it at a lower offset.
const HEADER_OFFSETS: [u64; 3] = [0x7ff0, 0x3ff0, 0x1ff0];
/// Offset of the homebrew header (SDSC).
const HOMEBREW: u64 = 0x7fe0;

/// Reads the header. Returns an empty one if there is none, as in Japanese games.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let copier = if file.size() % BANK == COPIER_HEADER_BYTES {
        COPIER_HEADER_BYTES
    } else {
        0
    };
    let mut header = Header::default();
    for offset in HEADER_OFFSETS {
        if let Some(found) = parse(&file.read_vec_at(copier + offset, 16)?) {
            header = found;
            break;
        }
    }
    homebrew(file, copier, &mut header)?;
    Ok(header)
}

fn parse(bytes: &[u8]) -> Option<Header> {
    let rest = bytes.strip_prefix(b"TMR SEGA")?;
    let [low, high, last, region] = rest.array_at(4)?;
    let mut header = Header::default();
    // Two bytes with two decimal digits each, and a half byte from 0 to 15.
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
    header.put_some("rom_size", size.map(|kib| kib * 1024));
    Some(header)
}

/// Reads the homebrew header: version, year, and the addresses of the names of game and author.
fn homebrew<R: Read + Seek>(
    file: &mut Source<R>,
    copier: u64,
    header: &mut Header,
) -> ReadResult<()> {
    let bytes = file.read_vec_at(copier + HOMEBREW, 16)?;
    let Some(rest) = bytes.strip_prefix(b"SDSC") else {
        return Ok(());
    };
    if let Some([major, minor]) = rest.array_at(0)
        && let (Some(major), Some(minor)) = (decimal(major), decimal(minor))
    {
        header.version = Some(format!("{major}.{minor:02}"));
    }
    if let Some([low, high]) = rest.array_at(4)
        && let (Some(low), Some(high)) = (decimal(low), decimal(high))
    {
        let year = i32::from(high) * 100 + i32::from(low);
        header.year = (1985..=2100).contains(&year).then_some(year);
    }
    let mut named = |at: usize| -> ReadResult<Option<String>> {
        match rest.le16(at) {
            None | Some(0 | 0xffff) => Ok(None),
            Some(offset) => Ok(text::ascii(
                &file.read_vec_at(copier + u64::from(offset), 128)?,
            )),
        }
    };
    let developer = named(6)?;
    header.title = named(8)?;
    header.put_some("developer", developer);
    Ok(())
}

/// Decodes a byte with two decimal digits.
fn decimal(byte: u8) -> Option<u8> {
    let (high, low) = (byte >> 4, byte & 15);
    (high < 10 && low < 10).then_some(high * 10 + low)
}
