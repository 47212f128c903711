//! Archives that books and comics are packed in: one view of four formats, told by their first
//! bytes, not by their names.
//!
//! Nothing is ever unpacked to disk, and names are never made into paths.

mod look;
pub mod permits;
pub mod rar;
pub mod seven;
pub mod shared;
pub mod tar;
pub mod zip;

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ledge_core::registry::reading::ReadError;

use rar::Rar;
use seven::Seven;
use tar::Tar;
use zip::Zip;

/// What reading comes to.
pub(crate) type ReadResult<T> = Result<T, ReadError>;

/// The content is not what it should be.
pub(crate) fn damaged(message: impl Into<String>) -> ReadError {
    ReadError::Damaged(message.into())
}

/// There is more of it than will be read.
pub(crate) fn limit(message: impl Into<String>) -> ReadError {
    ReadError::Limit(message.into())
}

/// An archive with more files is no book.
pub const MOST_MEMBERS: usize = 100_000;

/// Most bytes of all names of a ZIP or tar archive. Together with [`MOST_MEMBERS`] it keeps a parsed
/// index below 13 MB: 40 bytes a file, and its name.
const MOST_NAME_BYTES: usize = 8 << 20;

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its name, with `/` between folders; what is no text in it is replaced.
    pub name: Cow<'a, str>,
    /// Unpacked size, as the archive has it.
    pub size: u64,
    /// Unpacking needs a password.
    pub is_locked: bool,
}

/// What unpacking one file may cost.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Most bytes of the file.
    pub bytes: u64,
    /// Most bytes unpacked in all: files of some archives can only be had with those before them.
    pub total: u64,
    /// When to give up.
    pub until: Instant,
}

impl Allowance {
    /// A file of so many bytes, in so much time.
    pub fn new(bytes: u64, time: Duration) -> Self {
        Self {
            bytes,
            total: 512 << 20,
            until: Instant::now() + time,
        }
    }

    /// Fails once the time is over.
    pub(crate) fn check(&self) -> ReadResult<()> {
        if Instant::now() > self.until {
            return Err(limit("unpacking takes too long"));
        }
        Ok(())
    }
}

/// An opened archive of any format.
#[derive(Debug)]
pub enum Archive<R> {
    /// ZIP.
    Zip(Zip<R>),
    /// 7z.
    Seven(Box<Seven<R>>),
    /// tar, uncompressed.
    Tar(Tar<R>),
    /// RAR 1.5 to 7.
    Rar(Box<Rar>),
}

/// What was parsed of an archive: several readers of one file can share it.
#[derive(Debug, Clone)]
pub enum Index {
    /// Of a ZIP archive.
    Zip(Arc<zip::Directory>),
    /// Of a 7z archive.
    Seven(Arc<seven::Directory>),
    /// Of a tar archive.
    Tar(Arc<tar::Directory>),
    /// Of a RAR archive.
    Rar(Arc<rar::Directory>),
}

impl Index {
    /// The files in the order in which they are packed.
    pub fn members(&self) -> Vec<Member<'_>> {
        match self {
            Self::Zip(zip) => {
                let entries = zip.entries().iter();
                let member = |entry: &zip::Entry| Member {
                    size: entry.size,
                    is_locked: entry.is_encrypted,
                    name: with_slashes(zip.name(entry)),
                };
                entries.map(member).collect()
            }
            Self::Seven(seven) => seven.members(),
            Self::Tar(tar) => tar.members(),
            Self::Rar(rar) => rar.members(),
        }
    }
}

/// A name with `/` between folders, as some packers do not write it.
fn with_slashes(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.contains('\\') {
        return name.replace('\\', "/").into();
    }
    name
}

