//! Boxes: a length, four characters, and what they hold.

use std::io::{Read, Seek};

use crate::input::{Bytes, Input, ReadResult};
use ledge_core::registry::reading::ReadError;

/// Most boxes beside each other. A fragmented film of many hours has some ten thousand.
const MOST: usize = 100_000;

/// A box: what it is called, and where its content lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atom {
    /// Its name.
    pub kind: [u8; 4],
    /// Where the box itself begins.
    pub from: u64,
    /// Where its content begins.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
}

impl Atom {
    /// How much it holds.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// What it holds, from its own `skip`-th byte on, and at most `most` of it.
    pub fn content<R: Read + Seek>(
        self,
        input: &mut Input<R>,
        skip: u64,
        most: usize,
    ) -> ReadResult<&[u8]> {
        let length = usize::try_from(self.length().saturating_sub(skip)).unwrap_or(usize::MAX);
        input.at(self.start.saturating_add(skip), length.min(most))
    }

    /// The same box, as if its content began later.
    #[must_use]
    pub fn after(self, skip: u64) -> Self {
        Self {
            start: self.start.saturating_add(skip).min(self.end),
            ..self
        }
    }
}

/// Boxes beside each other. What is inside of them is not looked at.
#[derive(Debug)]
pub(super) struct Atoms {
    at: u64,
    end: u64,
    seen: usize,
}

impl Atoms {
    /// The boxes of a stretch.
    pub(super) fn new(at: u64, end: u64) -> Self {
        Self { at, end, seen: 0 }
    }

    /// The boxes in a box.
    pub(super) fn inside(atom: Atom) -> Self {
        Self::new(atom.start, atom.end)
    }

    /// The next box. One that would be longer than what it lies in ends with that.
    pub(super) fn next<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
    ) -> ReadResult<Option<Atom>> {
        if self.end.saturating_sub(self.at) < 8 {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MOST {
            return Err(ReadError::Limit("it has too many boxes".to_owned()));
        }
        let atom = header(input.at(self.at, 16)?, self.at, self.end);
        self.at = atom.map_or(self.end, |atom| atom.end);
        Ok(atom)
    }

    /// The first box of a name.
    pub(super) fn find<R: Read + Seek>(
        mut self,
        input: &mut Input<R>,
        kind: [u8; 4],
    ) -> ReadResult<Option<Atom>> {
        while let Some(atom) = self.next(input)? {
            if atom.kind == kind {
                return Ok(Some(atom));
            }
        }
        Ok(None)
    }
}

fn header(bytes: &[u8], at: u64, end: u64) -> Option<Atom> {
    let mut bytes = Bytes(bytes);
    let short = bytes.u32()?;
    let kind = bytes.tag()?;
    let (head, length) = match short {
        0 => (8, end.saturating_sub(at)),
        1 => (16, bytes.u64()?),
        short => (8, short.into()),
    };
    (length >= head).then(|| Atom {
        kind,
        from: at,
        start: at.saturating_add(head).min(end),
        end: at.saturating_add(length).min(end),
    })
}

/// Boxes of a stretch in memory: name and content.
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
    .take(MOST)
}
