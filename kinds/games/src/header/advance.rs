//! Cartridges of the Game Boy Advance.

use std::io::{Read, Seek};

use super::{Header, nintendo_region};
use crate::text;
use crate::windows::{ReadResult, Windows};

const START: u64 = 0xa0;

/// The header; empty where there is none.
pub fn read<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let bytes = file.read(START, 0x20)?;
    Ok(parse(&bytes).unwrap_or_default())
}

fn parse(bytes: &[u8]) -> Option<Header> {
    // The one byte that every cartridge has.
    if *bytes.get(0x12)? != 0x96 {
        return None;
    }
    let summed = bytes.get(..0x1d)?.iter();
    let sum = summed.fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    let is_summed = sum.wrapping_sub(0x19) == *bytes.get(0x1d)?;
    let code = bytes.get(0x0c..0x10)?;
    let mut header = Header {
        title: bytes.get(..12).and_then(text::ascii),
        serial: text::code(code),
        ..Header::default()
    };
    header.put(
        "header_checksum",
        if is_summed { "valid" } else { "invalid" },
    );
    if is_summed {
        if header.serial.is_some() {
            header
                .regions
                .extend(code.last().and_then(|letter| nintendo_region(*letter)));
        }
        header.revised(*bytes.get(0x1c)?);
    }
    Some(header)
}
