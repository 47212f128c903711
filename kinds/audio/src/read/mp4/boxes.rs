//! Boxes of an MP4 file: length, name and content.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, limit};

/// Maximum number of boxes in one list.
const MAX_BOXES: usize = 20_000;

/// Byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Bounds {
    pub(crate) fn len(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// Returns the range without its first `skipped` bytes.
    pub(crate) fn after(self, skipped: u64) -> Self {
        Self {
            from: self.from.saturating_add(skipped).min(self.to),
            to: self.to,
        }
    }

    /// Reads the range, at most `most` bytes.
    pub(crate) fn bytes<R: Read + Seek>(
        self,
        source: &mut Source<R>,
        most: usize,
    ) -> ReadResult<&[u8]> {
        let len = usize::try_from(self.len()).unwrap_or(usize::MAX);
        source.read_at(self.from, len.min(most))
    }
}

/// Iterator over the boxes of a range.
#[derive(Debug)]
pub(crate) struct Boxes {
    rest: Bounds,
    seen: usize,
}

impl Boxes {
    pub(crate) fn in_bounds(bounds: Bounds) -> Self {
        Self {
            rest: bounds,
            seen: 0,
        }
    }

    /// Returns the name and the content range of the next box. Returns `None` at the end of the
    /// range.
    pub(crate) fn next<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
    ) -> ReadResult<Option<([u8; 4], Bounds)>> {
        let Bounds { from, to } = self.rest;
        if from.saturating_add(8) > to.min(source.size()) {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MAX_BOXES {
            return Err(limit("the file has too many boxes"));
        }
        let head = source.read_at(from, 16)?;
        let (Some(size), Some(name)) = (head.be32(0), head.array_at::<4>(4)) else {
            return Ok(None);
        };
        let (header, len) = match size {
            // Size 0: the box extends to the end of the file.
            0 => (8, to - from),
            1 => (16, head.be64(8).unwrap_or(0)),
            len => (8, len.into()),
        };
        if len < header {
            return Ok(None);
        }
        let end = from.saturating_add(len);
        self.rest.from = end;
        Ok(Some((
            name,
            Bounds {
                from: from + header,
                to: end.min(to),
            },
        )))
    }
}

/// Finds the first box of this name.
pub(crate) fn find<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    name: [u8; 4],
) -> ReadResult<Option<Bounds>> {
    let mut boxes = Boxes::in_bounds(bounds);
    while let Some((found, inside)) = boxes.next(source)? {
        if found == name {
            return Ok(Some(inside));
        }
    }
    Ok(None)
}

/// Finds the box at the end of a path of names.
pub(crate) fn find_path<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    path: &[&[u8; 4]],
) -> ReadResult<Option<Bounds>> {
    let mut bounds = bounds;
    for name in path {
        match find(source, bounds, **name)? {
            Some(inside) => bounds = inside,
            None => return Ok(None),
        }
    }
    Ok(Some(bounds))
}