impl<R: Read + Seek + Send + 'static> Archive<R> {
    /// Opens whatever archive it is.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let mut head = Vec::new();
        reader.by_ref().take(512).read_to_end(&mut head)?;
        reader.seek(SeekFrom::Start(0))?;
        match &head {
            head if head.starts_with(b"Rar!\x1a\x07") => {
                Ok(Self::Rar(Box::new(Rar::open(reader)?)))
            }
            head if head.starts_with(b"7z\xbc\xaf\x27\x1c") => {
                Ok(Self::Seven(Box::new(Seven::open(reader)?)))
            }
            head if tar::begins(head) => Ok(Self::Tar(Tar::open(reader)?)),
            // A ZIP archive may have anything in front of it.
            _ => Ok(Self::Zip(Zip::open(reader)?)),
        }
    }

    /// Opens an archive that was parsed before. The index of a RAR archive keeps the file that it
    /// was parsed from, and this reader is dropped.
    pub fn with_index(reader: R, index: Index) -> Self {
        match index {
            Index::Zip(directory) => Self::Zip(Zip::with_directory(reader, directory)),
            Index::Seven(directory) => {
                Self::Seven(Box::new(Seven::with_directory(reader, directory)))
            }
            Index::Tar(directory) => Self::Tar(Tar::with_directory(reader, directory)),
            Index::Rar(directory) => Self::Rar(Box::new(Rar::with_directory(directory))),
        }
    }

    /// What was parsed of the archive.
    pub fn index(&self) -> Index {
        match self {
            Self::Zip(zip) => Index::Zip(zip.directory().clone()),
            Self::Seven(seven) => Index::Seven(seven.directory().clone()),
            Self::Tar(tar) => Index::Tar(tar.directory().clone()),
            Self::Rar(rar) => Index::Rar(rar.directory().clone()),
        }
    }

    /// The bytes of the file at a place among [`Index::members`], as many as the archive declares.
    pub fn read(&mut self, index: usize, allowance: &Allowance) -> ReadResult<Vec<u8>> {
        match self {
            Self::Zip(zip) => {
                let entry = zip.entries().get(index).copied();
                zip.read_exactly(&entry.ok_or_else(missing)?, allowance.bytes)
            }
            Self::Seven(seven) => seven.read(index, allowance),
            Self::Tar(tar) => tar.read(index, allowance.bytes),
            Self::Rar(rar) => rar.read(index, allowance),
        }
    }

    /// Whether a file can be had without those before it, and no more of it than is wanted.
    pub fn is_direct(&self) -> bool {
        matches!(self, Self::Zip(_) | Self::Tar(_))
    }

    /// What `find` finds in the first bytes of files, at places as those of `wanted`: the archive
    /// is gone through once, as far as is allowed. Of what cannot be had nothing is found, and that
    /// is no error. No more than one file's first bytes are in memory.
    pub fn look<T: Send + 'static>(
        &mut self,
        wanted: &[usize],
        find: fn(&[u8]) -> Option<T>,
        allowance: &Allowance,
    ) -> Vec<Option<T>> {
        match self {
            Self::Seven(seven) => seven.look(wanted, find, allowance),
            Self::Rar(rar) => rar.look(wanted, find, allowance),
            Self::Zip(_) | Self::Tar(_) => {
                let one = |index: &usize| self.look_at(*index, find, allowance);
                wanted.iter().map(one).collect()
            }
        }
    }

    /// What is found in a file of an archive in which each can be had by itself.
    fn look_at<T>(
        &mut self,
        index: usize,
        find: fn(&[u8]) -> Option<T>,
        allowance: &Allowance,
    ) -> Option<T> {
        allowance.check().ok()?;
        look::SIZES.iter().find_map(|most| {
            let most = *most as u64;
            let head = match self {
                Self::Zip(zip) => {
                    let entry = zip.entries().get(index).copied()?;
                    zip.head(&entry, most).ok()?
                }
                Self::Tar(tar) => tar.head(index, most).ok()?,
                Self::Seven(_) | Self::Rar(_) => return None,
            };
            find(&head)
        })
    }
}

pub(crate) fn missing() -> ReadError {
    damaged("is not in the archive")
}

#[cfg(test)]
mod tests;
