//! A file seen through small windows: headers are read where they lie, and little else.

use std::io::{Read, Seek, SeekFrom};

use ledge_core::registry::reading::ReadError;

/// What reading comes to.
pub(crate) type ReadResult<T> = Result<T, ReadError>;

/// The content is not what it should be.
pub(crate) fn damaged(message: impl Into<String>) -> ReadError {
    ReadError::Damaged(message.into())
}

/// There is more of it than will be read.
pub(crate) fn limit(message: impl Into<String>) -> ReadError {
    ReadError::Limit(message.into())
}

/// Most bytes that are read of one file.
const MOST: usize = 1 << 20;

/// A file, and how much of it may still be read.
#[derive(Debug)]
pub struct Windows<R> {
    reader: R,
    length: u64,
    left: usize,
}

impl<R: Read + Seek> Windows<R> {
    /// The windows of a file.
    pub fn of(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        Ok(Self {
            reader,
            length,
            left: MOST,
        })
    }

    /// The windows of a file of which only the beginning is at hand.
    pub const fn beginning(reader: R, length: u64) -> Self {
        Self {
            reader,
            length,
            left: MOST,
        }
    }

    /// Length of the file in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from a place on; fewer where the file ends before.
    pub fn read(&mut self, at: u64, bytes: usize) -> ReadResult<Vec<u8>> {
        let within = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let bytes = bytes.min(within);
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or_else(|| limit("its headers are spread over too much of it"))?;
        let mut window = Vec::with_capacity(bytes);
        if bytes > 0 {
            self.reader.seek(SeekFrom::Start(at))?;
            (&mut self.reader)
                .take(bytes as u64)
                .read_to_end(&mut window)?;
        }
        Ok(window)
    }
}

/// Bytes of a window as an array; numbers are made of it.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// A number of two bytes, lowest first.
pub(crate) fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

/// A number of four bytes, lowest first.
pub(crate) fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_window_ends_with_the_file() {
        let mut file = Windows::of(Cursor::new(b"0123456789")).expect("a file");
        assert_eq!(file.length(), 10);
        assert_eq!(file.read(8, 4).expect("bytes"), b"89");
        assert_eq!(file.read(10, 4).expect("bytes"), b"");
        assert_eq!(file.read(u64::MAX, 4).expect("bytes"), b"");
        assert_eq!(file.read(1, 2).expect("bytes"), b"12");
    }

    #[test]
    fn no_file_is_read_as_a_whole() {
        let long = vec![0; 3 * MOST];
        let mut file = Windows::of(Cursor::new(&long)).expect("a file");
        assert!(file.read(0, MOST - 1).is_ok());
        assert!(matches!(file.read(0, 2), Err(ReadError::Limit(_))));
    }
}
