//! ZIP archives, read through their central directory (APPNOTE.TXT 4.3.12). Only requested files
//! are unpacked, up to the caller's limit.
//!
//! Names are only compared, never used as file system paths.

mod directory;
mod end;

use std::borrow::Cow;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::MOST_MEMBERS;
use crate::bytes::BytesAt;
use crate::error::{ReadError, ReadResult, damaged, limit};
use directory::Files;
use end::End;

pub use directory::Entry;

/// Largest directory that is read, in bytes. It is read in pieces, so this limits time rather than
/// memory.
const LARGEST_DIRECTORY: u64 = 32 << 20;
/// Bytes at the end of the file that are searched first. Most archives end with the end record,
/// after a short directory.
const TAIL: u64 = 8 << 10;
/// Size of the fixed part of a local file header, in bytes.
const LOCAL_HEADER: usize = 30;
/// Size of the pieces in which the directory is read, in bytes.
const DIRECTORY_PIECE: u64 = 64 << 10;
/// Largest buffer that is reserved before anything is unpacked, in bytes.
const RESERVED: u64 = 1 << 20;

/// Parsed directory of an archive. Several readers of one file can share it.
#[derive(Debug)]
pub struct Directory {
    files: Files,
    /// Number of bytes before the archive in its file.
    base: u64,
    /// True if the directory is closer to the start of the file than declared, because the start
    /// was cut off.
    pub is_cut_at_start: bool,
}

/// An opened archive.
#[derive(Debug)]
pub struct Zip<R> {
    reader: R,
    directory: Arc<Directory>,
}

