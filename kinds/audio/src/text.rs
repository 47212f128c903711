//! Texts out of files: decoded, without control characters, not endless.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use ledge_core::names::clean;

/// Longest text of one line, in characters.
const LONGEST_LINE: usize = 1_000;

/// Longest text of several lines, in characters.
const LONGEST_TEXT: usize = 20_000;

/// Longest text that is decoded, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// A text on one line; `None` where nothing is left of it.
pub(crate) fn line(text: &str) -> Option<String> {
    let clean = clean::plain(first(text, 4 * LONGEST_LINE));
    let line = first(&clean, LONGEST_LINE).trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

/// A text whose lines stay lines, with at most one empty line in between; `None` where nothing is
/// left of it.
pub(crate) fn lines(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut gap = 0;
    let unix = first(text, 4 * LONGEST_TEXT)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    for line in unix.lines().map(clean::plain) {
        if line.is_empty() {
            gap += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if gap == 0 { "\n" } else { "\n\n" });
        }
        gap = 0;
        out.push_str(&line);
    }
    let text = first(&out, LONGEST_TEXT).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The first characters of a text.
pub(crate) fn first(text: &str, characters: usize) -> &str {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

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
    fn a_line_has_no_breaks_and_an_end() {
        assert_eq!(line(" a\n\tb\0 ").as_deref(), Some("a b"));
        assert_eq!(line(" \u{200b}\n"), None);
        let long = line(&"ä ".repeat(1 << 20)).expect("a line");
        assert!(long.chars().count() <= LONGEST_LINE);
    }

    #[test]
    fn lines_keep_their_paragraphs() {
        assert_eq!(
            lines("\n\n one  two\rthree\r\n\n\n\nfour\n").as_deref(),
            Some("one two\nthree\n\nfour")
        );
        assert_eq!(lines("\n \n"), None);
    }

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
