//! Cartridges of the Neo Geo Pocket, the WonderSwan and the Virtual Boy.

use std::io::{Read, Seek};

use super::{Header, nintendo_region};
use crate::text;
use crate::windows::{ReadResult, Windows, le16};

/// The header of a Neo Geo Pocket cartridge, plain or in colour; empty where there is none.
pub fn neo_geo_pocket<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let bytes = file.read(0, 0x40)?;
    Ok(parse_pocket(&bytes).unwrap_or_default())
}

fn parse_pocket(bytes: &[u8]) -> Option<Header> {
    let licence = bytes.get(..28)?;
    if licence != b"COPYRIGHT BY SNK CORPORATION" && licence != b" LICENSED BY SNK CORPORATION" {
        return None;
    }
    let number = le16(bytes, 0x20)?;
    let mut header = Header {
        title: bytes.get(0x24..0x30).and_then(text::ascii),
        serial: (number != 0).then(|| format!("{number:04X}")),
        ..Header::default()
    };
    header.revised(*bytes.get(0x22)?);
    if *bytes.get(0x23)? == 0x10 {
        header.put("colour", "supported");
    }
    Some(header)
}

/// The end of a WonderSwan cartridge, where its processor starts.
pub fn wonderswan<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let start = file.length().saturating_sub(16);
    let bytes = file.read(start, 16)?;
    Ok(parse_swan(&bytes).unwrap_or_default())
}

fn parse_swan(bytes: &[u8]) -> Option<Header> {
    // A jump elsewhere.
    if *bytes.first()? != 0xea {
        return None;
    }
    let at = |place: usize| bytes.get(place).copied();
    let mut header = Header::default();
    if at(7)? == 1 {
        header.put("colour", "required");
    }
    header.revised(at(9)?);
    let size = match at(10)? {
        size @ 0..=3 => Some(1_u32 << (17 + size)),
        4 => Some(3 << 20),
        5 => Some(4 << 20),
        6 => Some(6 << 20),
        size @ 7..=9 => Some(1 << (16 + size)),
        _ => None,
    };
    header.put_known("rom_size", size);
    let is_upright = at(12)? & 1 != 0;
    header.put(
        "orientation",
        if is_upright { "vertical" } else { "horizontal" },
    );
    Some(header)
}

/// The header near the end of a Virtual Boy cartridge; empty where there is none.
pub fn virtual_boy<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    const FROM_END: u64 = 0x220;
    let Some(start) = file.length().checked_sub(FROM_END) else {
        return Ok(Header::default());
    };
    let bytes = file.read(start, 0x20)?;
    Ok(parse_boy(&bytes).unwrap_or_default())
}

fn parse_boy(bytes: &[u8]) -> Option<Header> {
    let code = bytes.get(0x1b..0x1f)?;
    let mut header = Header {
        title: Some(bytes.get(..20).and_then(text::japanese)?),
        serial: Some(text::code(code)?),
        ..Header::default()
    };
    header
        .regions
        .extend(code.last().and_then(|letter| nintendo_region(*letter)));
    header.revised(*bytes.get(0x1f)?);
    Some(header)
}
