//! Cursor over EBML elements, with their numbers and texts.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, limit};

use crate::read::Recording;
use crate::read::mp4::boxes::Bounds;
use crate::tags::TagSelection;
use crate::text;

/// Maximum number of elements per file.
const MAX_ELEMENTS: usize = 50_000;
/// Maximum length of a text, in bytes.
const MAX_TEXT_SIZE: usize = 64 << 10;

/// State of the walk over a file.
pub(super) struct Walk<'a, R> {
    pub(super) source: &'a mut Source<R>,
    pub(super) selection: TagSelection,
    pub(super) seen: usize,
    /// Nanoseconds per unit of `length`.
    pub(super) scale: u64,
    pub(super) length: Option<f64>,
    pub(super) recording: Recording,
    /// Elements after the clusters, from the seek head: id and offset in the segment.
    pub(super) later_elements: Vec<(u32, u64)>,
}

impl<R: Read + Seek> Walk<'_, R> {
    /// Reads the header of the element at `at`. Returns its id and the bounds of its content.
    pub(super) fn element(&mut self, at: u64, end: u64) -> ReadResult<Option<(u32, Bounds)>> {
        self.seen += 1;
        if self.seen > MAX_ELEMENTS {
            return Err(limit("the file has too many elements"));
        }
        let head = self.source.read_at(at, 12)?;
        let Some((id, id_len)) = number(head, false) else {
            return Ok(None);
        };
        let Some((size, size_len)) = head.get(id_len..).and_then(|rest| number(rest, true)) else {
            return Ok(None);
        };
        let from = at + u64::try_from(id_len + size_len).unwrap_or(0);
        if from > end {
            return Ok(None);
        }
        // All bits set: the size is unknown, so the element ends with its parent.
        let is_open = size == (1 << (7 * size_len)) - 1;
        let to = if is_open {
            end
        } else {
            from.saturating_add(size).min(end)
        };
        Ok(u32::try_from(id).ok().map(|id| (id, Bounds { from, to })))
    }

    /// Calls `see` for every element within the bounds, until it returns `false`.
    pub(super) fn each(
        &mut self,
        bounds: Bounds,
        mut see: impl FnMut(&mut Self, u32, Bounds) -> ReadResult<bool>,
    ) -> ReadResult<()> {
        let mut at = bounds.from;
        while at < bounds.to {
            let Some((id, inside)) = self.element(at, bounds.to)? else {
                return Ok(());
            };
            if !see(self, id, inside)? {
                return Ok(());
            }
            at = inside.to;
        }
        Ok(())
    }

    pub(super) fn unsigned(&mut self, inside: Bounds) -> ReadResult<u64> {
        let bytes = inside.bytes(self.source, 8)?;
        Ok(bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    pub(super) fn float(&mut self, inside: Bounds) -> ReadResult<Option<f64>> {
        let bytes = inside.bytes(self.source, 8)?;
        Ok(match bytes.len() {
            4 => bytes.be32(0).map(|bits| f64::from(f32::from_bits(bits))),
            8 => bytes.be64(0).map(f64::from_bits),
            _ => None,
        })
    }

    pub(super) fn text(&mut self, inside: Bounds) -> ReadResult<String> {
        Ok(text::utf8(inside.bytes(self.source, MAX_TEXT_SIZE)?))
    }
}

/// Parses an EBML variable-length integer and returns it with its length in bytes. The length
/// marker is part of an element id, but not of a size.
fn number(bytes: &[u8], is_size: bool) -> Option<(u64, usize)> {
    let first = bytes.u8_at(0)?;
    let len = usize::try_from(first.leading_zeros()).ok()? + 1;
    if len > 8 || (!is_size && len > 4) {
        return None;
    }
    let number = bytes
        .get(..len)?
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let mark = 1_u64 << (7 * len);
    Some((if is_size { number & (mark - 1) } else { number }, len))
}
