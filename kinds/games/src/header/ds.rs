//! Cartridges of the Nintendo DS: the header, and the titles beside the icon.

use std::io::{Read, Seek};

use super::{Header, nintendo_region};
use crate::text;
use crate::windows::{ReadResult, Windows, le16, le32};

/// The English title among those of the icon, and how long each is.
const ENGLISH: u64 = 0x340;
const TITLE: usize = 0x100;

/// The header; empty where its checksum is wrong.
pub fn read<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let bytes = file.read(0, 0x160)?;
    let Some(mut header) = parse(&bytes) else {
        return Ok(Header::default());
    };
    let banner = le32(&bytes, 0x68).unwrap_or_default();
    if banner > 0 {
        let lines = lines(&file.read(u64::from(banner) + ENGLISH, TITLE)?);
        // The last line is the company's, where there are several.
        if let Some((company, title)) = lines.split_last() {
            if title.is_empty() {
                header.title = Some(company.clone());
            } else {
                header.title = Some(title.join(" "));
                header.publisher = Some(company.clone());
            }
        }
    }
    Ok(header)
}

fn parse(bytes: &[u8]) -> Option<Header> {
    if crc16(bytes.get(..0x15e)?) != le16(bytes, 0x15e)? {
        return None;
    }
    let code = bytes.get(0x0c..0x10)?;
    let mut header = Header {
        title: bytes.get(..12).and_then(text::ascii),
        serial: text::code(code),
        ..Header::default()
    };
    if header.serial.is_some() {
        header
            .regions
            .extend(code.last().and_then(|letter| nintendo_region(*letter)));
    }
    header.revised(*bytes.get(0x1e)?);
    match *bytes.get(0x12)? {
        2 => header.put("dsi", "supported"),
        3 => header.put("dsi", "required"),
        _ => {}
    }
    Some(header)
}

/// The lines of a title.
fn lines(field: &[u8]) -> Vec<String> {
    let (pairs, _) = field.as_chunks::<2>();
    let letters: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let letters = letters
        .split(|letter| *letter == 0)
        .next()
        .unwrap_or_default();
    let Ok(text) = String::from_utf16(letters) else {
        return Vec::new();
    };
    text.lines().filter_map(text::tidy).collect()
}

/// The checksum of the header, as the console makes it.
pub(crate) fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte), |sum, _| {
            if sum & 1 == 0 {
                sum >> 1
            } else {
                (sum >> 1) ^ 0xa001
            }
        })
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_that_of_modbus() {
        assert_eq!(super::crc16(b"123456789"), 0x4b37);
    }
}
