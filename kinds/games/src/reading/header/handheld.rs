//! Headers of Neo Geo Pocket, WonderSwan and Virtual Boy cartridges.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::{Header, nintendo_region};
use crate::reading::text;

/// Reads the header of a Neo Geo Pocket (Color) cartridge. Returns an empty one if there is none.
pub fn neo_geo_pocket<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(0, 0x40)?;
    Ok(parse_pocket(&bytes).unwrap_or_default())
}

fn parse_pocket(bytes: &[u8]) -> Option<Header> {
    let licence = bytes.get(..28)?;
    if licence != b"COPYRIGHT BY SNK CORPORATION" && licence != b" LICENSED BY SNK CORPORATION" {
        return None;
    }
    let number = bytes.le16(0x20)?;
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

/// Reads the footer of a WonderSwan cartridge, at the processor's reset address.
pub fn wonderswan<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let start = file.size().saturating_sub(16);
    let bytes = file.read_vec_at(start, 16)?;
    Ok(parse_swan(&bytes).unwrap_or_default())
}

fn parse_swan(bytes: &[u8]) -> Option<Header> {
    // The footer begins with a far jump.
    if *bytes.first()? != 0xea {
        return None;
    }
    let at = |offset: usize| bytes.get(offset).copied();
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
    header.put_some("rom_size", size);
    let is_upright = at(12)? & 1 != 0;
    header.put(
        "orientation",
        if is_upright { "vertical" } else { "horizontal" },
    );
    Some(header)
}

/// Reads the header near the end of a Virtual Boy cartridge. Returns an empty one if there is none.
pub fn virtual_boy<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    const FROM_END: u64 = 0x220;
    let Some(start) = file.size().checked_sub(FROM_END) else {
        return Ok(Header::default());
    };
    let bytes = file.read_vec_at(start, 0x20)?;
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
