//! Bytes of a file by their place, within limits: how much is read, how often, and for how long.

use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use ledge_core::registry::reading::ReadError;

/// What reading comes to.
pub(crate) type ReadResult<T> = Result<T, ReadError>;

/// What is read at once, so that small reads beside each other are one.
const WINDOW: usize = 4 << 10;

/// Most bytes that are read of one file: a recording without a table of its length is counted
/// through, a picture may be large.
const MOST_BYTES: u64 = 192 << 20;

/// Most separate reads of one file.
const MOST_READS: u32 = 100_000;

/// The content is not what it should be.
pub(crate) fn damaged(message: impl Into<String>) -> ReadError {
    ReadError::Damaged(message.into())
}

/// There is more of it than will be read.
pub(crate) fn limit(message: impl Into<String>) -> ReadError {
    ReadError::Limit(message.into())
}

/// A file, read here and there.
#[derive(Debug)]
pub(crate) struct Source<R> {
    reader: R,
    len: u64,
    at: u64,
    window: Vec<u8>,
    bytes: u64,
    reads: u32,
    until: Instant,
}

impl<R: Read + Seek> Source<R> {
    /// The whole of a reader, for so long.
    pub(crate) fn new(mut reader: R, time_limit: Duration) -> ReadResult<Self> {
        let len = reader.seek(SeekFrom::End(0))?;
        Ok(Self {
            reader,
            len,
            at: 0,
            window: Vec::new(),
            bytes: 0,
            reads: 0,
            until: Instant::now() + time_limit,
        })
    }

    /// Other bytes, for which the same time is left.
    pub(crate) fn within<T: Read + Seek>(&self, mut reader: T) -> ReadResult<Source<T>> {
        let len = reader.seek(SeekFrom::End(0))?;
        Ok(Source {
            reader,
            len,
            at: 0,
            window: Vec::new(),
            bytes: 0,
            reads: 0,
            until: self.until,
        })
    }

    /// Length of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Up to `most` bytes from a place on: fewer only where the file ends.
    pub(crate) fn some(&mut self, at: u64, most: usize) -> ReadResult<&[u8]> {
        let left = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX);
        let wanted = most.min(left);
        if self.held(at, wanted).is_none() {
            self.fill(at, wanted.max(WINDOW))?;
        }
        let got = self.window.len().min(wanted);
        Ok(self
            .held(at, wanted)
            .or(self.window.get(..got))
            .unwrap_or_default())
    }

    /// So many bytes from a place on.
    pub(crate) fn all(&mut self, at: u64, len: usize) -> ReadResult<&[u8]> {
        let found = self.some(at, len)?;
        if found.len() < len {
            return Err(damaged("ends too early"));
        }
        Ok(found)
    }

    /// So many bytes from a place on, as an array.
    pub(crate) fn array<const N: usize>(&mut self, at: u64) -> ReadResult<[u8; N]> {
        let bytes = self.all(at, N)?;
        bytes.try_into().map_err(|_| damaged("ends too early"))
    }

    fn held(&self, at: u64, len: usize) -> Option<&[u8]> {
        let from = usize::try_from(at.checked_sub(self.at)?).ok()?;
        self.window.get(from..from.checked_add(len)?)
    }

    fn fill(&mut self, at: u64, len: usize) -> ReadResult<()> {
        self.reads += 1;
        if self.reads > MOST_READS || self.bytes > MOST_BYTES {
            return Err(limit("its parts are too many or too large"));
        }
        // A clock is asked now and then only.
        if self.reads.is_multiple_of(16) && Instant::now() > self.until {
            return Err(limit("it takes too long to read"));
        }
        self.window.clear();
        self.at = at;
        self.reader.seek(SeekFrom::Start(at))?;
        let len = u64::try_from(len).unwrap_or(u64::MAX);
        let read = (&mut self.reader).take(len).read_to_end(&mut self.window)?;
        self.bytes += u64::try_from(read).unwrap_or(u64::MAX);
        Ok(())
    }
}

/// Numbers and pieces of a slice, at a place in it; `None` beyond its end.
pub(crate) trait Bytes {
    /// So many bytes as an array.
    fn array_at<const N: usize>(&self, at: usize) -> Option<[u8; N]>;

    fn u8_at(&self, at: usize) -> Option<u8> {
        self.array_at(at).map(u8::from_be_bytes)
    }

    fn be16(&self, at: usize) -> Option<u16> {
        self.array_at(at).map(u16::from_be_bytes)
    }

    fn be32(&self, at: usize) -> Option<u32> {
        self.array_at(at).map(u32::from_be_bytes)
    }

    fn be64(&self, at: usize) -> Option<u64> {
        self.array_at(at).map(u64::from_be_bytes)
    }

    fn le16(&self, at: usize) -> Option<u16> {
        self.array_at(at).map(u16::from_le_bytes)
    }

    fn le32(&self, at: usize) -> Option<u32> {
        self.array_at(at).map(u32::from_le_bytes)
    }

    fn le64(&self, at: usize) -> Option<u64> {
        self.array_at(at).map(u64::from_le_bytes)
    }
}

impl Bytes for [u8] {
    fn array_at<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.get(at..at.checked_add(N)?)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn bytes_are_found_wherever_they_lie() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        let mut source = Source::new(Cursor::new(&bytes), Duration::from_secs(5)).expect("memory");
        for (at, len) in [(0, 10), (5, 3), (19_990, 10), (4_090, 20), (0, 20_000)] {
            let from = usize::try_from(at).expect("small");
            assert_eq!(
                source.all(at, len).expect("there"),
                &bytes[from..from + len]
            );
        }
        assert_eq!(source.some(19_995, 100).expect("there").len(), 5);
        assert_eq!(source.some(30_000, 100).expect("there").len(), 0);
        assert!(source.all(19_995, 6).is_err());
        assert_eq!(source.array::<2>(300).expect("there"), [44, 45]);
    }

    #[test]
    fn a_file_is_not_read_for_ever() {
        let bytes = vec![0; 64 << 10];
        let mut source = Source::new(Cursor::new(&bytes), Duration::ZERO).expect("memory");
        let mut places = (0..1000_u64).map(|n| (n % 2) * 60_000);
        assert!(places.any(|at| source.all(at, 4).is_err()));
    }

    #[test]
    fn numbers_end_with_their_slice() {
        let bytes = [1, 2, 3, 4];
        assert_eq!(bytes.be32(0), Some(0x0102_0304));
        assert_eq!(bytes.le16(1), Some(0x0302));
        assert_eq!(bytes.be32(1), None);
        assert_eq!(bytes.be16(usize::MAX), None);
    }
}
