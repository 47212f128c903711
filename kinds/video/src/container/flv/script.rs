//! `onMetaData` script tags in Action Message Format 0.

use ledge_formats::bytes::ByteReader;

/// Maximum number of properties.
const MAX_COUNT: usize = 200;
/// Maximum nesting depth of skipped values.
const MAX_DEPTH: u32 = 16;

/// Properties of the file from `onMetaData`.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Metadata {
    /// `true` if the tag contains `onMetaData`.
    pub(super) is_present: bool,
    pub(super) duration: Option<f64>,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

/// Parses a script tag.
pub(super) fn read(bytes: &[u8]) -> Metadata {
    let mut metadata = Metadata::default();
    let _ = properties(ByteReader(bytes), &mut metadata);
    metadata
}

fn properties(mut bytes: ByteReader<'_>, metadata: &mut Metadata) -> Option<()> {
    if bytes.u8()? != 2 || name(&mut bytes)? != b"onMetaData" {
        return None;
    }
    match bytes.u8()? {
        3 => {}
        8 => bytes.skip(4)?,
        _ => return None,
    }
    metadata.is_present = true;
    for _ in 0..MAX_COUNT {
        let key = name(&mut bytes)?;
        let kind = bytes.u8()?;
        if kind == 0 {
            let number = bytes.f64()?;
            let is_one = number.is_finite() && number > 0.0;
            match key {
                b"duration" if is_one => metadata.duration = Some(number),
                b"width" if is_one => metadata.width = dimension(number),
                b"height" if is_one => metadata.height = dimension(number),
                _ => {}
            }
        } else if kind == 9 {
            return Some(());
        } else {
            skip_value(&mut bytes, kind, 0)?;
        }
    }
    Some(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what is too large is no size"
)]
fn dimension(number: f64) -> Option<u32> {
    Some(number as u32).filter(|dimension| *dimension > 0)
}

fn name<'a>(bytes: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let length = bytes.u16()?;
    bytes.take(length.into())
}

/// Skips a value.
fn skip_value(bytes: &mut ByteReader<'_>, kind: u8, depth: u32) -> Option<()> {
    if depth > MAX_DEPTH {
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
                    kind => skip_value(bytes, kind, depth + 1)?,
                }
            }
        }
        5 | 6 => Some(()),
        10 => {
            for _ in 0..bytes.u32()? {
                let kind = bytes.u8()?;
                skip_value(bytes, kind, depth + 1)?;
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
