//! ZIP archives, read by their directory: nothing is unpacked but what is asked for, and no more
//! of that than the asker allows.
//!
//! The directory alone says what there is (APPNOTE.TXT 4.3.12); names are compared, never made
//! into paths.

mod bytes;
mod directory;
mod end;

use std::borrow::Cow;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use ledge_core::registry::reading::ReadError;

use super::{MOST_MEMBERS, ReadResult, damaged, limit};
use bytes::u16_at;
pub use directory::Entry;
use directory::Files;
use end::End;

/// The largest directory that is read, in bytes. It is read in pieces: this limits time, not memory.
const LARGEST_DIRECTORY: u64 = 32 << 20;
/// What is looked at first: most archives end with their record, and a short directory before it.
const TAIL: u64 = 8 << 10;
/// Fixed part of the header before an entry's bytes.
const LOCAL_HEADER: usize = 30;
/// Bytes of a directory that are read at once.
const DIRECTORY_PIECE: u64 = 64 << 10;
/// Most bytes that are reserved before anything is unpacked.
const RESERVED: u64 = 1 << 20;

/// Parsed directory of an archive. Several readers of one file can share it.
#[derive(Debug)]
pub struct Directory {
    files: Files,
    /// What stands before the archive in its file.
    base: u64,
}

/// An opened archive.
#[derive(Debug)]
pub struct Zip<R> {
    reader: R,
    directory: Arc<Directory>,
}

impl<R: Read + Seek> Zip<R> {
    /// Reads an archive's directory. Folders and links are left out.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        let end = match End::find(&mut reader, length, TAIL)? {
            Some(end) => end,
            None => End::find(&mut reader, length, end::LONGEST)?
                .ok_or_else(|| damaged("is no ZIP archive, or was cut short"))?,
        };
        if end.entries > MOST_MEMBERS as u64 || end.size > LARGEST_DIRECTORY {
            return Err(is_too_long());
        }
        let start = end.start(&mut reader)?;
        reader.seek(SeekFrom::Start(start))?;
        let piece = usize::try_from(end.size.min(DIRECTORY_PIECE)).unwrap_or(0);
        let files = Files::read(BufReader::with_capacity(
            piece,
            reader.by_ref().take(end.size),
        ))?;
        let base = start.saturating_sub(end.offset);
        let directory = Arc::new(Directory { files, base });
        Ok(Self { reader, directory })
    }

    /// Opens an archive whose directory has been parsed before.
    pub fn with_directory(reader: R, directory: Arc<Directory>) -> Self {
        Self { reader, directory }
    }

    /// The parsed directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The files in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        self.directory.entries()
    }

    /// A file's name as the archive has it.
    pub fn name(&self, entry: &Entry) -> Cow<'_, str> {
        self.directory.name(entry)
    }

    fn raw_name(&self, entry: &Entry) -> &[u8] {
        self.directory.files.name(entry)
    }

    /// The first file of exactly this name.
    pub fn find(&self, name: &str) -> Option<Entry> {
        let is_it = |entry: &&Entry| self.raw_name(entry) == name.as_bytes();
        self.entries().iter().find(is_it).copied()
    }

    /// The first file of this name; where there is none, the first whose name differs in the case
    /// of letters or the kind of slash only: packers on other systems did not mind.
    pub fn find_loosely(&self, name: &str) -> Option<Entry> {
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

    /// The unpacked bytes of a file, which may be `most` at the most. Their number may differ from
    /// what the directory declares.
    pub fn read(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        if entry.size > most || entry.compressed > most {
            return Err(self.is_too_large(entry));
        }
        let reserved = usize::try_from(entry.size.min(RESERVED)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(reserved);
        let unpacked = self.unpack_all(entry)?;
        let read = unpacked.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.unpacking_failed(entry, error))?;
        if bytes.len() as u64 > most {
            return Err(self.is_too_large(entry));
        }
        Ok(bytes)
    }

    /// As [`Self::read`], for bytes that are handed on.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if there are fewer or more bytes than the directory declares.
    pub fn read_exactly(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let bytes = self.read(entry, most)?;
        if bytes.len() as u64 != entry.size {
            let name = self.name(entry);
            return Err(damaged(format!(
                "`{}` in it is not of the size that the archive declares",
                shown(&name)
            )));
        }
        Ok(bytes)
    }

    /// The first bytes of a file, as many as can be had up to `most`.
    pub fn head(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = most.min(entry.size);
        // What is damaged further on does not matter.
        let _ = self.unpack_all(entry)?.take(most).read_to_end(&mut bytes);
        Ok(bytes)
    }

    /// Returns a reader of everything that a file's packed bytes unpack to.
    fn unpack_all(&mut self, entry: &Entry) -> ReadResult<impl Read + use<'_, R>> {
        let start = self.bytes_at(entry)?;
        self.reader.seek(SeekFrom::Start(start))?;
        let packed = self.reader.by_ref().take(entry.compressed);
        Ok(entry.unpacked(packed))
    }

    /// Where a file's packed bytes begin, once its header was seen to be one.
    pub fn bytes_at(&mut self, entry: &Entry) -> ReadResult<u64> {
        if entry.is_encrypted {
            let name = shown(&self.name(entry)).into_owned();
            return Err(damaged(format!("`{name}` in it is encrypted")));
        }
        if !matches!(entry.method, 0 | 8) {
            let name = shown(&self.name(entry)).into_owned();
            let method = entry.method;
            return Err(damaged(format!(
                "`{name}` in it is packed by method {method}"
            )));
        }
        let at = self.directory.base.checked_add(entry.offset);
        let at = at.ok_or_else(|| self.is_damaged(entry))?;
        self.reader.seek(SeekFrom::Start(at))?;
        let mut header = [0; LOCAL_HEADER];
        let read = self.reader.read_exact(&mut header);
        if read.is_err() || !header.starts_with(b"PK\x03\x04") {
            return Err(self.is_damaged(entry));
        }
        let lengths = [26, 28].map(|at| u16_at(&header, at).map_or(0, u64::from));
        Ok(at + LOCAL_HEADER as u64 + lengths.iter().sum::<u64>())
    }

    fn is_too_large(&self, entry: &Entry) -> ReadError {
        limit(format!("`{}` in it is too large", shown(&self.name(entry))))
    }

    /// The system's refusal to read stays what it is; any other failure is damage.
    fn unpacking_failed(&self, entry: &Entry, error: io::Error) -> ReadError {
        if error.raw_os_error().is_some() {
            return error.into();
        }
        self.is_damaged(entry)
    }

    fn is_damaged(&self, entry: &Entry) -> ReadError {
        damaged(format!("`{}` in it is damaged", shown(&self.name(entry))))
    }

    /// The reader the archive was opened with.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl Directory {
    /// The files in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        self.files.entries()
    }

    /// A file's name as the archive has it.
    pub fn name(&self, entry: &Entry) -> Cow<'_, str> {
        String::from_utf8_lossy(self.files.name(entry))
    }
}

pub(super) fn is_too_long() -> ReadError {
    limit("its ZIP directory is too long")
}

/// A name short enough for an error line.
fn shown(name: &str) -> Cow<'_, str> {
    let short = crate::text::first(name, 100);
    short.replace(char::is_control, "\u{fffd}").into()
}

#[cfg(test)]
mod tests;
