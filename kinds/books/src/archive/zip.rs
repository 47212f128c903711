//! ZIP archives, read by their directory: nothing is unpacked but what is asked for, and no more
//! of that than the asker allows.
//!
//! The directory alone says what there is (APPNOTE.TXT 4.3.12); names are compared, never made
//! into paths.

mod bytes;
mod directory;
mod end;

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;
use ledge_core::registry::reading::ReadError;

use super::{ReadResult, damaged, limit};
use bytes::u16_at;
pub use directory::Entry;
use end::End;

/// An archive with more entries is no book.
const MOST_ENTRIES: u64 = 100_000;
/// The largest directory that is read, in bytes.
const LARGEST_DIRECTORY: u64 = 32 << 20;
/// What is looked at first: most archives end with their record, and a short directory before it.
const TAIL: u64 = 8 << 10;
/// Fixed part of the header before an entry's bytes.
const LOCAL_HEADER: usize = 30;

/// An opened archive.
#[derive(Debug)]
pub struct Zip<R> {
    reader: R,
    directory: Vec<u8>,
    entries: Vec<Entry>,
    /// What stands before the archive in its file.
    base: u64,
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
        if end.entries > MOST_ENTRIES || end.size > LARGEST_DIRECTORY {
            return Err(limit("its ZIP directory is too long"));
        }
        let start = end.start(&mut reader)?;
        reader.seek(SeekFrom::Start(start))?;
        let mut directory = Vec::new();
        reader.by_ref().take(end.size).read_to_end(&mut directory)?;
        let entries = directory::entries(&directory);
        Ok(Self {
            reader,
            entries,
            directory,
            base: start.saturating_sub(end.offset),
        })
    }

    /// The files in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A file's name as the archive has it.
    pub fn name(&self, entry: &Entry) -> Cow<'_, str> {
        String::from_utf8_lossy(self.raw_name(entry))
    }

    fn raw_name(&self, entry: &Entry) -> &[u8] {
        let end = entry.name_at + entry.name_len;
        self.directory.get(entry.name_at..end).unwrap_or_default()
    }

    /// The first file of exactly this name.
    pub fn find(&self, name: &str) -> Option<Entry> {
        let is_it = |entry: &&Entry| self.raw_name(entry) == name.as_bytes();
        self.entries.iter().find(is_it).copied()
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
        self.entries.iter().find(is_it).copied()
    }

    /// The unpacked bytes of a file, which may be `most` at the most.
    pub fn read(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let too_large = || limit(format!("`{}` in it is too large", shown(&self.name(entry))));
        if entry.size > most || entry.compressed > most {
            return Err(too_large());
        }
        let packed = self.packed(entry)?;
        if entry.method == 0 {
            return Ok(packed);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(entry.size).unwrap_or(0).min(1 << 20));
        DeflateDecoder::new(packed.as_slice())
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|_| self.is_damaged(entry))?;
        if bytes.len() as u64 > most {
            return Err(self.is_too_large(entry));
        }
        Ok(bytes)
    }

    /// The first bytes of a file, as many as can be had up to `most`.
    pub fn head(&mut self, entry: &Entry, most: u64) -> ReadResult<Vec<u8>> {
        let mut bytes = Vec::new();
        // What is damaged further on does not matter.
        let _ = self.unpack(entry)?.take(most).read_to_end(&mut bytes);
        Ok(bytes)
    }

    /// A reader of a file's unpacked bytes: no more than the directory says there are.
    pub fn unpack(&mut self, entry: &Entry) -> ReadResult<impl Read + use<'_, R>> {
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
        let at = self.base.checked_add(entry.offset);
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

    fn packed(&mut self, entry: &Entry) -> ReadResult<Vec<u8>> {
        let start = self.bytes_at(entry)?;
        self.reader.seek(SeekFrom::Start(start))?;
        let mut packed = Vec::new();
        let mut packed_reader = self.reader.by_ref().take(entry.compressed);
        packed_reader.read_to_end(&mut packed)?;
        Ok(packed)
    }

    fn is_too_large(&self, entry: &Entry) -> ReadError {
        limit(format!("`{}` in it is too large", shown(&self.name(entry))))
    }

    fn is_damaged(&self, entry: &Entry) -> ReadError {
        damaged(format!("`{}` in it is damaged", shown(&self.name(entry))))
    }

    /// The reader the archive was opened with.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

/// A name short enough for an error line.
fn shown(name: &str) -> Cow<'_, str> {
    let short = crate::text::first(name, 100);
    short.replace(char::is_control, "\u{fffd}").into()
}

#[cfg(test)]
mod tests;
