//! Texts inside ID3v2 frames, in four encodings, and pictures, which have texts before them.

use std::fmt::Write;

use crate::source::Bytes;
use crate::text::{latin1, utf8, utf16};

/// Most lines of timed words.
const MOST_LINES: usize = 10_000;

/// Most values of one frame.
const MOST_VALUES: usize = 200;

/// The values of a frame of texts.
pub(super) fn values(body: &[u8]) -> Vec<String> {
    let Some((encoding, rest)) = body.split_first() else {
        return Vec::new();
    };
    split(*encoding, rest)
}

fn split(encoding: u8, mut rest: &[u8]) -> Vec<String> {
    let mut values = Vec::new();
    // A mark of the byte order may stand before the first value alone.
    let mark = rest
        .get(..2)
        .filter(|mark| matches!(mark, [0xff, 0xfe] | [0xfe, 0xff]));
    let is_big = encoding == 2 || mark == Some(&[0xfe, 0xff]);
    while !rest.is_empty() && values.len() < MOST_VALUES {
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

/// What stands before the next end mark, and what stands after it.
fn until_zero(encoding: u8, bytes: &[u8]) -> (&[u8], &[u8]) {
    let width = if matches!(encoding, 1 | 2) { 2 } else { 1 };
    let place = bytes
        .chunks_exact(width)
        .position(|unit| unit.iter().all(|byte| *byte == 0));
    match place {
        Some(place) => {
            let (text, rest) = bytes.split_at(place * width);
            (text, rest.get(width..).unwrap_or_default())
        }
        None => (bytes, &[]),
    }
}

/// A frame whose text has a description: the description and the values.
pub(super) fn described(body: &[u8]) -> Option<(String, Vec<String>)> {
    let (encoding, rest) = body.split_first()?;
    let (name, rest) = until_zero(*encoding, rest);
    Some((
        decode(*encoding, name, *encoding == 2),
        split(*encoding, rest),
    ))
}

/// A frame whose text has a language and a description: the description and the text.
pub(super) fn in_language(body: &[u8]) -> Option<(String, String)> {
    let (encoding, rest) = body.split_first()?;
    let (name, rest) = until_zero(*encoding, rest.get(3..)?);
    let text = split(*encoding, rest).join("\n");
    Some((decode(*encoding, name, *encoding == 2), text))
}

/// A picture: whether it is the front cover, and its bytes.
pub(super) fn picture(version: u8, body: &[u8]) -> Option<(bool, &[u8])> {
    let (encoding, rest) = body.split_first()?;
    let (format, rest) = if version == 2 {
        rest.split_at_checked(3)?
    } else {
        until_zero(0, rest)
    };
    let (kind, rest) = rest.split_first()?;
    let (_description, bytes) = until_zero(*encoding, rest);
    // `-->` says that there is an address instead: nothing is fetched.
    (format != b"-->" && !bytes.is_empty()).then_some((*kind == 3, bytes))
}

/// Timed words as LRC, where their times are milliseconds.
pub(super) fn timed(body: &[u8]) -> Option<String> {
    let (&[encoding, _, _, _, unit, content], rest) = body.split_first_chunk::<6>()?;
    // Only words and their transcription are read; unit 2 is milliseconds, 1 counts frames.
    if unit != 2 || content > 2 {
        return None;
    }
    let (_description, mut rest) = until_zero(encoding, rest);
    let mut out = String::new();
    for _ in 0..MOST_LINES {
        let (words, after) = until_zero(encoding, rest);
        let Some(time) = after.be32(0) else {
            break;
        };
        let words = decode(encoding, words, encoding == 2);
        let words = crate::text::line(&words).unwrap_or_default();
        let (minutes, rest_of) = (time / 60_000, time % 60_000);
        let (seconds, hundredths) = (rest_of / 1000, rest_of % 1000 / 10);
        // A string takes whatever is written to it.
        let _ = writeln!(out, "[{minutes:02}:{seconds:02}.{hundredths:02}]{words}");
        rest = after.get(4..).unwrap_or_default();
    }
    (!out.is_empty()).then_some(out)
}
