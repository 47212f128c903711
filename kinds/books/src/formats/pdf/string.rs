//! Text strings of a PDF (ISO 32000-2, 7.9.2): UTF-16 or UTF-8 with a byte order mark, otherwise
//! `PDFDocEncoding`.

use encoding_rs::{UTF_16BE, UTF_16LE};

/// Characters of the bytes 0x80 to 0xA0 in `PDFDocEncoding` (annex D.3).
const HIGH: &str = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\u{fffd}€";
/// Characters of the bytes 0x18 to 0x1F. All other bytes are those of Latin-1.
const LOW: &str = "˘ˇˆ˙˝˛˚˜";

/// Decodes a string.
pub(super) fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => without_escapes(&UTF_16BE.decode_without_bom_handling(rest).0),
        [0xff, 0xfe, rest @ ..] => without_escapes(&UTF_16LE.decode_without_bom_handling(rest).0),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|byte| character(*byte)).collect(),
    }
}

/// Removes language codes, which are enclosed in escape characters.
fn without_escapes(text: &str) -> String {
    let mut is_inside = false;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\u{1b}' {
            is_inside = !is_inside;
        } else if !is_inside {
            plain.push(c);
        }
    }
    plain
}

fn character(byte: u8) -> char {
    let nth = |table: &str, from: u8| table.chars().nth(usize::from(byte - from));
    let special = match byte {
        0x18..=0x1f => nth(LOW, 0x18),
        0x80..=0xa0 => nth(HIGH, 0x80),
        _ => None,
    };
    special.unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_string_encodings_are_decoded() {
        assert_eq!(HIGH.chars().count(), 0xa1 - 0x80);
        assert_eq!(LOW.chars().count(), 8);
        assert_eq!(decoded(b"caf\xe9 \x84 \xa0"), "café — €");
        assert_eq!(decoded(b"\xfe\xff\x6e\x2c\0a"), "測a");
        assert_eq!(decoded(b"\xfe\xff\0\x1b\0e\0n\0\x1b\0a"), "a");
        assert_eq!(decoded(b"\xff\xfea\0"), "a");
        assert_eq!(decoded("\u{feff}ł".as_bytes()), "ł");
    }
}
