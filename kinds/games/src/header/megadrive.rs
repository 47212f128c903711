//! Cartridges of the Mega Drive and the 32X, plain and as the Super Magic Drive writes them; discs
//! of the Sega CD have the same header.

use std::io::{Read, Seek};

use super::Header;
use crate::text;
use crate::windows::{ReadResult, Windows};

const START: u64 = 0x100;
const LENGTH: usize = 0x100;
/// What the Super Magic Drive writes in front, and the block it takes apart.
const COPIER: u64 = 512;
const HALF_BLOCK: u64 = 8192;

/// The header; empty where there is none.
pub fn read<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let start = file.read(START, LENGTH + 1)?;
    if let Some(header) = parse(&start) {
        return Ok(header);
    }
    if let Some(mut header) = parse(&interleaved(file)?) {
        header.put("interleaved", true);
        return Ok(header);
    }
    Ok(Header::default())
}

/// The header of an image whose odd bytes stand before the even ones.
fn interleaved<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Vec<u8>> {
    let mark = file.read(8, 2)?;
    if mark != [0xaa, 0xbb] {
        return Ok(Vec::new());
    }
    let odd = file.read(COPIER + START / 2, LENGTH / 2)?;
    let even = file.read(COPIER + HALF_BLOCK + START / 2, LENGTH / 2)?;
    Ok(even
        .into_iter()
        .zip(odd)
        .flat_map(|(a, b)| [a, b])
        .collect())
}

/// The header behind the console's name; some games begin it one byte late.
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
        // The start of a disc, packed for a cartridge: nothing else is where it should be.
        return Some(header);
    }
    let field = |from: usize, to: usize| bytes.get(from..to);
    // Abroad it is spelt in Latin letters.
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

/// Whether it is the name of a console. `SEGA` alone is in other places as well.
pub(crate) fn is_console(bytes: &[u8]) -> bool {
    bytes.starts_with(b"SEGA") || bytes.starts_with(b" SEGA")
}

/// `GM 00001009-00`: what kind of product it is, and its number.
fn is_serial(code: &str) -> bool {
    code.bytes()
        .any(|byte| byte.is_ascii_digit() && byte != b'0')
}

/// Letters of regions, or one digit of four bits.
fn regions(field: &[u8]) -> Vec<&'static str> {
    let letters: Vec<u8> = field
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b' ' | 0))
        .collect();
    // Of the letters, `E` is a digit as well.
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

/// `(C)SEGA 1991.JUL`.
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
    fn years_stand_behind_the_company() {
        assert_eq!(year(b"(C)SEGA 1991.JUL"), Some(1991));
        assert_eq!(year(b"(C)T-81 1992.JAN"), Some(1992));
        assert_eq!(year(b"(C)SEGA 0000.JUL"), None);
        assert_eq!(year(b"                "), None);
    }
}
