//! Archives that contain books and comics: one interface for four formats, which are detected by
//! the first bytes and not by the file name.
//!
//! Nothing is unpacked to disk. Member names are never used as file system paths.

mod head_search;
pub mod index_cache;
pub mod permits;
pub mod rar;
pub mod sevenz;
pub mod stream;
pub mod tar;

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use ledge_formats::archive::zip;
pub(crate) use ledge_formats::archive::{MOST_MEMBERS, MOST_NAME_BYTES};
pub(crate) use ledge_formats::{ReadError, ReadResult, damaged, limit};

use rar::Rar;
use sevenz::SevenZip;
use tar::Tar;
use zip::Zip;

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// Name with `/` between folders. Bytes that are not UTF-8 are replaced.
    pub name: Cow<'a, str>,
    /// Unpacked size in bytes, as declared by the archive.
    pub size: u64,
    /// True if unpacking needs a password.
    pub is_locked: bool,
}

/// Limits for unpacking one file.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Most unpacked bytes of the file itself.
    pub bytes: u64,
    /// Most unpacked bytes including the files before it, which solid archives unpack as well.
    pub total: u64,
    /// Time at which unpacking stops.
    pub until: Instant,
}

impl Allowance {
    /// Returns limits for a file of at most `bytes`, to be unpacked within `time`.
    pub fn new(bytes: u64, time: Duration) -> Self {
        Self {
            bytes,
            total: 512 << 20,
            until: Instant::now() + time,
        }
    }

    /// Fails with a limit error after the time limit.
    pub(crate) fn check(&self) -> ReadResult<()> {
        if Instant::now() > self.until {
            return Err(limit("unpacking takes too long"));
        }
        Ok(())
    }
}

/// Opened archive of any supported format.
#[derive(Debug)]
pub enum Archive<R> {
    /// ZIP.
    Zip(Zip<R>),
    /// 7z.
    SevenZip(Box<SevenZip<R>>),
    /// tar, uncompressed.
    Tar(Tar<R>),
    /// RAR 1.5 to 7.
    Rar(Box<Rar>),
}

/// Parsed index of an archive. Several readers of one file can share it.
#[derive(Debug, Clone)]
pub enum Index {
    /// Index of a ZIP archive.
    Zip(Arc<zip::Directory>),
    /// Index of a 7z archive.
    SevenZip(Arc<sevenz::Directory>),
    /// Index of a tar archive.
    Tar(Arc<tar::Directory>),
    /// Index of a RAR archive.
    Rar(Arc<rar::Directory>),
}

impl Index {
    /// Returns the files in archive order.
    pub fn members(&self) -> Vec<Member<'_>> {
        match self {
            Self::Zip(zip) => {
                let entries = zip.entries().iter();
                let member = |entry: &zip::Entry| Member {
                    size: entry.size,
                    is_locked: entry.is_encrypted,
                    name: with_forward_slashes(zip.name(entry)),
                };
                entries.map(member).collect()
            }
            Self::SevenZip(sevenz) => sevenz.members(),
            Self::Tar(tar) => tar.members(),
            Self::Rar(rar) => rar.members(),
        }
    }
}

/// Replaces backslashes, which some packers write between folders, by `/`.
fn with_forward_slashes(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.contains('\\') {
        return name.replace('\\', "/").into();
    }
    name
}

/// First bytes of a RAR archive.
const RAR: &[u8] = b"Rar!\x1a\x07";
/// First bytes of a 7z archive.
const SEVEN_ZIP: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// Returns `true` if an archive with these first bytes is unpacked piece by piece, and `false` if
/// it unpacks whole files only.
pub fn begins_directly(head: &[u8]) -> bool {
    !head.starts_with(RAR) && !head.starts_with(SEVEN_ZIP)
}

