//! 7z archives, before anything unpacks them: what their directory claims to need must be little.

use std::io::{Read, Seek, SeekFrom};

use crate::{ReadResult, damaged, limit};

/// Limit of the directory, packed and unpacked, in bytes.
const LARGEST_DIRECTORY: u64 = 512 << 10;
/// Limit of all dictionaries of an archive together, in bytes.
const LARGEST_DICTIONARY: u64 = 64 << 20;
/// Length of the header, and the position of the directory's fields in it.
const START: usize = 32;

/// Rejects an archive whose directory is too large, packed or unpacked, or packed in an unusual
/// way. Afterwards, the reader is at the start of the archive.
pub fn check_directory<R: Read + Seek>(reader: &mut R) -> ReadResult<()> {
    let broken = || damaged("is a 7z archive that was cut short or damaged");
    let length = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(0))?;
    let mut start = [0; START];
    reader.read_exact(&mut start).map_err(|_| broken())?;
    let long = |at: usize| {
        let bytes = start.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let (Some(offset), Some(size)) = (long(12), long(20)) else {
        return Err(broken());
    };
    let at = offset.checked_add(START as u64).ok_or_else(broken)?;
    // Without the checksum the library would search the file for a directory.
    let has_sum = start.get(8..12).is_some_and(|sum| sum != [0; 4]);
    if !has_sum || at.checked_add(size).is_none_or(|end| end > length) {
        return Err(broken());
    }
    if size > LARGEST_DIRECTORY {
        return Err(limit("its 7z directory is too long"));
    }
    reader.seek(SeekFrom::Start(at))?;
    let mut directory = Vec::new();
    reader.take(size).read_to_end(&mut directory)?;
    reader.seek(SeekFrom::Start(0))?;
    match directory.split_first() {
        Some((0x17, packed)) => check_packed(packed).ok_or_else(|| {
            damaged("is a 7z archive whose directory is encrypted, too large or packed unusually")
        }),
        _ => Ok(()),
    }
}

/// The description of a packed directory, as every packer writes it (7zFormat.txt, "Streams
/// Info"): one stream, packed in one simple way.
fn check_packed(description: &[u8]) -> Option<()> {
    let mut rest = Numbers(description);
    rest.expect(0x06)?;
    rest.number()?;
    rest.expect(1)?;
    rest.expect(0x09)?;
    rest.number()?;
    if rest.peek()? == 0x0a {
        rest.expect(0x0a)?;
        rest.expect(1)?;
        rest.skip(4)?;
    }
    rest.expect(0)?;
    // One folder, described here, of one coder.
    for byte in [0x07, 0x0b, 1, 0, 1] {
        rest.expect(byte)?;
    }
    let flags = rest.byte()?;
    let id = rest.skip(usize::from(flags & 0x0f))?;
    let properties = match flags & 0xf0 {
        0x00 => &[],
        0x20 => {
            let length = usize::try_from(rest.number()?).ok()?;
            rest.skip(length)?
        }
        _ => return None,
    };
    let dictionary = dictionary(id, properties)?;
    rest.expect(0x0c)?;
    let size = rest.number()?;
    (dictionary <= LARGEST_DICTIONARY && size <= LARGEST_DIRECTORY).then_some(())
}

/// Returns whether unpacking with these coders (methods and properties) takes little memory. Each
/// coder has a dictionary of its own. The function returns false for an unknown method.
pub fn is_modest<'a>(coders: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> bool {
    let mut needed = coders
        .into_iter()
        .map(|(method, properties)| dictionary(method, properties));
    let sum = needed.try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?));
    sum.is_some_and(|sum| sum <= LARGEST_DICTIONARY)
}

/// The memory that unpacking takes (7-Zip's Methods.txt); `None` for ways that are not used here.
fn dictionary(method: &[u8], properties: &[u8]) -> Option<u64> {
    match method {
        // As it is, Deflate, and the filters for machine code and differences.
        [0 | 3] | [4, 1, 8] | [3, 3, 1, 3] => Some(0),
        // LZMA.
        [3, 1, 1] => {
            let size = properties.get(1..5)?;
            Some(u32::from_le_bytes(size.try_into().ok()?).into())
        }
        // LZMA2.
        [0x21] => {
            let bits = u32::from(*properties.first()?);
            (2 | u64::from(bits & 1)).checked_shl(bits / 2 + 11)
        }
        _ => None,
    }
}

/// A description read from front to back.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn byte(&mut self) -> Option<u8> {
        self.skip(1)?.first().copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then_some(())
    }

    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(skipped)
    }

    /// Reads a number. The leading ones of its first byte are the number of further bytes.
    fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let more = first.leading_ones() as usize;
        let mut bytes = [0; 8];
        bytes.get_mut(..more)?.copy_from_slice(self.skip(more)?);
        let low = u64::from_le_bytes(bytes);
        let high = if more < 7 {
            u64::from(first) & (0x7f >> more)
        } else {
            0
        };
        let shifted = if more < 8 { high << (8 * more) } else { 0 };
        Some(low | shifted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_their_first_byte_says() {
        let number = |bytes: &[u8]| Numbers(bytes).number();
        assert_eq!(number(&[0x7f]), Some(0x7f));
        assert_eq!(number(&[0x81, 0x02]), Some(0x102));
        assert_eq!(number(&[0xc1, 0x02, 0x03]), Some(0x1_0302));
        assert_eq!(
            number(&[0xff, 1, 0, 0, 0, 0, 0, 0, 0x80]),
            Some((0x80 << 56) | 1)
        );
        assert_eq!(number(&[0xc1, 0x02]), None);
    }

    #[test]
    fn dictionaries_are_little_together() {
        // 32 MiB of LZMA2, 64 MiB and a byte of LZMA.
        let half: (&[u8], &[u8]) = (&[0x21], &[26]);
        let whole: (&[u8], &[u8]) = (&[3, 1, 1], &[0x5d, 1, 0, 0, 4]);
        let plain: (&[u8], &[u8]) = (&[0], &[]);
        assert!(is_modest([half, plain, half]));
        assert!(!is_modest([half, half, half]));
        assert!(!is_modest([whole]));
        assert!(!is_modest([plain, (&[4, 2, 2], &[])]));
    }

    #[test]
    fn a_directory_that_needs_much_is_refused() {
        let packed = |dictionary: u32, size: u8| {
            let mut description = vec![
                6, 0x10, 1, 9, 0x20, 0, 7, 0x0b, 1, 0, 1, 0x23, 3, 1, 1, 5, 0x5d,
            ];
            description.extend(dictionary.to_le_bytes());
            // Sizes of four bytes: the last is the highest.
            description.extend([0x0c, 0xf0, 0, 0, 0, size, 0, 0]);
            check_packed(&description)
        };
        assert_eq!(packed(1 << 20, 0), Some(()));
        assert_eq!(packed(1 << 30, 0), None);
        assert_eq!(packed(1 << 20, 1), None);
        // Encrypted.
        assert_eq!(
            check_packed(&[6, 0, 1, 9, 1, 0, 7, 0x0b, 1, 0, 1, 0x24, 6, 0xf1, 7, 1, 0]),
            None
        );
    }
}
