//! ROMs in 7z archives, found by the archive's directory; of the largest the beginning is unpacked,
//! in memory and no further than its header.
//!
//! The directory may itself be packed. It is looked at before anything unpacks it: what it claims
//! to need must be little.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use sevenz_rust2::{Archive, ArchiveEntry, BlockDecoder, Password};

use super::{Member, UNPACKED, the_rom};
use crate::platforms::Platform;
use crate::windows::{ReadResult, Windows, array, damaged, limit};

/// Largest directory, packed or not, in bytes.
const LARGEST_DIRECTORY: u64 = 256 << 10;
/// Most that is unpacked to come to a ROM, in bytes: those before it in the same block.
const MOST_BEFORE: u64 = 4 << 20;
/// Largest dictionary of what is unpacked, in bytes.
const LARGEST_DICTIONARY: u64 = 64 << 20;
/// An archive with more files is no game.
const MOST_FILES: usize = 4096;
/// Length of the header in front, which tells of the directory.
const START: usize = 32;

/// The platform of the ROMs in an archive; `None` where there are none, or of several platforms.
pub fn platform<R: Read + Seek>(mut file: R) -> ReadResult<Option<&'static Platform>> {
    Ok(find(&mut file)?.map(|found| found.platform))
}

/// The largest ROM of an archive: its platform, and its beginning, or nothing where that cannot be
/// unpacked at little cost. `None` where there are no ROMs, or of several platforms.
pub fn rom<R: Read + Seek>(
    mut file: R,
) -> ReadResult<Option<(&'static Platform, Windows<Cursor<Vec<u8>>>)>> {
    let Some(found) = find(&mut file)? else {
        return Ok(None);
    };
    let start = beginning(&mut file, &found.archive, found.at).unwrap_or_default();
    let inside = Windows::beginning(Cursor::new(start), found.size);
    Ok(Some((found.platform, inside)))
}

/// The largest ROM of an archive.
struct Found {
    archive: Archive,
    platform: &'static Platform,
    /// Its place among the archive's entries.
    at: usize,
    size: u64,
}

fn find<R: Read + Seek>(file: &mut R) -> ReadResult<Option<Found>> {
    check(file)?;
    file.seek(SeekFrom::Start(0))?;
    let archive = Archive::read(file, &Password::empty())
        .map_err(|_| damaged("is a 7z archive that cannot be read"))?;
    let files = archive.files.iter().enumerate();
    let files: Vec<(usize, &ArchiveEntry)> = files
        .filter(|(_, entry)| !entry.is_directory)
        .take(MOST_FILES + 1)
        .collect();
    if files.len() > MOST_FILES {
        return Err(limit("has too many files"));
    }
    let member = |(_, entry): &(usize, &ArchiveEntry)| Member {
        name: entry.name.replace('\\', "/"),
        size: entry.size,
    };
    let members: Vec<Member> = files.iter().map(member).collect();
    let Some((place, platform)) = the_rom(&members) else {
        return Ok(None);
    };
    let Some((at, entry)) = files.get(place).copied() else {
        return Ok(None);
    };
    let size = entry.size;
    Ok(Some(Found {
        archive,
        platform,
        at,
        size,
    }))
}

/// The beginning of a file; `None` where it costs much, or is packed in a way that is not known.
fn beginning<R: Read + Seek>(file: &mut R, archive: &Archive, at: usize) -> Option<Vec<u8>> {
    let map = &archive.stream_map;
    let block = (*map.file_block_index.get(at)?)?;
    let coders = &archive.blocks.get(block)?.coders;
    let is_modest = |needed: Option<u64>| needed.is_some_and(|bytes| bytes <= LARGEST_DICTIONARY);
    let mut needed = coders
        .iter()
        .map(|coder| dictionary(coder.encoder_method_id(), coder.properties()));
    let first = *map.block_first_file_index.get(block)?;
    let before = archive.files.get(first..at)?.iter();
    let before = before.fold(0u64, |sum, entry| sum.saturating_add(entry.size));
    if !needed.all(is_modest) || before > MOST_BEFORE {
        return None;
    }
    let wanted = archive.files.get(at)?;
    let mut start = None;
    let mut see = |entry: &ArchiveEntry, bytes: &mut dyn Read| {
        if entry.name != wanted.name {
            io::copy(bytes, &mut io::sink())?;
            return Ok(true);
        }
        let mut content = Vec::new();
        bytes.take(UNPACKED).read_to_end(&mut content)?;
        start = Some(content);
        Ok(false)
    };
    let password = Password::empty();
    let decoder = BlockDecoder::new(1, block, archive, &password, file);
    decoder.for_each_entries(&mut see).ok()?;
    start
}

/// The memory that unpacking takes (7-Zip's Methods.txt); `None` for ways that are not used here.
fn dictionary(method: &[u8], properties: &[u8]) -> Option<u64> {
    match method {
        // As it is, and Deflate.
        [0] | [4, 1, 8] => Some(0),
        // LZMA.
        [3, 1, 1] => Some(u32::from_le_bytes(array(properties, 1)?).into()),
        // LZMA2.
        [0x21] => {
            let bits = u32::from(*properties.first()?);
            (2 | u64::from(bits & 1)).checked_shl(bits / 2 + 11)
        }
        _ => None,
    }
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
    let Some(dictionary) = dictionary(id, properties) else {
        return Some(false);
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