impl<R: Read + Seek + Send + 'static> Archive<R> {
    /// Opens an archive after detecting its format. The default is ZIP.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let mut head = Vec::new();
        reader.by_ref().take(512).read_to_end(&mut head)?;
        reader.seek(SeekFrom::Start(0))?;
        match &head {
            head if head.starts_with(RAR) => Ok(Self::Rar(Box::new(Rar::open(reader)?))),
            head if head.starts_with(SEVEN_ZIP) => {
                Ok(Self::SevenZip(Box::new(SevenZip::open(reader)?)))
            }
            head if tar::begins(head) => Ok(Self::Tar(Tar::open(reader)?)),
            // Other data may precede a ZIP archive, so its first bytes do not identify it.
            _ => Ok(Self::Zip(Zip::open(reader)?)),
        }
    }

    /// Opens an archive whose index has been parsed before. The index of a RAR archive contains its
    /// own file handle; `reader` is dropped then.
    pub fn with_index(reader: R, index: Index) -> Self {
        match index {
            Index::Zip(directory) => Self::Zip(Zip::with_directory(reader, directory)),
            Index::SevenZip(directory) => {
                Self::SevenZip(Box::new(SevenZip::with_directory(reader, directory)))
            }
            Index::Tar(directory) => Self::Tar(Tar::with_directory(reader, directory)),
            Index::Rar(directory) => Self::Rar(Box::new(Rar::with_directory(directory))),
        }
    }

    /// Returns the parsed index.
    pub fn index(&self) -> Index {
        match self {
            Self::Zip(zip) => Index::Zip(zip.directory().clone()),
            Self::SevenZip(sevenz) => Index::SevenZip(sevenz.directory().clone()),
            Self::Tar(tar) => Index::Tar(tar.directory().clone()),
            Self::Rar(rar) => Index::Rar(rar.directory().clone()),
        }
    }

    /// Unpacks the file at an index of [`Index::members`]. The result has exactly the declared
    /// size.
    pub fn read(&mut self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        match self {
            Self::Zip(zip) => {
                let entry = zip.entries().get(index).copied();
                zip.read_exactly(&entry.ok_or_else(missing_member)?, allowance.bytes)
            }
            Self::SevenZip(sevenz) => sevenz.read(index, allowance),
            Self::Tar(tar) => tar.read(index, allowance.bytes),
            Self::Rar(rar) => rar.read(index, allowance),
        }
    }

    /// Returns true if a file can be unpacked partially and without the files before it.
    pub fn is_direct(&self) -> bool {
        matches!(self, Self::Zip(_) | Self::Tar(_))
    }

    /// Applies `find` to the first bytes of the `wanted` files in one pass, within the limits.
    /// Results are in the order of `wanted`. Files that cannot be unpacked give `None`, which is
    /// not an error. At most one file's first bytes are in memory.
    pub fn search_heads<T: Send + 'static>(
        &mut self,
        wanted: &[usize],
        find: fn(&[u8]) -> Option<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        match self {
            Self::SevenZip(sevenz) => sevenz.search_heads(wanted, find, allowance),
            Self::Rar(rar) => rar.search_heads(wanted, find, allowance),
            Self::Zip(_) | Self::Tar(_) => {
                let one = |index: &usize| self.search_head(*index, find, allowance);
                wanted.iter().map(one).collect()
            }
        }
    }

    /// Applies `find` to one file of a ZIP or tar archive.
    fn search_head<T>(
        &mut self,
        index: usize,
        find: fn(&[u8]) -> Option<T>,
        allowance: &Allowance,
    ) -> Option<T> {
        allowance.check().ok()?;
        head_search::SIZES.iter().find_map(|most| {
            let most = *most as u64;
            let head = match self {
                Self::Zip(zip) => {
                    let entry = zip.entries().get(index).copied()?;
                    zip.head(&entry, most).ok()?
                }
                Self::Tar(tar) => tar.head(index, most).ok()?,
                Self::SevenZip(_) | Self::Rar(_) => return None,
            };
            find(&head)
        })
    }
}

pub(crate) fn missing_member() -> ReadError {
    damaged("is not in the archive")
}

#[cfg(test)]
mod tests;
