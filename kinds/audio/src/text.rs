//! Texts out of files: decoded, without control characters, not endless.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

pub(crate) use ledge_core::markup::text::{line, lines};

/// Longest text that is decoded, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// Bytes that should be UTF-8; what is not is replaced.
pub(crate) fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bounded(bytes)).into_owned()
}

/// Bytes that are said to be Latin-1. Many programs wrote UTF-8 there, which no Latin-1 text looks
/// like by chance.
pub(crate) fn latin1(bytes: &[u8]) -> String {
    let bytes = bounded(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // Windows' characters stand where Latin-1 has control characters.
        Err(_) => decode(WINDOWS_1252, bytes),
    }
}

/// UTF-16 with a mark of its byte order; without one it is in the given order.
pub(crate) fn utf16(bytes: &[u8], is_big: bool) -> String {
    let bytes = bounded(bytes);
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode(UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] => decode(UTF_16BE, rest),
        rest if is_big => decode(UTF_16BE, rest),
        rest => decode(UTF_16LE, rest),
    }
}

fn decode(encoding: &'static Encoding, bytes: &[u8]) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn bounded(bytes: &[u8]) -> &[u8] {
    bytes.get(..MOST_BYTES).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_that_is_called_latin1_is_still_utf8() {
        assert_eq!(latin1("Dvořák".as_bytes()), "Dvořák");
        assert_eq!(latin1(b"Bj\xf6rk \x85"), "Björk …");
    }

    #[test]
    fn utf16_has_a_byte_order() {
        assert_eq!(utf16(b"\xff\xfeA\0", true), "A");
        assert_eq!(utf16(b"\xfe\xff\0A", false), "A");
        assert_eq!(utf16(b"\0A", true), "A");
        assert_eq!(utf16(b"A\0B", false), "A\u{fffd}");
    }
}
