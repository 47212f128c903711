//! ROMs in 7z archives, found by the archive's directory; of the largest the beginning is unpacked,
//! in memory and no further than its header.

use std::io::{self, Cursor, Read, Seek};

use ledge_core::seven;
use sevenz_rust2::{Archive, ArchiveEntry, BlockDecoder, Password};

use super::{Member, UNPACKED, the_rom};
use crate::platforms::Platform;
use crate::windows::{ReadResult, Windows, damaged, limit};

/// Most that is unpacked to come to a ROM, in bytes: those before it in the same block.
const MOST_BEFORE: u64 = 4 << 20;
/// An archive with more files is no game.
const MOST_FILES: usize = 4096;

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
    seven::check_directory(file)?;
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
    let coders = archive.blocks.get(block)?.coders.iter();
    let coders = coders.map(|coder| (coder.encoder_method_id(), coder.properties()));
    let first = *map.block_first_file_index.get(block)?;
    let before = archive.files.get(first..at)?.iter();
    let before = before.fold(0u64, |sum, entry| sum.saturating_add(entry.size));
    if !seven::is_modest(coders) || before > MOST_BEFORE {
        return None;
    }
    let wanted = archive.files.get(at)?;
    let mut start = None;
    let password = Password::empty();
    let decoder = BlockDecoder::new(1, block, archive, &password, file);
    let seen = decoder.for_each_entries(&mut |entry: &ArchiveEntry, bytes: &mut dyn Read| {
        if entry.name != wanted.name {
            io::copy(bytes, &mut io::sink())?;
            return Ok(true);
        }
        let mut content = Vec::new();
        bytes.take(UNPACKED).read_to_end(&mut content)?;
        start = Some(content);
        Ok(false)
    });
    seen.ok()?;
    start
}
