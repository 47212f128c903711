//! ROMs in ZIP archives, found by the archive's directory; of the largest the beginning is
//! unpacked, in memory and no further than its header.

pub mod seven;

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use flate2::read::DeflateDecoder;

use crate::platforms::{self, Platform};
use crate::windows::{ReadResult, Windows, damaged, le16, le32};

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
const AMBIGUOUS_SIZE: u64 = 8 * 1024;
const AMBIGUOUS_FILES: usize = 8;

/// How an entry of the directory begins.
const ENTRY: &[u8] = b"PK\x01\x02";

/// How much of a ROM is unpacked: headers of the SNES are the deepest that are looked for.
const UNPACKED: u64 = 0x1_0400;

/// One entry of the directory.
#[derive(Debug)]
struct Entry {
    name: Vec<u8>,
    size: u32,
    packed: u32,
    method: u16,
    is_locked: bool,
    offset: u32,
}

/// The ROM of an archive.
#[derive(Debug)]
pub struct Rom {
    /// The platform it is for.
    pub platform: &'static Platform,
    entry: Entry,
}

/// What an archive has for somebody who looks for games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// ROMs of one platform.
    Rom,
    /// Something else.
    Else,
    /// Nothing that could be had: why.
    Nothing(&'static str),
}

/// What is in an archive, by its directory.
pub fn holding<R: Read + Seek>(file: &mut R) -> io::Result<Holding> {
    let members: Vec<Member> = match directory(file)? {
        Directory::Entries(entries) => entries.iter().map(Entry::member).collect(),
        Directory::TooLarge => return Ok(Holding::Else),
        Directory::Damaged => return Ok(Holding::Nothing("is a damaged archive")),
    };
    Ok(if the_rom(&members).is_some() {
        Holding::Rom
    } else if (members.iter()).any(|member| member.is_rom_outside(members.len())) {
        Holding::Nothing("is an archive whose games have names that lead out of it")
    } else if !members.is_empty() && members.iter().all(Member::is_archive) {
        Holding::Nothing("is an archive of archives, which are not looked into")
    } else {
        Holding::Else
    })
}

/// The platform of the ROMs in an archive; `None` where there are none, or of several platforms.
pub fn platform<R: Read + Seek>(file: &mut R) -> io::Result<Option<&'static Platform>> {
    Ok(rom(file)?.map(|rom| rom.platform))
}

/// The largest ROM in an archive; `None` where there are none, or of several platforms.
pub fn rom<R: Read + Seek>(file: &mut R) -> io::Result<Option<Rom>> {
    let Directory::Entries(entries) = directory(file)? else {
        return Ok(None);
    };
    let members: Vec<Member> = entries.iter().map(Entry::member).collect();
    let Some((place, platform)) = the_rom(&members) else {
        return Ok(None);
    };
    let entry = entries.into_iter().nth(place);
    Ok(entry.map(|entry| Rom { platform, entry }))
}

/// A file in an archive, as far as its directory tells.
struct Member {
    name: String,
    size: u64,
}

