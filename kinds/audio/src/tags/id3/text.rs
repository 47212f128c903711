//! Texts of ID3v2 frames in four encodings, and pictures, whose descriptions use the same
//! encodings.

use std::fmt::Write;

use ledge_formats::bytes::BytesAt;

use crate::text::{latin1, utf8, utf16};

/// Maximum number of lines of synchronised lyrics.
const MAX_LINES: usize = 10_000;

/// Maximum number of values per frame.
const MAX_VALUES: usize = 200;

/// Returns the values of a text frame.
pub(super) fn values(body: &[u8]) -> Vec<String> {
    let Some((encoding, rest)) = body.split_first() else {
        return Vec::new();
    };
    split(*encoding, rest)
}

fn split(encoding: u8, mut rest: &[u8]) -> Vec<String> {
    let mut values = Vec::new();
    // Only the first value may have a byte order mark.
    let mark = rest
        .get(..2)
        .filter(|mark| matches!(mark, [0xff, 0xfe] | [0xfe, 0xff]));
    let is_big = encoding == 2 || mark == Some(&[0xfe, 0xff]);
    while !rest.is_empty() && values.len() < MAX_VALUES {
        let (value, after) = until_zero(encoding, rest);
        let value = decode(encoding, value, is_big);
        if !value.is_empty() {
            values.push(value);
        }
        rest = after;
    }
    values
}

fn decode(encoding: u8, bytes: &[u8], is_big: bool) -> String {
    match encoding {
        1 | 2 => utf16(bytes, is_big),
        3 => utf8(bytes),
        _ => latin1(bytes),
    }
}

/// Splits at the next terminator into the text before it and the rest.
fn until_zero(encoding: u8, bytes: &[u8]) -> (&[u8], &[u8]) {
    let width = if matches!(encoding, 1 | 2) { 2 } else { 1 };
    let position = bytes
        .chunks_exact(width)
        .position(|unit| unit.iter().all(|byte| *byte == 0));
    match position {
        Some(position) => {
            let (text, rest) = bytes.split_at(position * width);
            (text, rest.get(width..).unwrap_or_default())
        }
        None => (bytes, &[]),
    }
}

/// Parses a frame with a description. Returns the description and the values.
pub(super) fn described(body: &[u8]) -> Option<(String, Vec<String>)> {
    let (encoding, rest) = body.split_first()?;
    let (name, rest) = until_zero(*encoding, rest);
    Some((
        decode(*encoding, name, *encoding == 2),
        split(*encoding, rest),
    ))
}

/// Parses a unique file identifier. Returns `None` if it has another owner.
pub(super) fn file_identifier(body: &[u8], owner: &[u8]) -> Option<String> {
    let (name, id) = until_zero(0, body);
    (name == owner).then(|| latin1(id))
}

/// Parses a frame with a language and a description. Returns the description and the text.
pub(super) fn in_language(body: &[u8]) -> Option<(String, String)> {
    let (encoding, rest) = body.split_first()?;
    let (name, rest) = until_zero(*encoding, rest.get(3..)?);
    let text = split(*encoding, rest).join("\n");
    Some((decode(*encoding, name, *encoding == 2), text))
}

/// Parses a picture frame. Returns `true` for a front cover, and the bytes.
pub(super) fn picture(version: u8, body: &[u8]) -> Option<(bool, &[u8])> {
    let (encoding, rest) = body.split_first()?;
    let (format, rest) = if version == 2 {
        rest.split_at_checked(3)?
    } else {
        until_zero(0, rest)
    };
    let (kind, rest) = rest.split_first()?;
    let (_description, bytes) = until_zero(*encoding, rest);
    // The format `-->` means a URL instead of a picture. It is never fetched.
    (format != b"-->" && !bytes.is_empty()).then_some((*kind == 3, bytes))
}

/// Converts synchronised lyrics with millisecond times to LRC.
pub(super) fn timed(body: &[u8]) -> Option<String> {
    let (&[encoding, _, _, _, unit, content], rest) = body.split_first_chunk::<6>()?;
    // Content types 1 and 2 are lyrics and transcriptions. Time unit 2 is milliseconds, unit 1 is
    // frames.
    if unit != 2 || content > 2 {
        return None;
    }
    let (_description, mut rest) = until_zero(encoding, rest);
    let mut out = String::new();
    for _ in 0..MAX_LINES {
        let (words, after) = until_zero(encoding, rest);
        let Some(time) = after.be32(0) else {
            break;
        };
        let words = decode(encoding, words, encoding == 2);
        let words = crate::text::line(&words).unwrap_or_default();
        let (minutes, rest_of) = (time / 60_000, time % 60_000);
        let (seconds, hundredths) = (rest_of / 1000, rest_of % 1000 / 10);
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "[{minutes:02}:{seconds:02}.{hundredths:02}]{words}");
        rest = after.get(4..).unwrap_or_default();
    }
    (!out.is_empty()).then_some(out)
}
