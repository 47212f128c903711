//! ROMs in ZIP archives, found through the archive's directory. Only the start of the largest ROM
//! is unpacked, in memory and up to the end of its header.

pub mod sevenz;

use std::io::{self, Cursor, Read, Seek};

use ledge_formats::archive::zip::{Entry, Zip};
use ledge_formats::{ReadError, ReadResult, Source, damaged};

use crate::formats::platforms::{self, Platform};
use crate::reading::header::READ_LIMITS;

/// Most files of an archive. Archives with more are not games.
const MAX_FILES: usize = 4096;

/// Extensions that are also used for other purposes: source archives contain Markdown and Visual
/// Basic.
const AMBIGUOUS: &[&str] = &["md", "gen", "int", "vb", "ws", "col", "sg", "fig"];
/// Smallest size in bytes at which a member with such an extension counts, in an archive with at
/// most [`AMBIGUOUS_FILES`] files.
const AMBIGUOUS_SIZE: u64 = 8 * 1024;
const AMBIGUOUS_FILES: usize = 8;

/// Bytes that are unpacked of a ROM. The deepest headers that are searched are those of the SNES.
const MAX_UNPACKED_BYTES: u64 = 0x1_0400;

/// Content of an archive, as far as it concerns games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveContent {
    /// ROMs of one platform.
    Rom,
    /// Other content.
    Other,
    /// Content that cannot be used, with the reason.
    Unusable(&'static str),
}

/// Classifies the content of an archive by its directory.
pub fn classify<R: Read + Seek>(file: R) -> io::Result<ArchiveContent> {
    let members = match open(file)? {
        Ok(zip) => members(&zip),
        Err(content) => return Ok(content),
    };
    Ok(if largest_rom(&members).is_some() {
        ArchiveContent::Rom
    } else if (members.iter()).any(|member| member.is_outside_rom(members.len())) {
        ArchiveContent::Unusable("is an archive whose games have names outside of the archive")
    } else if !members.is_empty() && members.iter().all(Member::is_archive) {
        ArchiveContent::Unusable("is an archive of archives, which are not searched")
    } else {
        ArchiveContent::Other
    })
}

/// Returns the platform and the start of the largest ROM in an archive. The start is empty for an
/// unsupported packing method. Returns `None` without ROMs or with several platforms.
pub fn rom<R: Read + Seek>(
    file: R,
) -> ReadResult<Option<(&'static Platform, Source<Cursor<Vec<u8>>>)>> {
    let Ok(mut zip) = open(file)? else {
        return Ok(None);
    };
    let Some((index, platform)) = largest_rom(&members(&zip)) else {
        return Ok(None);
    };
    let Some(entry) = zip.entries().get(index).copied() else {
        return Ok(None);
    };
    let start = unpack_start(&mut zip, &entry)?;
    let inside = Source::with_size(Cursor::new(start), entry.size, READ_LIMITS);
    Ok(Some((platform, inside)))
}

/// Opens an archive. The inner error is the content of an archive that is not searched.
fn open<R: Read + Seek>(file: R) -> io::Result<Result<Zip<R>, ArchiveContent>> {
    const DAMAGED: ArchiveContent = ArchiveContent::Unusable("is a damaged archive");
    match Zip::open(file) {
        Ok(zip) if zip.directory().is_cut_at_start => Ok(Err(DAMAGED)),
        Ok(zip) if zip.entries().len() <= MAX_FILES => Ok(Ok(zip)),
        Ok(_) | Err(ReadError::Limit(_)) => Ok(Err(ArchiveContent::Other)),
        Err(ReadError::Io(error)) => Err(error),
        Err(_) => Ok(Err(DAMAGED)),
    }
}

fn members<R: Read + Seek>(zip: &Zip<R>) -> Vec<Member> {
    let member = |entry: &Entry| Member {
        name: zip.name(entry).into_owned(),
        size: entry.size,
    };
    zip.entries().iter().map(member).collect()
}

fn unpack_start<R: Read + Seek>(zip: &mut Zip<R>, entry: &Entry) -> ReadResult<Vec<u8>> {
    if entry.is_encrypted {
        return Err(damaged("is an encrypted archive"));
    }
    if !entry.is_supported() {
        return Ok(Vec::new());
    }
    zip.start(entry, MAX_UNPACKED_BYTES)
}

/// Name and size of a file in an archive, according to its directory.
struct Member {
    name: String,
    size: u64,
}

/// Returns the index and platform of the largest ROM, or `None` without ROMs or with several
/// platforms.
fn largest_rom(members: &[Member]) -> Option<(usize, &'static Platform)> {
    let mut found: Option<(usize, &Member, &'static Platform)> = None;
    for (index, member) in members.iter().enumerate() {
        let Some(platform) = member.platform(members.len()) else {
            continue;
        };
        match found {
            Some((_, _, other)) if other != platform => return None,
            Some((_, other, _)) if other.size >= member.size => {}
            _ => found = Some((index, member, platform)),
        }
    }
    found.map(|(index, _, platform)| (index, platform))
}

impl Member {
    /// Returns true if the name leads outside of the folder into which the archive is unpacked.
    fn is_outside(&self) -> bool {
        let is_above = |part: &str| part == "..";
        self.name.starts_with(['/', '\\']) || self.name.split(['/', '\\']).any(is_above)
    }

    fn extension(&self) -> Option<String> {
        let (_, extension) = self.name.rsplit_once('.')?;
        Some(extension.to_lowercase())
    }

    fn is_outside_rom(&self, files: usize) -> bool {
        self.is_outside() && self.platform_of_extension(files).is_some()
    }

    fn is_archive(&self) -> bool {
        let is = |extension: String| ["zip", "7z", "rar"].contains(&extension.as_str());
        self.extension().is_some_and(is)
    }

    fn platform(&self, files: usize) -> Option<&'static Platform> {
        let name = &self.name;
        if self.is_outside() || name.contains("..") || name.starts_with("__MACOSX") {
            return None;
        }
        self.platform_of_extension(files)
    }

    fn platform_of_extension(&self, files: usize) -> Option<&'static Platform> {
        let extension = self.extension()?;
        let is_ambiguous = AMBIGUOUS.contains(&extension.as_str());
        if is_ambiguous && (files > AMBIGUOUS_FILES || self.size < AMBIGUOUS_SIZE) {
            return None;
        }
        platforms::by_extension(&extension)
    }
}
