//! RIFF chunks of AVI and WAV files (Microsoft, Multimedia Programming Interface and Data
//! Specifications 1.0).

use std::io::{Read, Seek};

use crate::bytes::BytesAt;
use crate::{ReadResult, Source};

/// Maximum number of chunks that are read per list.
const MAX_COUNT: usize = 10_000;

/// Chunk with its name, its list type and the offsets of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Four-character name.
    pub name: [u8; 4],
    /// Four-character type of a list, or zeros for a chunk that is not a list.
    pub list: [u8; 4],
    /// Offset of the content.
    pub start: u64,
    /// End offset.
    pub end: u64,
}

impl Chunk {
    /// Reads the content, at most `most` bytes.
    pub fn content<R: Read + Seek>(self, source: &mut Source<R>, most: usize) -> ReadResult<&[u8]> {
        let length = usize::try_from(self.end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        source.read_at(self.start, length.min(most))
    }
}

/// Cursor over sibling chunks.
#[derive(Debug)]
pub struct Chunks {
    at: u64,
    end: u64,
    left: usize,
}

impl Chunks {
    /// Creates a cursor over the range from `at` to `end`.
    pub fn new(at: u64, end: u64) -> Self {
        Self {
            at,
            end,
            left: MAX_COUNT,
        }
    }

    /// Creates a cursor over the chunks of a list.
    pub fn inside(list: Chunk) -> Self {
        Self::new(list.start, list.end)
    }

    /// Returns the next chunk. A chunk that exceeds the range is truncated. Too many chunks end the
    /// list.
    pub fn next<R: Read + Seek>(&mut self, source: &mut Source<R>) -> ReadResult<Option<Chunk>> {
        if self.end.saturating_sub(self.at) < 8 || self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let found = header(source.read_at(self.at, 12)?, self.at, self.end);
        // Chunks are aligned to even offsets.
        self.at = found.map_or(self.end, |chunk| chunk.end.saturating_add(chunk.end & 1));
        Ok(found)
    }
}

fn header(bytes: &[u8], at: u64, end: u64) -> Option<Chunk> {
    let name = bytes.array_at(0)?;
    let length = u64::from(bytes.le32(4)?);
    let (list, head) = match &name {
        b"LIST" | b"RIFF" => (bytes.array_at(8)?, 12),
        _ => ([0; 4], 8),
    };
    Some(Chunk {
        name,
        list,
        start: at.saturating_add(head).min(end),
        end: at.saturating_add(8).saturating_add(length).min(end),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::ReadLimits;

    #[test]
    fn chunks_are_aligned_and_clipped() {
        let file = b"LIST\x08\0\0\0INFOabcdodd \x01\0\0\0x\0long\xff\xff\0\0yz";
        let limits = ReadLimits::with_bytes(1 << 20);
        let mut source = Source::new(Cursor::new(file), limits).expect("memory");
        let mut chunks = Chunks::new(0, source.size());
        let mut found = Vec::new();
        while let Some(chunk) = chunks.next(&mut source).expect("memory") {
            let content = chunk.content(&mut source, 100).expect("memory").to_vec();
            found.push((chunk.name, chunk.list, content));
        }
        let expected = [
            (*b"LIST", *b"INFO", b"abcd".to_vec()),
            (*b"odd ", [0; 4], b"x".to_vec()),
            (*b"long", [0; 4], b"yz".to_vec()),
        ];
        assert_eq!(found, expected);
    }
}
