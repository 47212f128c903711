//! Cartridges of the Atari 7800 and the Lynx: emulators' headers in front of the ROM.

use std::io::{Read, Seek};

use super::Header;
use crate::text;
use crate::windows::{ReadResult, Windows, array, le16};

/// An image for the 7800; empty where it has no header.
pub fn seven_eight_hundred<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let bytes = file.read(0, 128)?;
    Ok(parse_7800(&bytes).unwrap_or_default())
}

fn parse_7800(bytes: &[u8]) -> Option<Header> {
    if !bytes.get(1..)?.starts_with(b"ATARI7800") {
        return None;
    }
    let mut header = Header {
        title: bytes.get(17..49).and_then(text::ascii),
        ..Header::default()
    };
    header.put("rom_size", u32::from_be_bytes(array(bytes, 49)?));
    let board = u16::from_be_bytes(array(bytes, 53)?);
    let mapper = [
        (0x02, "SuperGame"),
        (0x100, "Activision"),
        (0x200, "Absolute"),
    ]
    .into_iter()
    .find(|(bit, _)| board & bit != 0);
    header.put("mapper", mapper.map_or("linear", |(_, name)| name));
    if board & 1 != 0 {
        header.put("chip", "POKEY");
    }
    let is_pal = bytes.get(57)? & 1 != 0;
    header.put("tv_system", if is_pal { "PAL" } else { "NTSC" });
    Some(header)
}

/// An image for the Lynx; empty where it has no header.
pub fn lynx<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let bytes = file.read(0, 64)?;
    Ok(parse_lynx(&bytes).unwrap_or_default())
}

fn parse_lynx(bytes: &[u8]) -> Option<Header> {
    if !bytes.starts_with(b"LYNX") {
        return None;
    }
    let mut header = Header {
        title: bytes.get(10..42).and_then(text::ascii),
        publisher: bytes.get(42..58).and_then(text::ascii),
        ..Header::default()
    };
    let pages = [le16(bytes, 4)?, le16(bytes, 6)?].map(u32::from);
    header.put("rom_size", (pages.iter().sum::<u32>()) * 256);
    match *bytes.get(58)? {
        1 => header.put("orientation", "turned left"),
        2 => header.put("orientation", "turned right"),
        _ => {}
    }
    Some(header)
}