impl<R: Read + Seek> Zip<R> {
    /// Opens an archive and parses its directory. Folders and links are left out.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        let end = match End::find(&mut reader, length, TAIL)? {
            Some(end) => end,
            None => End::find(&mut reader, length, end::LONGEST)?
                .ok_or_else(|| damaged("is not a ZIP archive, or was cut short"))?,
        };
        if end.entries > MOST_MEMBERS as u64 || end.size > LARGEST_DIRECTORY {
            return Err(directory_too_long());
        }
        let start = end.start(&mut reader)?;
        reader.seek(SeekFrom::Start(start))?;
        let piece = usize::try_from(end.size.min(DIRECTORY_PIECE)).unwrap_or(0);
        let files = Files::read(BufReader::with_capacity(
            piece,
            reader.by_ref().take(end.size),
        ))?;
        let directory = Arc::new(Directory {
            files,
            base: start.saturating_sub(end.offset),
            is_cut_at_start: start < end.offset,
        });
        Ok(Self { reader, directory })
    }

    /// Opens an archive whose directory has been parsed before.
    pub fn with_directory(reader: R, directory: Arc<Directory>) -> Self {
        Self { reader, directory }
    }

    /// Returns the parsed directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Returns the files in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        self.directory.entries()
    }

    /// Returns a file's name as written in the archive. Bytes that are not UTF-8 are replaced.
    pub fn name(&self, entry: &Entry) -> Cow<'_, str> {
        self.directory.name(entry)
    }

    fn name_bytes(&self, entry: &Entry) -> &[u8] {
        self.directory.files.name(entry)
    }

    /// Returns the first file with exactly this name.
    pub fn find(&self, name: &str) -> Option<Entry> {
        let is_it = |entry: &&Entry| self.name_bytes(entry) == name.as_bytes();
        self.entries().iter().find(is_it).copied()
    }

    /// Returns the first file with this name, or the first whose name differs only in letter case
    /// or the kind of slash. Packers on case-insensitive systems write such names.
    pub fn find_ignoring_case(&self, name: &str) -> Option<Entry> {
        if let Some(entry) = self.find(name) {
            return Some(entry);
        }
        let wanted = name.to_lowercase();
        let is_it = |entry: &&Entry| {
            let name = self.name(entry).replace('\\', "/");
            name.to_lowercase() == wanted
        };
        self.entries().iter().find(is_it).copied()
    }

    /// Unpacks a file of at most `most` bytes. The result's length may differ from the declared
    /// size.
    pub fn read(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        if entry.size > most || entry.compressed > most {
            return Err(self.entry_too_large(entry));
        }
        let reserved = usize::try_from(entry.size.min(RESERVED)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(reserved);
        let unpacked = self.unpack_all(entry)?;
        let read = unpacked.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.unpacking_error(entry, error))?;
        if bytes.len() as u64 > most {
            return Err(self.entry_too_large(entry));
        }
        Ok(bytes)
    }

    /// Unpacks a file as [`Self::read`] does, and checks its length against the declared size.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if there are fewer or more bytes than the directory declares.
    pub fn read_exactly(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let bytes = self.read(entry, most)?;
        if bytes.len() as u64 != entry.size {
            let name = self.name(entry);
            return Err(damaged(format!(
                "`{}` in it is not of the size that the archive declares",
                display_name(&name)
            )));
        }
        Ok(bytes)
    }

    /// Unpacks up to `most` bytes from the start of a file, or fewer if the file is damaged.
    pub fn head(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = most.min(entry.size);
        // Damage after the bytes that could be read does not matter.
        let _ = self.unpack_all(entry)?.take(most).read_to_end(&mut bytes);
        Ok(bytes)
    }

    /// Unpacks up to `most` bytes from the start of a file.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if these bytes are damaged.
    pub fn start(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let unpacked = self.unpack_all(entry)?;
        let read = unpacked.take(most.min(entry.size)).read_to_end(&mut bytes);
        read.map_err(|error| self.unpacking_error(entry, error))?;
        Ok(bytes)
    }

    /// Returns a reader of all unpacked bytes of a file.
    fn unpack_all(&mut self, entry: &Entry) -> ReadResult<impl Read + use<'_, R>> {
        let start = self.data_offset(entry)?;
        self.reader.seek(SeekFrom::Start(start))?;
        let packed = self.reader.by_ref().take(entry.compressed);
        Ok(entry.unpacked(packed))
    }

    /// Returns the offset of a file's packed bytes, after checking its local header.
    pub fn data_offset(&mut self, entry: &Entry) -> ReadResult<u64> {
        if entry.is_encrypted {
            let name = display_name(&self.name(entry));
            return Err(damaged(format!("`{name}` in it is encrypted")));
        }
        if !entry.is_supported() {
            let name = display_name(&self.name(entry));
            let method = entry.method;
            return Err(damaged(format!(
                "`{name}` in it is packed by method {method}"
            )));
        }
        let at = self.directory.base.checked_add(entry.offset);
        let at = at.ok_or_else(|| self.entry_damaged(entry))?;
        self.reader.seek(SeekFrom::Start(at))?;
        let mut header = [0; LOCAL_HEADER];
        let read = self.reader.read_exact(&mut header);
        if read.is_err() || !header.starts_with(b"PK\x03\x04") {
            return Err(self.entry_damaged(entry));
        }
        let lengths = [26, 28].map(|at| header.le16(at).map_or(0, u64::from));
        Ok(at + LOCAL_HEADER as u64 + lengths.iter().sum::<u64>())
    }

    fn entry_too_large(&self, entry: &Entry) -> ReadError {
        limit(format!(
            "`{}` in it is too large",
            display_name(&self.name(entry))
        ))
    }

    /// Keeps an error of the operating system. Any other failure means damaged data.
    fn unpacking_error(&self, entry: &Entry, error: io::Error) -> ReadError {
        if error.raw_os_error().is_some() {
            return error.into();
        }
        self.entry_damaged(entry)
    }

    fn entry_damaged(&self, entry: &Entry) -> ReadError {
        damaged(format!(
            "`{}` in it is damaged",
            display_name(&self.name(entry))
        ))
    }

    /// Returns the reader that the archive was opened with.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl Directory {
    /// Returns the files in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        self.files.entries()
    }

    /// Returns a file's name as written in the archive. Bytes that are not UTF-8 are replaced.
    pub fn name(&self, entry: &Entry) -> Cow<'_, str> {
        String::from_utf8_lossy(self.files.name(entry))
    }
}

pub(super) fn directory_too_long() -> ReadError {
    limit("its ZIP directory is too long")
}

/// Shortens a name for an error message and replaces control characters.
fn display_name(name: &str) -> String {
    let printable = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    name.chars().take(100).map(printable).collect()
}

#[cfg(test)]
mod tests;
