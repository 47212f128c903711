//! Random access to an untrusted file within limits of bytes, reads and time.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Instant;

use crate::error::{ReadResult, damaged, limit};

/// Minimum bytes per read for elements that are far apart.
const SPARSE_CHUNK: usize = 512;
/// Maximum bytes that one call of [`Read::read`] returns.
const MAX_STREAM_CHUNK: usize = 64 << 10;
/// Number of reads between two checks of the deadline, because the clock costs time, too.
const READS_PER_CLOCK_CHECK: u32 = 16;

/// Limits of reading one file.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Maximum bytes that are requested from the file in total.
    pub bytes: u64,
    /// Maximum number of reads.
    pub reads: u32,
    /// Time after which reads fail.
    pub deadline: Option<Instant>,
    /// Minimum bytes per read, so that adjacent small reads share one system call.
    pub chunk: usize,
}

impl ReadLimits {
    /// Creates limits for a number of bytes in chunks of 8 KiB, without a deadline.
    pub const fn with_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            reads: u32::MAX,
            deadline: None,
            chunk: 8 << 10,
        }
    }
}

/// File with a buffer and its limits.
///
/// Readers of this project use [`Source::read_at`]. Readers of other crates use the implementation
/// of [`Read`] and [`Seek`], which has the same limits.
#[derive(Debug)]
pub struct Source<R> {
    reader: R,
    size: u64,
    /// Bytes of the last read, which begin at `start`.
    buffer: Vec<u8>,
    start: u64,
    /// What remains of the limits.
    limits: ReadLimits,
    /// Position of [`Read`] and [`Seek`].
    position: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Wraps a reader.
    pub fn new(mut reader: R, limits: ReadLimits) -> ReadResult<Self> {
        let size = reader.seek(SeekFrom::End(0))?;
        Ok(Self::with_size(reader, size, limits))
    }

    /// Wraps a reader that contains only the beginning of a file of `size` bytes.
    pub const fn with_size(reader: R, size: u64, limits: ReadLimits) -> Self {
        Self {
            reader,
            size,
            buffer: Vec::new(),
            start: 0,
            limits,
            position: 0,
        }
    }

    /// Returns the size of the file in bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the limits that remain.
    pub const fn limits(&self) -> ReadLimits {
        self.limits
    }

    /// Reads up to `most` bytes at a position. The result is shorter only at the end of the file.
    pub fn read_at(&mut self, position: u64, most: usize) -> ReadResult<&[u8]> {
        self.read_chunk_at(position, most, self.limits.chunk)
    }

    /// Reads like [`Self::read_at`], for a small element far from the others.
    pub fn read_sparse_at(&mut self, position: u64, most: usize) -> ReadResult<&[u8]> {
        self.read_chunk_at(position, most, SPARSE_CHUNK)
    }

    /// Reads like [`Self::read_at`] into a vector.
    pub fn read_vec_at(&mut self, position: u64, most: usize) -> ReadResult<Vec<u8>> {
        self.read_at(position, most).map(<[u8]>::to_vec)
    }

    /// Reads exactly `length` bytes at a position.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`](crate::ReadError::Damaged) if the file ends earlier.
    pub fn read_exact_at(&mut self, position: u64, length: usize) -> ReadResult<&[u8]> {
        let found = self.read_at(position, length)?;
        if found.len() < length {
            return Err(damaged("ends unexpectedly"));
        }
        Ok(found)
    }

    /// Reads exactly `N` bytes at a position as an array.
    pub fn read_array<const N: usize>(&mut self, position: u64) -> ReadResult<[u8; N]> {
        let bytes = self.read_exact_at(position, N)?;
        bytes.try_into().map_err(|_| damaged("ends unexpectedly"))
    }

    /// Reads an element as a whole. Returns `None` if it exceeds the file or `most`.
    pub fn read_whole(
        &mut self,
        position: u64,
        length: u64,
        most: usize,
    ) -> ReadResult<Option<&[u8]>> {
        let Some(length) = usize::try_from(length).ok().filter(|len| *len <= most) else {
            return Ok(None);
        };
        let bytes = self.read_at(position, length)?;
        Ok((bytes.len() == length).then_some(bytes))
    }

    fn read_chunk_at(&mut self, position: u64, most: usize, chunk: usize) -> ReadResult<&[u8]> {
        let available = self.size.saturating_sub(position);
        let available = usize::try_from(available).unwrap_or(usize::MAX);
        let length = most.min(available);
        let from = match self.buffered(position) {
            Some((from, buffered)) if buffered >= length => from,
            _ => {
                self.fill(position, length.max(chunk.min(available)))?;
                0
            }
        };
        let end = from.saturating_add(length).min(self.buffer.len());
        Ok(self.buffer.get(from..end).unwrap_or_default())
    }

    /// Returns the offset of a position in the buffer, and the number of bytes from there.
    fn buffered(&self, position: u64) -> Option<(usize, usize)> {
        let from = usize::try_from(position.checked_sub(self.start)?).ok()?;
        Some((from, self.buffer.len().checked_sub(from)?))
    }

