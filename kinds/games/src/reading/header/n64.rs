//! Headers of Nintendo 64 cartridges, in all three byte orders of dumps.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source, damaged};

use super::{Header, nintendo_region};
use crate::reading::text;

/// Reads the header. The first bytes identify the byte order, independent of the extension.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let mut bytes = file.read_vec_at(0, 0x40)?;
    let (order, length) = match bytes.get(..4) {
        Some([0x80, 0x37, _, _]) => ("big-endian", 1),
        Some([0x37, 0x80, _, _]) => ("byte-swapped", 2),
        Some([_, _, 0x37, 0x80]) => ("little-endian", 4),
        _ => return Err(damaged("has no header of a Nintendo 64 cartridge")),
    };
    for word in bytes.chunks_mut(length) {
        word.reverse();
    }
    let mut header = parse(&bytes).unwrap_or_default();
    header.put("byte_order", order);
    Ok(header)
}

fn parse(bytes: &[u8]) -> Option<Header> {
    let code = bytes.get(0x3b..0x3f)?;
    let mut header = Header {
        title: bytes.get(0x20..0x34).and_then(text::japanese),
        serial: text::code(code),
        ..Header::default()
    };
    if header.serial.is_some() {
        header
            .regions
            .extend(code.last().and_then(|letter| nintendo_region(*letter)));
        header.revised(*bytes.get(0x3f)?);
    }
    Some(header)
}
