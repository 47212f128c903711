//! Headers of Mega Drive and 32X cartridges, plain and in the format of the Super Magic Drive. Sega
//! CD discs have the same header.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use super::Header;
use crate::reading::text;

const START: u64 = 0x100;
const LENGTH: usize = 0x100;
/// Header size of the Super Magic Drive format, and half of its interleaving block, in bytes.
const COPIER: u64 = 512;
const HALF_BLOCK: u64 = 8192;

/// Reads the header. Returns an empty one if there is none.
pub fn read<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let start = file.read_vec_at(START, LENGTH + 1)?;
    if let Some(header) = parse(&start) {
        return Ok(header);
    }
    if let Some(mut header) = parse(&interleaved(file)?) {
        header.put("interleaved", true);
        return Ok(header);
    }
    Ok(Header::default())
}

/// Returns the header bytes of an image whose odd bytes precede the even ones.
fn interleaved<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Vec<u8>> {
    let mark = file.read_vec_at(8, 2)?;
    if mark != [0xaa, 0xbb] {
        return Ok(Vec::new());
    }
    let odd = file.read_vec_at(COPIER + START / 2, LENGTH / 2)?;
    let even = file.read_vec_at(COPIER + HALF_BLOCK + START / 2, LENGTH / 2)?;
    Ok(even
        .into_iter()
        .zip(odd)
        .flat_map(|(a, b)| [a, b])
        .collect())
}

/// Parses the header from the console's name on. Some games begin it one byte late.
pub(crate) fn parse(bytes: &[u8]) -> Option<Header> {
    let bytes = [bytes, bytes.get(1..)?]
        .into_iter()
        .find(|bytes| is_console(bytes))?;
    let mut header = Header {
        platform: Some(if bytes.starts_with(b"SEGA 32X") {
            "sega32x"
        } else {
            "megadrive"
        }),
        ..Header::default()
    };
    if bytes.starts_with(b"SEGADISCSYSTEM") {
        // A disc's first sector, packed for a cartridge: no other field is at its usual offset.
        return Some(header);
    }
    let field = |from: usize, to: usize| bytes.get(from..to);
    // The overseas title in Latin letters is preferred to the domestic one.
    header.title = field(0x50, 0x80)
        .and_then(text::japanese)
        .or_else(|| field(0x20, 0x50).and_then(text::japanese));
    header.serial = field(0x80, 0x8e)
        .and_then(text::ascii)
        .filter(|code| is_serial(code));
    header.regions = field(0xf0, 0x100).map(regions).unwrap_or_default();
    header.year = field(0x10, 0x20).and_then(year);
    Some(header)
}

/// Returns true for a console's name. `SEGA` alone also occurs elsewhere.
pub(crate) fn is_console(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SEGA") || bytes.starts_with(b" SEGA")
}

/// Returns true for a serial such as `GM 00001009-00`: product type and number.
fn is_serial(code: &str) -> bool {
    code.bytes()
        .any(|byte| byte.is_ascii_digit() && byte != b'0')
}

/// Parses region letters, or one hexadecimal digit of four bits.
fn regions(field: &[u8]) -> Vec<&'static str> {
    let letters: Vec<u8> = field
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b' ' | 0))
        .collect();
    // The letter `E` is also a hexadecimal digit; it is read as a region.
    let bits = match letters.as_slice() {
        [digit @ (b'0'..=b'9' | b'A'..=b'D' | b'F')] => {
            char::from(*digit).to_digit(16).unwrap_or_default()
        }
        letters => letters.iter().fold(0, |bits, letter| match letter {
            b'J' => bits | 1,
            b'U' => bits | 4,
            b'E' => bits | 8,
            _ => bits,
        }),
    };
    [(1, "Japan"), (4, "USA"), (8, "Europe")]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, name)| name)
        .collect()
}

/// Parses the year of a field such as `(C)SEGA 1991.JUL`.
fn year(field: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.split(|c: char| !c.is_ascii_digit());
    let year: i32 = digits
        .filter(|part| part.len() == 4)
        .find_map(|part| part.parse().ok())?;
    (1985..=2100).contains(&year).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_letters_or_one_digit() {
        for (field, expected) in [
            (&b"JUE             "[..], &["Japan", "USA", "Europe"][..]),
            (b"U   ", &["USA"]),
            (b"E   ", &["Europe"]),
            (b"4   ", &["USA"]),
            (b"F\0\0", &["Japan", "USA", "Europe"]),
            (b"8", &["Europe"]),
            (b"", &[]),
            (b"xyz", &[]),
        ] {
            assert_eq!(regions(field), expected, "{field:?}");
        }
    }

    #[test]
    fn year_is_read_after_the_company() {
        assert_eq!(year(b"(C)SEGA 1991.JUL"), Some(1991));
        assert_eq!(year(b"(C)T-81 1992.JAN"), Some(1992));
        assert_eq!(year(b"(C)SEGA 0000.JUL"), None);
        assert_eq!(year(b"                "), None);
    }
}
