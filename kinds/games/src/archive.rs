//! ROMs in ZIP archives, found by the archive's directory alone: nothing is unpacked.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::platforms::{self, Platform};

/// An archive with more entries is no game.
const MAX_ENTRIES: u16 = 4096;
/// The largest directory that is read, in bytes.
const MAX_DIRECTORY: u32 = 1 << 20;
/// Fixed part of the record that ends an archive, and the longest comment behind it.
const END_RECORD: u64 = 22;
const MAX_COMMENT: u64 = 65_535;

/// Extensions that other trades use as well: source archives hold Markdown and Visual Basic.
const AMBIGUOUS: &[&str] = &["md", "gen", "int", "vb", "ws", "col", "sg", "fig"];
/// A member with such an extension counts from this size on, in an archive of few files.
const AMBIGUOUS_SIZE: u32 = 8 * 1024;
const AMBIGUOUS_FILES: usize = 8;

/// One entry of the directory.
struct Entry {
    name: Vec<u8>,
    size: u32,
}

/// The platform of the ROMs in an archive; `None` where there are none, or of several platforms.
pub fn platform(path: &Path) -> io::Result<Option<&'static Platform>> {
    let mut file = File::open(path)?;
    let Some(directory) = directory(&mut file)? else {
        return Ok(None);
    };
    Ok(platform_of(&entries(&directory)))
}

fn platform_of(entries: &[Entry]) -> Option<&'static Platform> {
    let mut found = None;
    for entry in entries {
        let Some(platform) = entry.platform(entries.len()) else {
            continue;
        };
        if found.is_some_and(|other| other != platform) {
            return None;
        }
        found = Some(platform);
    }
    found
}

impl Entry {
    fn platform(&self, files: usize) -> Option<&'static Platform> {
        let name = String::from_utf8_lossy(&self.name);
        let outside = name.starts_with('/') || name.contains("..") || name.starts_with("__MACOSX");
        if outside {
            return None;
        }
        let extension = name.rsplit_once('.')?.1.to_lowercase();
        let doubtful = AMBIGUOUS.contains(&extension.as_str());
        if doubtful && (files > AMBIGUOUS_FILES || self.size < AMBIGUOUS_SIZE) {
            return None;
        }
        platforms::by_extension(&extension)
    }
}

/// The bytes of the archive's directory; `None` where the file is no archive we look into.
fn directory(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail_length = length.min(END_RECORD + MAX_COMMENT);
    file.seek(SeekFrom::Start(length - tail_length))?;
    let mut tail = Vec::new();
    file.take(tail_length).read_to_end(&mut tail)?;
    let Some((count, size, offset)) = end_record(&tail) else {
        return Ok(None);
    };
    let inside = u64::from(offset) + u64::from(size) <= length;
    if count > MAX_ENTRIES || size > MAX_DIRECTORY || !inside {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut directory = Vec::new();
    file.take(u64::from(size)).read_to_end(&mut directory)?;
    Ok(Some(directory))
}

/// Number of entries, size and offset of the directory (APPNOTE 4.3.16).
fn end_record(tail: &[u8]) -> Option<(u16, u32, u32)> {
    let at = tail
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")?;
    let record = tail.get(at..)?;
    Some((
        u16_at(record, 10)?,
        u32_at(record, 12)?,
        u32_at(record, 16)?,
    ))
}

/// The files of a directory (APPNOTE 4.3.12); a damaged one ends the list.
fn entries(mut directory: &[u8]) -> Vec<Entry> {
    const HEADER: usize = 46;
    let mut entries = Vec::new();
    while directory.starts_with(b"PK\x01\x02") && entries.len() < usize::from(MAX_ENTRIES) {
        let lengths = [28, 30, 32].map(|at| u16_at(directory, at).map_or(0, usize::from));
        let [name, extra, comment] = lengths;
        let Some(name) = directory.get(HEADER..HEADER + name) else {
            break;
        };
        if !name.ends_with(b"/") {
            entries.push(Entry {
                name: name.to_vec(),
                size: u32_at(directory, 24).unwrap_or_default(),
            });
        }
        let next = HEADER + name.len() + extra + comment;
        directory = directory.get(next..).unwrap_or_default();
    }
    entries
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
