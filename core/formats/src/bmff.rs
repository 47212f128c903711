//! Boxes of MP4, QuickTime and 3GP files (ISO/IEC 14496-12): length, four-character type and
//! content.

pub mod fragments;

use std::io::{Read, Seek};

use crate::bytes::BytesAt;
use crate::{ReadResult, Source, limit};

/// Maximum number of sibling boxes. A fragmented film of many hours has some ten thousand.
const MAX_COUNT: usize = 100_000;

/// Box with its type and its offsets in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atom {
    /// Four-character type.
    pub kind: [u8; 4],
    /// Offset of the box.
    pub from: u64,
    /// Offset of the content.
    pub start: u64,
    /// End offset.
    pub end: u64,
}

impl Atom {
    /// Returns the length of the content in bytes.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Reads the content after `skip` bytes, at most `most` bytes.
    pub fn content<R: Read + Seek>(
        self,
        source: &mut Source<R>,
        skip: u64,
        most: usize,
    ) -> ReadResult<&[u8]> {
        let length = usize::try_from(self.length().saturating_sub(skip)).unwrap_or(usize::MAX);
        source.read_at(self.start.saturating_add(skip), length.min(most))
    }

    /// Returns the same box with content that begins `skip` bytes later.
    #[must_use]
    pub fn after(self, skip: u64) -> Self {
        Self {
            start: self.start.saturating_add(skip).min(self.end),
            ..self
        }
    }
}

/// Cursor over sibling boxes. It does not descend into them.
#[derive(Debug)]
pub struct Atoms {
    at: u64,
    end: u64,
    seen: usize,
}

impl Atoms {
    /// Creates a cursor over the range from `at` to `end`.
    pub fn new(at: u64, end: u64) -> Self {
        Self { at, end, seen: 0 }
    }

    /// Creates a cursor over the children of a box.
    pub fn inside(atom: Atom) -> Self {
        Self::new(atom.start, atom.end)
    }

    /// Returns the next box. A box that exceeds the range is truncated.
    pub fn next<R: Read + Seek>(&mut self, source: &mut Source<R>) -> ReadResult<Option<Atom>> {
        if self.end.saturating_sub(self.at) < 8 {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MAX_COUNT {
            return Err(limit("the file has too many boxes"));
        }
        let atom = header(source.read_at(self.at, 16)?, self.at, self.end);
        self.at = atom.map_or(self.end, |atom| atom.end);
        Ok(atom)
    }

    /// Returns the first box of this type.
    pub fn find<R: Read + Seek>(
        mut self,
        source: &mut Source<R>,
        kind: [u8; 4],
    ) -> ReadResult<Option<Atom>> {
        while let Some(atom) = self.next(source)? {
            if atom.kind == kind {
                return Ok(Some(atom));
            }
        }
        Ok(None)
    }
}

/// Parses the header of the box at a position. Clips the box to a range that ends at `end`.
fn header(bytes: &[u8], at: u64, end: u64) -> Option<Atom> {
    let kind = bytes.array_at(4)?;
    let (head, length) = match bytes.be32(0)? {
        0 => (8, end.saturating_sub(at)),
        1 => (16, bytes.be64(8)?),
        short => (8, short.into()),
    };
    (length >= head).then(|| Atom {
        kind,
        from: at,
        start: at.saturating_add(head).min(end),
        end: at.saturating_add(length).min(end),
    })
}

/// Iterates over boxes in memory. Yields type and content.
pub fn in_memory(mut bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let end = u64::try_from(bytes.len()).ok()?;
        let atom = header(bytes.get(..bytes.len().min(16))?, 0, end)?;
        let (start, end) = (
            usize::try_from(atom.start).ok()?,
            usize::try_from(atom.end).ok()?,
        );
        let content = bytes.get(start..end)?;
        bytes = bytes.get(end..)?;
        Some((atom.kind, content))
    })
    .take(MAX_COUNT)
}
