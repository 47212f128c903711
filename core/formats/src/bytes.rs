//! Numbers in byte slices. All functions return `None` beyond the end of the slice.

/// Access to numbers and arrays at an offset of a slice.
pub trait BytesAt {
    /// Returns `N` bytes as an array.
    fn array_at<const N: usize>(&self, at: usize) -> Option<[u8; N]>;

    /// Reads a byte.
    fn u8_at(&self, at: usize) -> Option<u8> {
        self.array_at(at).map(u8::from_be_bytes)
    }

    /// Reads a big-endian 16-bit number.
    fn be16(&self, at: usize) -> Option<u16> {
        self.array_at(at).map(u16::from_be_bytes)
    }

    /// Reads a big-endian 32-bit number.
    fn be32(&self, at: usize) -> Option<u32> {
        self.array_at(at).map(u32::from_be_bytes)
    }

    /// Reads a big-endian 64-bit number.
    fn be64(&self, at: usize) -> Option<u64> {
        self.array_at(at).map(u64::from_be_bytes)
    }

    /// Reads a little-endian 16-bit number.
    fn le16(&self, at: usize) -> Option<u16> {
        self.array_at(at).map(u16::from_le_bytes)
    }

    /// Reads a little-endian 32-bit number.
    fn le32(&self, at: usize) -> Option<u32> {
        self.array_at(at).map(u32::from_le_bytes)
    }

    /// Reads a little-endian 64-bit number.
    fn le64(&self, at: usize) -> Option<u64> {
        self.array_at(at).map(u64::from_le_bytes)
    }
}

impl BytesAt for [u8] {
    fn array_at<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.get(at..at.checked_add(N)?)?.try_into().ok()
    }
}

/// Cursor over a slice. Its methods consume the bytes that they return.
#[derive(Debug, Clone, Copy)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    /// Returns the next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    /// Skips `count` bytes.
    pub fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Reads a byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Reads a big-endian 16-bit number.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Reads a big-endian 24-bit number.
    pub fn u24(&mut self) -> Option<u32> {
        let [a, b, c] = self.array()?;
        Some(u32::from_be_bytes([0, a, b, c]))
    }

    /// Reads a big-endian 32-bit number.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads a big-endian 64-bit number.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Reads a big-endian 64-bit float.
    pub fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// Reads a four-character code.
    pub fn tag(&mut self) -> Option<[u8; 4]> {
        self.array()
    }

    /// Reads a little-endian 16-bit number.
    pub fn u16_le(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a little-endian 32-bit number.
    pub fn u32_le(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads a little-endian 64-bit number.
    pub fn u64_le(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_the_slice_are_none() {
        let bytes = [1, 2, 3, 4];
        assert_eq!(bytes.be32(0), Some(0x0102_0304));
        assert_eq!(bytes.le16(1), Some(0x0302));
        assert_eq!(bytes.be32(1), None);
        assert_eq!(bytes.be16(usize::MAX), None);
    }
}
