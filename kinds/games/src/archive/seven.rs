//! ROMs in 7z archives, found by the archive's directory alone: what is in it stays packed.
//!
//! The directory may itself be packed. It is looked at before anything unpacks it: what it claims
//! to need must be little.

use std::io::{Read, Seek, SeekFrom};

use sevenz_rust2::{Archive, Password};

use super::{Member, the_rom};
use crate::platforms::Platform;
use crate::windows::{ReadResult, array, damaged, limit};

/// Largest directory, packed or not, in bytes.
const LARGEST_DIRECTORY: u64 = 256 << 10;
/// Largest dictionary of a packed directory, in bytes.
const LARGEST_DICTIONARY: u64 = 64 << 20;
/// An archive with more files is no game.
const MOST_FILES: usize = 4096;
/// Length of the header in front, which tells of the directory.
const START: usize = 32;

/// The platform of the ROMs in an archive; `None` where there are none, or of several platforms.
pub fn platform<R: Read + Seek>(mut file: R) -> ReadResult<Option<&'static Platform>> {
    check(&mut file)?;
    file.seek(SeekFrom::Start(0))?;
    let archive = Archive::read(&mut file, &Password::empty())
        .map_err(|_| damaged("is a 7z archive that cannot be read"))?;
    let files = archive.files.iter().filter(|entry| !entry.is_directory);
    let members: Vec<Member> = files
        .take(MOST_FILES + 1)
        .map(|entry| Member {
            name: entry.name.replace('\\', "/"),
            size: entry.size,
        })
        .collect();
    if members.len() > MOST_FILES {
        return Err(limit("has too many files"));
    }
    Ok(the_rom(&members).map(|(_, platform)| platform))
}

/// Refuses a directory that is too large, packed or unpacked, or packed in an unusual way.
fn check<R: Read + Seek>(file: &mut R) -> ReadResult<()> {
    let broken = || damaged("is a 7z archive that was cut short or damaged");
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut start = [0; START];
    file.read_exact(&mut start).map_err(|_| broken())?;
    let long = |at: usize| array(&start, at).map(u64::from_le_bytes);
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
    file.seek(SeekFrom::Start(at))?;
    let mut directory = Vec::new();
    file.take(size).read_to_end(&mut directory)?;
    let is_fit = match directory.split_first() {
        Some((0x17, packed)) => is_simple(packed).unwrap_or_default(),
        _ => true,
    };
    is_fit.then_some(()).ok_or_else(|| {
        damaged("is a 7z archive whose directory is encrypted, too large or packed unusually")
    })
}

/// Whether a directory is packed as every packer does it (7zFormat.txt, "Streams Info"): one
/// stream, one coder, and little to unpack; `None` where it ends too early.
fn is_simple(description: &[u8]) -> Option<bool> {
    let mut rest = Description(description);
    let mut fits = rest.byte()? == 0x06;
    rest.number()?;
    fits &= rest.number()? == 1 && rest.byte()? == 0x09;
    rest.number()?;
    if rest.0.first() == Some(&0x0a) {
        rest.skip(6)?;
    }
    // One folder, described here, of one coder.
    fits &= rest.skip(6)? == [0, 0x07, 0x0b, 1, 0, 1];
    let flags = rest.byte()?;
    let id = rest.skip(usize::from(flags & 0x0f))?;
    let properties: &[u8] = match flags & 0xf0 {
        0x00 => &[],
        0x20 => {
            let length = usize::try_from(rest.number()?).ok()?;
            rest.skip(length)?
        }
        _ => return Some(false),
    };
    let dictionary = match id {
        [0] => 0,
        [3, 1, 1] => u32::from_le_bytes(array(properties, 1)?).into(),
        [0x21] => {
            let bits = u32::from(*properties.first()?);
            (2 | u64::from(bits & 1)).checked_shl(bits / 2 + 11)?
        }
        _ => return Some(false),
    };
    fits &= rest.byte()? == 0x0c && rest.number()? <= LARGEST_DIRECTORY;
    Some(fits && dictionary <= LARGEST_DICTIONARY)
}

/// A description read from front to back.
struct Description<'a>(&'a [u8]);

impl<'a> Description<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.skip(1)?.first().copied()
    }

    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(skipped)
    }

    /// A number whose first byte's leading ones say how many bytes follow; of eight at most.
    fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let more = first.leading_ones() as usize;
        let mut bytes = [0; 8];
        bytes.get_mut(..more)?.copy_from_slice(self.skip(more)?);
        let low = u64::from_le_bytes(bytes);
        let high = match more {
            0..7 => u64::from(first) & (0x7f >> more),
            _ => 0,
        };
        Some(
            low | high
                .checked_shl(u32::try_from(8 * more).ok()?)
                .unwrap_or_default(),
        )
    }
}
