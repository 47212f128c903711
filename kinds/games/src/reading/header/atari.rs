//! Headers of Atari 7800 and Lynx images, which emulators require before the ROM.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::Header;
use crate::reading::text;

/// Reads the header of an Atari 7800 image. Returns an empty one if there is none.
pub fn seven_eight_hundred<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(0, 128)?;
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
    header.put("rom_size", u32::from_be_bytes(bytes.array_at(49)?));
    let board = u16::from_be_bytes(bytes.array_at(53)?);
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

/// Reads the header of a Lynx image. Returns an empty one if there is none.
pub fn lynx<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(0, 64)?;
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
    let pages = [bytes.le16(4)?, bytes.le16(6)?].map(u32::from);
    header.put("rom_size", (pages.iter().sum::<u32>()) * 256);
    match *bytes.get(58)? {
        1 => header.put("orientation", "turned left"),
        2 => header.put("orientation", "turned right"),
        _ => {}
    }
    Some(header)
}
