//! Headers of NES cartridges and disks: iNES, NES 2.0, UNIF, and images of the Disk System.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::{Header, unif};
use crate::reading::text;

const KIB: u64 = 1024;
const TRAINER: u64 = 512;

/// Reads an iNES, NES 2.0 or UNIF file.
pub fn cartridge<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let start = file.read_vec_at(0, 32)?;
    if start.starts_with(b"UNIF") {
        return unif::read(file);
    }
    let (header, needed) =
        ines(&start).ok_or_else(|| damaged("has no header of an NES cartridge"))?;
    if needed > file.size() {
        return Err(damaged("is shorter than its header declares"));
    }
    Ok(header)
}

/// Parses the header. Returns it with the minimum length of the file in bytes.
fn ines(start: &[u8]) -> Option<(Header, u64)> {
    let [program, graphics, low, high] = start.strip_prefix(b"NES\x1a")?.array_at(0)?;
    let is_second = high & 0x0c == 0x08;
    let rest: [u8; 8] = start.array_at(8)?;
    let [mapper_byte, sizes, _, _, timing, ..] = rest;
    // Old tools wrote their names over the last bytes, so these are ignored unless they are zero.
    let is_signed = !is_second && rest.get(4..) != Some(&[0; 4]);
    let mut mapper = u16::from(low >> 4);
    if !is_signed {
        mapper |= u16::from(high & 0xf0);
    }
    let mut header = Header::default();
    let mut sizes_high = (0, 0);
    if is_second {
        mapper |= u16::from(mapper_byte & 0x0f) << 8;
        sizes_high = (sizes & 0x0f, sizes >> 4);
        header.put("submapper", mapper_byte >> 4);
        let system = ["NTSC", "PAL", "NTSC, PAL", "Dendy"];
        header.put_some("tv_system", system.get(usize::from(timing & 3)).copied());
    }
    let program = size(program, sizes_high.0, 16 * KIB);
    let graphics = size(graphics, sizes_high.1, 8 * KIB);
    header.put("header_format", if is_second { "NES 2.0" } else { "iNES" });
    header.put("mapper", mapper);
    header.put("prg_size", program);
    header.put("chr_size", graphics);
    header.put("mirroring", mirroring(low));
    header.put("battery", low & 2 != 0);
    let trainer = if low & 4 == 0 { 0 } else { TRAINER };
    let needed = program
        .saturating_add(graphics)
        .saturating_add(16 + trainer);
    Some((header, needed))
}

fn mirroring(flags: u8) -> &'static str {
    match (flags & 8 != 0, flags & 1 != 0) {
        (true, _) => "four screens",
        (false, true) => "vertical",
        (false, false) => "horizontal",
    }
}

/// Returns a size in bytes: a multiple of the unit, or in NES 2.0 a power of two times 1, 3, 5 or
/// 7.
fn size(low: u8, high: u8, unit: u64) -> u64 {
    if high < 0x0f {
        return (u64::from(high) << 8 | u64::from(low)) * unit;
    }
    let power = 1_u64 << (low >> 2);
    power.saturating_mul(u64::from(low & 3) * 2 + 1)
}

/// Reads the image of a disk, with or without the header of fwNES.
pub fn disk<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    const SIDE: u64 = 65_500;
    let start = file.read_vec_at(0, 80)?;
    let (skipped, block) = match start.strip_prefix(b"FDS\x1a") {
        Some(rest) => (16, rest.get(12..).unwrap_or_default()),
        None => (0, start.as_slice()),
    };
    let Some(info) = block.strip_prefix(b"\x01*NINTENDO-HVC*") else {
        return Err(damaged("is not an image of a Famicom disk"));
    };
    let mut header = Header {
        serial: info.get(1..4).and_then(text::code),
        ..Header::default()
    };
    header.revised(info.get(5).copied().unwrap_or_default());
    let sides = file.size().saturating_sub(skipped).div_ceil(SIDE);
    header.put("sides", sides);
    Ok(header)
}
