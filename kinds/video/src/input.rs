//! A file read piece by piece, within bounds: where a piece lies and how long it is, hostile
//! files decide.

use std::io::{Read, Seek, SeekFrom};

use ledge_core::registry::reading::ReadError;

/// What readers of files answer.
pub type ReadResult<T> = Result<T, ReadError>;

/// Bytes read at once, so that a walk over small pieces asks the system seldom.
const CHUNK: usize = 8 << 10;
/// The same where these lie far from each other.
const SMALL_CHUNK: usize = 512;

/// A file, and how much of it may be read.
#[derive(Debug)]
pub struct Input<R> {
    reader: R,
    len: u64,
    /// What was read last, and where it begins.
    buffer: Vec<u8>,
    start: u64,
    /// Bytes that may still be read.
    left: u64,
    /// Bytes read at once.
    chunk: usize,
}

impl<R: Read + Seek> Input<R> {
    /// A file of which no more than `most` bytes are read in all.
    pub fn new(mut reader: R, most: u64) -> ReadResult<Self> {
        let len = reader.seek(SeekFrom::End(0))?;
        Ok(Self {
            reader,
            len,
            buffer: Vec::new(),
            start: 0,
            left: most,
            chunk: CHUNK,
        })
    }

    /// A file in which small pieces are wanted that lie far from each other.
    pub fn sparse(reader: R, most: u64) -> ReadResult<Self> {
        let mut input = Self::new(reader, most)?;
        input.chunk = SMALL_CHUNK;
        Ok(input)
    }

    /// The file's length in bytes.
    pub fn size(&self) -> u64 {
        self.len
    }

    /// The bytes from `position` on; fewer than `length` at the end of the file only.
    pub fn at(&mut self, position: u64, length: usize) -> ReadResult<&[u8]> {
        let there = usize::try_from(self.len.saturating_sub(position)).unwrap_or(usize::MAX);
        let length = length.min(there);
        let held = position
            .checked_sub(self.start)
            .and_then(|from| usize::try_from(from).ok())
            .filter(|from| from.saturating_add(length) <= self.buffer.len());
        let from = if let Some(from) = held {
            from
        } else {
            self.fill(position, length.max(self.chunk.min(there)))?;
            0
        };
        let end = from.saturating_add(length).min(self.buffer.len());
        Ok(self.buffer.get(from..end).unwrap_or_default())
    }

    /// [`Self::at`] for small pieces that lie far from each other.
    pub fn sparsely_at(&mut self, position: u64, length: usize) -> ReadResult<&[u8]> {
        let chunk = std::mem::replace(&mut self.chunk, SMALL_CHUNK);
        // Nothing but the buffer outlives the call, whatever comes of it.
        let end = self.at(position, length).map(<[u8]>::len);
        self.chunk = chunk;
        self.at(position, end?)
    }

    /// All of a piece, if the file holds it and it is no longer than `most`.
    pub fn whole(&mut self, position: u64, length: u64, most: usize) -> ReadResult<Option<&[u8]>> {
        let Some(length) = usize::try_from(length).ok().filter(|len| *len <= most) else {
            return Ok(None);
        };
        let bytes = self.at(position, length)?;
        Ok((bytes.len() == length).then_some(bytes))
    }

    fn fill(&mut self, position: u64, length: usize) -> ReadResult<()> {
        let asked = length as u64;
        self.left = self.left.checked_sub(asked.max(512)).ok_or_else(|| {
            ReadError::Limit("its parts are strewn over too much of it".to_owned())
        })?;
        self.buffer.clear();
        self.start = position;
        self.reader.seek(SeekFrom::Start(position))?;
        self.reader
            .by_ref()
            .take(asked)
            .read_to_end(&mut self.buffer)?;
        Ok(())
    }
}

/// A file that is not what it says.
pub fn damaged(what: impl Into<String>) -> ReadError {
    ReadError::Damaged(what.into())
}

/// A piece of a file in memory, read from front to back.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next bytes, if there are as many.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    /// Passes over bytes.
    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// A byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Two bytes, the higher first.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Three bytes, the highest first.
    pub fn u24(&mut self) -> Option<u32> {
        let [a, b, c] = self.array()?;
        Some(u32::from_be_bytes([0, a, b, c]))
    }

    /// Four bytes, the highest first.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Eight bytes, the highest first.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Eight bytes of a number with a point, the highest first.
    pub fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// Four characters.
    pub fn tag(&mut self) -> Option<[u8; 4]> {
        self.array()
    }

    /// Two bytes, the lower first.
    pub fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes, the lowest first.
    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes, the lowest first.
    pub fn u64_le(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn pieces_end_with_the_file() {
        let mut input = Input::new(Cursor::new(b"0123456789".to_vec()), 1 << 20).expect("memory");
        assert_eq!(input.size(), 10);
        assert_eq!(input.at(2, 3).expect("bytes"), b"234");
        assert_eq!(input.at(8, 5).expect("bytes"), b"89");
        assert_eq!(input.at(u64::MAX, 5).expect("bytes"), b"");
        assert_eq!(input.whole(2, 3, 10).expect("bytes"), Some(&b"234"[..]));
        assert_eq!(input.whole(8, 3, 10).expect("bytes"), None);
        assert_eq!(input.whole(0, 9, 8).expect("bytes"), None);
    }

    #[test]
    fn no_more_is_read_than_allowed() {
        let file = vec![0; 1 << 20];
        let mut input = Input::new(Cursor::new(file), 64 << 10).expect("memory");
        let far = (0..100).find_map(|step| input.at(step * 10_000, 4).err());
        assert!(matches!(far, Some(ReadError::Limit(_))));
    }
}