/// The place of the largest ROM, and its platform; `None` where there are none, or of several
/// platforms.
fn the_rom(members: &[Member]) -> Option<(usize, &'static Platform)> {
    let mut found: Option<(usize, &Member, &'static Platform)> = None;
    for (place, member) in members.iter().enumerate() {
        let Some(platform) = member.platform(members.len()) else {
            continue;
        };
        match found {
            Some((_, _, other)) if other != platform => return None,
            Some((_, other, _)) if other.size >= member.size => {}
            _ => found = Some((place, member, platform)),
        }
    }
    found.map(|(place, _, platform)| (place, platform))
}

impl Rom {
    /// The beginning of the ROM; nothing where it is packed in a way that is not known.
    pub fn windows<R: Read + Seek>(&self, file: &mut R) -> ReadResult<Windows<Cursor<Vec<u8>>>> {
        let entry = &self.entry;
        file.seek(SeekFrom::Start(entry.offset.into()))?;
        let mut local = Vec::new();
        file.take(30).read_to_end(&mut local)?;
        let lengths = le16(&local, 26).zip(le16(&local, 28));
        let Some((name, extra)) = lengths.filter(|_| local.starts_with(b"PK\x03\x04")) else {
            return Err(damaged("is an archive whose directory is wrong"));
        };
        if entry.is_locked {
            return Err(damaged("is an encrypted archive"));
        }
        let skipped = i64::from(name) + i64::from(extra);
        file.seek(SeekFrom::Current(skipped))?;
        let packed = file.take(entry.packed.into());
        let mut start = Vec::new();
        let unpacked = match entry.method {
            0 => packed.take(UNPACKED).read_to_end(&mut start),
            8 => DeflateDecoder::new(packed)
                .take(UNPACKED)
                .read_to_end(&mut start),
            _ => Ok(0),
        };
        unpacked.map_err(|_| damaged("is an archive whose content is damaged"))?;
        Ok(Windows::beginning(Cursor::new(start), entry.size.into()))
    }
}

impl Entry {
    fn of(name: &[u8], header: &[u8]) -> Self {
        let [flags, method] = [8, 10].map(|at| le16(header, at).unwrap_or_default());
        let [packed, size, offset] = [20, 24, 42].map(|at| le32(header, at).unwrap_or_default());
        Self {
            name: name.to_vec(),
            size,
            packed,
            method,
            is_locked: flags & 1 != 0,
            offset,
        }
    }

    fn member(&self) -> Member {
        Member {
            name: String::from_utf8_lossy(&self.name).into_owned(),
            size: self.size.into(),
        }
    }
}

impl Member {
    /// Whether it would not be unpacked below the folder that it is unpacked into.
    fn would_leave(&self) -> bool {
        let is_above = |part: &str| part == "..";
        self.name.starts_with(['/', '\\']) || self.name.split(['/', '\\']).any(is_above)
    }

    fn extension(&self) -> Option<String> {
        let (_, extension) = self.name.rsplit_once('.')?;
        Some(extension.to_lowercase())
    }

    fn is_rom_outside(&self, files: usize) -> bool {
        self.would_leave() && self.platform_of_extension(files).is_some()
    }

    fn is_archive(&self) -> bool {
        let is = |extension: String| ["zip", "7z", "rar"].contains(&extension.as_str());
        self.extension().is_some_and(is)
    }

    fn platform(&self, files: usize) -> Option<&'static Platform> {
        let name = &self.name;
        if self.would_leave() || name.contains("..") || name.starts_with("__MACOSX") {
            return None;
        }
        self.platform_of_extension(files)
    }

    fn platform_of_extension(&self, files: usize) -> Option<&'static Platform> {
        let extension = self.extension()?;
        let doubtful = AMBIGUOUS.contains(&extension.as_str());
        if doubtful && (files > AMBIGUOUS_FILES || self.size < AMBIGUOUS_SIZE) {
            return None;
        }
        platforms::by_extension(&extension)
    }
}

/// What an archive's directory says.
enum Directory {
    /// Its files.
    Entries(Vec<Entry>),
    /// More than is looked into.
    TooLarge,
    /// It is not there, or not where it should be.
    Damaged,
}

fn directory<R: Read + Seek>(file: &mut R) -> io::Result<Directory> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail_length = length.min(END_RECORD + MAX_COMMENT);
    file.seek(SeekFrom::Start(length - tail_length))?;
    let mut tail = Vec::new();
    file.take(tail_length).read_to_end(&mut tail)?;
    let Some((count, size, offset)) = end_record(&tail) else {
        return Ok(Directory::Damaged);
    };
    if count > MAX_ENTRIES || size > MAX_DIRECTORY {
        return Ok(Directory::TooLarge);
    }
    file.seek(SeekFrom::Start(u64::from(offset)))?;
    let mut directory = Vec::new();
    file.take(u64::from(size)).read_to_end(&mut directory)?;
    let is_whole = directory.len() as u64 == u64::from(size);
    if !is_whole || (count > 0 && !directory.starts_with(ENTRY)) {
        return Ok(Directory::Damaged);
    }
    Ok(Directory::Entries(entries(&directory)))
}

/// Number of entries, size and offset of the directory (APPNOTE 4.3.16).
fn end_record(tail: &[u8]) -> Option<(u16, u32, u32)> {
    let at = tail
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")?;
    let record = tail.get(at..)?;
    Some((le16(record, 10)?, le32(record, 12)?, le32(record, 16)?))
}

/// The files of a directory (APPNOTE 4.3.12); a damaged one ends the list.
fn entries(mut directory: &[u8]) -> Vec<Entry> {
    const HEADER: usize = 46;
    let mut entries = Vec::new();
    while directory.starts_with(ENTRY) && entries.len() < usize::from(MAX_ENTRIES) {
        let lengths = [28, 30, 32].map(|at| le16(directory, at).map_or(0, usize::from));
        let [name, extra, comment] = lengths;
        let Some(name) = directory.get(HEADER..HEADER + name) else {
            break;
        };
        if !name.ends_with(b"/") {
            entries.push(Entry::of(name, directory));
        }
        let next = HEADER + name.len() + extra + comment;
        directory = directory.get(next..).unwrap_or_default();
    }
    entries
}