    fn fill(&mut self, position: u64, length: usize) -> ReadResult<()> {
        let asked = length as u64;
        let left = self.limits.bytes.checked_sub(asked);
        let reads = self.limits.reads.checked_sub(1);
        let Some((left, reads)) = left.zip(reads) else {
            return Err(limit("the metadata are spread over too much of the file"));
        };
        (self.limits.bytes, self.limits.reads) = (left, reads);
        let is_late = |deadline| Instant::now() > deadline;
        if reads.is_multiple_of(READS_PER_CLOCK_CHECK) && self.limits.deadline.is_some_and(is_late)
        {
            return Err(limit("the file takes too long to read"));
        }
        self.buffer.clear();
        self.start = position;
        self.reader.seek(SeekFrom::Start(position))?;
        (&mut self.reader)
            .take(asked)
            .read_to_end(&mut self.buffer)?;
        Ok(())
    }
}

impl<R: Read + Seek> Read for Source<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let position = self.position;
        let wanted = target.len().min(MAX_STREAM_CHUNK);
        let wanted = match self.buffered(position) {
            Some((_, buffered)) if buffered > 0 => wanted.min(buffered),
            _ => wanted,
        };
        let found = self.read_at(position, wanted)?;
        let length = found.len();
        if let Some(target) = target.get_mut(..length) {
            target.copy_from_slice(found);
        }
        self.position += length as u64;
        Ok(length)
    }
}

impl<R: Read + Seek> Seek for Source<R> {
    fn seek(&mut self, target: SeekFrom) -> io::Result<u64> {
        let position = match target {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::ReadError;

    fn source(bytes: &[u8], limits: ReadLimits) -> Source<Cursor<&[u8]>> {
        Source::new(Cursor::new(bytes), limits).expect("memory")
    }

    #[test]
    fn reads_end_with_the_file() {
        let mut source = source(b"0123456789", ReadLimits::with_bytes(1 << 20));
        assert_eq!(source.size(), 10);
        assert_eq!(source.read_at(2, 3).expect("bytes"), b"234");
        assert_eq!(source.read_at(8, 5).expect("bytes"), b"89");
        assert_eq!(source.read_at(u64::MAX, 5).expect("bytes"), b"");
        assert_eq!(source.read_array::<2>(3).expect("bytes"), *b"34");
        assert!(source.read_exact_at(8, 3).is_err());
        assert_eq!(
            source.read_whole(2, 3, 10).expect("bytes"),
            Some(&b"234"[..])
        );
        assert_eq!(source.read_whole(8, 3, 10).expect("bytes"), None);
        assert_eq!(source.read_whole(0, 9, 8).expect("bytes"), None);
    }

    #[test]
    fn bytes_are_read_at_any_position() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        let mut source = source(&bytes, ReadLimits::with_bytes(1 << 20));
        for (at, len) in [(0, 10), (5, 3), (19_990, 10), (8_180, 20), (0, 20_000)] {
            let from = usize::try_from(at).expect("small");
            let expected = &bytes[from..from + len];
            assert_eq!(source.read_exact_at(at, len).expect("there"), expected);
            assert_eq!(source.read_sparse_at(at, len).expect("there"), expected);
        }
    }

    #[test]
    fn reads_stop_at_the_limits() {
        let file = vec![0; 1 << 20];
        let error = |limits| {
            let mut source = source(&file, limits);
            (0..100).find_map(|step| source.read_at(step * 10_000, 4).err())
        };
        let limits = ReadLimits::with_bytes(64 << 10);
        assert!(matches!(error(limits), Some(ReadError::Limit(_))));
        let limits = ReadLimits {
            reads: 50,
            ..ReadLimits::with_bytes(1 << 30)
        };
        assert!(matches!(error(limits), Some(ReadError::Limit(_))));
        let limits = ReadLimits {
            deadline: Some(Instant::now()),
            ..ReadLimits::with_bytes(1 << 30)
        };
        assert!(matches!(error(limits), Some(ReadError::Limit(_))));
        assert!(error(ReadLimits::with_bytes(1 << 30)).is_none());
    }

    #[test]
    fn read_and_seek_have_the_same_limits() {
        let file: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        let mut all = Vec::new();
        source(&file, ReadLimits::with_bytes(1 << 20))
            .read_to_end(&mut all)
            .expect("bytes");
        assert_eq!(all, file);
        let mut limited = source(&file, ReadLimits::with_bytes(64 << 10));
        assert_eq!(limited.seek(SeekFrom::End(-1)).expect("a position"), 99_999);
        assert_eq!(limited.read(&mut [0; 4]).expect("bytes"), 1);
        assert!(limited.seek(SeekFrom::Current(-200_000)).is_err());
        limited.rewind().expect("a position");
        let error = limited.read_to_end(&mut all).expect_err("a limit");
        assert!(matches!(ReadError::from(error), ReadError::Limit(_)));
    }
}
