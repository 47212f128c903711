//! Headers of Game Boy Advance cartridges.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use super::{Header, nintendo_region};
use crate::reading::text;

const START: u64 = 0xa0;

/// Reads the header. Returns an empty one if there is none.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(START, 0x20)?;
    Ok(parse(&bytes).unwrap_or_default())
}

fn parse(bytes: &[u8]) -> Option<Header> {
    // This byte has the same value in every cartridge.
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
