//! `onMetaData`: names and values in Action Message Format 0.

use crate::input::Bytes;

/// Most names.
const MOST: usize = 200;
/// Deepest nesting of values that are passed over.
const DEEPEST: u32 = 16;

/// What is said of the whole.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Said {
    /// Whether there was anything.
    pub(super) is_there: bool,
    pub(super) duration: Option<f64>,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

/// Reads a script tag.
pub(super) fn read(bytes: &[u8]) -> Said {
    let mut said = Said::default();
    let _ = properties(Bytes(bytes), &mut said);
    said
}

fn properties(mut bytes: Bytes<'_>, said: &mut Said) -> Option<()> {
    if bytes.u8()? != 2 || name(&mut bytes)? != b"onMetaData" {
        return None;
    }
    match bytes.u8()? {
        3 => {}
        8 => bytes.skip(4)?,
        _ => return None,
    }
    said.is_there = true;
    for _ in 0..MOST {
        let key = name(&mut bytes)?;
        let kind = bytes.u8()?;
        if kind == 0 {
            let number = bytes.f64()?;
            let is_one = number.is_finite() && number > 0.0;
            match key {
                b"duration" if is_one => said.duration = Some(number),
                b"width" if is_one => said.width = side(number),
                b"height" if is_one => said.height = side(number),
                _ => {}
            }
        } else if kind == 9 {
            return Some(());
        } else {
            pass(&mut bytes, kind, 0)?;
        }
    }
    Some(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what is too large is no size"
)]
fn side(number: f64) -> Option<u32> {
    Some(number as u32).filter(|side| *side > 0)
}

fn name<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let length = bytes.u16()?;
    bytes.take(length.into())
}

/// Passes over a value.
fn pass(bytes: &mut Bytes<'_>, kind: u8, depth: u32) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    match kind {
        0 => bytes.skip(8),
        1 => bytes.skip(1),
        2 => name(bytes).map(|_| ()),
        3 | 8 => {
            if kind == 8 {
                bytes.skip(4)?;
            }
            loop {
                name(bytes)?;
                match bytes.u8()? {
                    9 => return Some(()),
                    kind => pass(bytes, kind, depth + 1)?,
                }
            }
        }
        5 | 6 => Some(()),
        10 => {
            for _ in 0..bytes.u32()? {
                let kind = bytes.u8()?;
                pass(bytes, kind, depth + 1)?;
            }
            Some(())
        }
        11 => bytes.skip(10),
        12 => {
            let length = bytes.u32()?;
            bytes.skip(length as usize)
        }
        _ => None,
    }
}
