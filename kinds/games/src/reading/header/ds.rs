//! Headers of Nintendo DS cartridges, and the titles in the icon data.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::{Header, nintendo_region};
use crate::reading::text;

/// Offset of the English title in the icon data, and length of a title, in bytes.
const ENGLISH: u64 = 0x340;
const TITLE: usize = 0x100;

/// Reads the header. Returns an empty one if its checksum is wrong.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let bytes = file.read_vec_at(0, 0x160)?;
    let Some(mut header) = parse(&bytes) else {
        return Ok(Header::default());
    };
    let banner = bytes.le32(0x68).unwrap_or_default();
    if banner > 0 {
        let lines = lines(&file.read_vec_at(u64::from(banner) + ENGLISH, TITLE)?);
        // The last of several lines is the company's name.
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
    if crc16(bytes.get(..0x15e)?) != bytes.le16(0x15e)? {
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

/// Returns the lines of a title.
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
    text.lines().filter_map(text::sanitize).collect()
}

/// Computes the header's checksum (CRC-16/MODBUS), as the console does.
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
    fn crc16_matches_modbus() {
        assert_eq!(super::crc16(b"123456789"), 0x4b37);
    }
}
