//! Decoding of texts from files, with a limit of length.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

pub(crate) use ledge_core::text::markup::text::{line, lines};

/// Maximum size of a decoded text, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Decodes the content of a text file: UTF-8 or UTF-16 with a byte order mark, otherwise Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => utf16(bytes, false),
        _ => latin1(bytes),
    }
}

/// Decodes UTF-8. Invalid bytes become replacement characters.
pub(crate) fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bounded(bytes)).into_owned()
}

/// Decodes a text that is declared as Latin-1. Valid UTF-8 is decoded as such, because many
/// programs wrote it and Latin-1 text rarely matches it.
pub(crate) fn latin1(bytes: &[u8]) -> String {
    let bytes = bounded(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Windows-1252 extends Latin-1 with characters in place of control codes.
        Err(_) => decode_as(WINDOWS_1252, bytes),
    }
}

/// Decodes UTF-16. A byte order mark overrides the given order.
pub(crate) fn utf16(bytes: &[u8], is_big: bool) -> String {
    let bytes = bounded(bytes);
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode_as(UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] => decode_as(UTF_16BE, rest),
        rest if is_big => decode_as(UTF_16BE, rest),
        rest => decode_as(UTF_16LE, rest),
    }
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn bounded(bytes: &[u8]) -> &[u8] {
    bytes.get(..MAX_BYTES).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_declared_as_latin1_is_decoded_as_utf8() {
        assert_eq!(latin1("Dvořák".as_bytes()), "Dvořák");
        assert_eq!(latin1(b"Bj\xf6rk \x85"), "Björk …");
    }

    #[test]
    fn utf16_byte_order_mark_is_respected() {
        assert_eq!(utf16(b"\xff\xfeA\0", true), "A");
        assert_eq!(utf16(b"\xfe\xff\0A", false), "A");
        assert_eq!(utf16(b"\0A", true), "A");
        assert_eq!(utf16(b"A\0B", false), "A\u{fffd}");
    }
}
