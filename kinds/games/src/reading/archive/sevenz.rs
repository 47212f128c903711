//! ROMs in 7z archives, found through the archive's directory. Only the start of the largest ROM is
//! unpacked, in memory and up to the end of its header.

use std::io::{self, Cursor, Read, Seek};

use ledge_formats::archive::sevenz;
use ledge_formats::{ReadResult, Source, damaged, limit};
use sevenz_rust2::{Archive, ArchiveEntry, BlockDecoder, Password};

use super::{MAX_FILES, MAX_UNPACKED_BYTES, Member, largest_rom};
use crate::formats::platforms::Platform;
use crate::reading::header::READ_LIMITS;

/// Most bytes that are unpacked before a ROM, because they precede it in the same block.
const MAX_BYTES_BEFORE: u64 = 4 << 20;

/// Returns the platform of the ROMs in an archive, or `None` without ROMs or with several
/// platforms.
pub fn platform<R: Read + Seek>(mut file: R) -> ReadResult<Option<&'static Platform>> {
    Ok(find(&mut file)?.map(|found| found.platform))
}

/// Returns the platform and the start of the largest ROM in an archive. The start is empty if
/// unpacking it is expensive. Returns `None` without ROMs or with several platforms.
pub fn rom<R: Read + Seek>(
    mut file: R,
) -> ReadResult<Option<(&'static Platform, Source<Cursor<Vec<u8>>>)>> {
    let Some(found) = find(&mut file)? else {
        return Ok(None);
    };
    let start = unpack_start(&mut file, &found.archive, found.at).unwrap_or_default();
    let inside = Source::with_size(Cursor::new(start), found.size, READ_LIMITS);
    Ok(Some((found.platform, inside)))
}

/// The largest ROM of an archive.
struct FoundRom {
    archive: Archive,
    platform: &'static Platform,
    /// Index in the archive's entry list.
    at: usize,
    size: u64,
}

fn find<R: Read + Seek>(file: &mut R) -> ReadResult<Option<FoundRom>> {
    sevenz::check_directory(file)?;
    let archive = Archive::read(file, &Password::empty())
        .map_err(|_| damaged("is a 7z archive that cannot be read"))?;
    let files = archive.files.iter().enumerate();
    let files: Vec<(usize, &ArchiveEntry)> = files
        .filter(|(_, entry)| !entry.is_directory)
        .take(MAX_FILES + 1)
        .collect();
    if files.len() > MAX_FILES {
        return Err(limit("has too many files"));
    }
    let member = |(_, entry): &(usize, &ArchiveEntry)| Member {
        name: entry.name.replace('\\', "/"),
        size: entry.size,
    };
    let members: Vec<Member> = files.iter().map(member).collect();
    let Some((index, platform)) = largest_rom(&members) else {
        return Ok(None);
    };
    let Some((at, entry)) = files.get(index).copied() else {
        return Ok(None);
    };
    let size = entry.size;
    Ok(Some(FoundRom {
        archive,
        platform,
        at,
        size,
    }))
}

/// Unpacks the start of a file. Returns `None` if that is expensive or the packing method is
/// unsupported.
fn unpack_start<R: Read + Seek>(file: &mut R, archive: &Archive, at: usize) -> Option<Vec<u8>> {
    let map = &archive.stream_map;
    let block = (*map.file_block_index.get(at)?)?;
    let coders = archive.blocks.get(block)?.coders.iter();
    let coders = coders.map(|coder| (coder.encoder_method_id(), coder.properties()));
    let first = *map.block_first_file_index.get(block)?;
    let before = archive.files.get(first..at)?.iter();
    let before = before.fold(0u64, |sum, entry| sum.saturating_add(entry.size));
    if !sevenz::is_modest(coders) || before > MAX_BYTES_BEFORE {
        return None;
    }
    let wanted = archive.files.get(at)?;
    let mut start = None;
    let password = Password::empty();
    let decoder = BlockDecoder::new(1, block, archive, &password, file);
    let visited = decoder.for_each_entries(&mut |entry: &ArchiveEntry, bytes: &mut dyn Read| {
        if entry.name != wanted.name {
            io::copy(bytes, &mut io::sink())?;
            return Ok(true);
        }
        let mut content = Vec::new();
        bytes.take(MAX_UNPACKED_BYTES).read_to_end(&mut content)?;
        start = Some(content);
        Ok(false)
    });
    visited.ok()?;
    start
}
