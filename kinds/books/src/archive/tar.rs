//! Uncompressed tar archives. The crate `tar` parses the headers: POSIX.1-2017 ustar and pax, and
//! GNU's long names.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;

use ledge_formats::ReadError;
use tar::EntryType;

use super::{MOST_MEMBERS, MOST_NAME_BYTES, Member, ReadResult, damaged, limit, missing_member};

/// Most bytes of a file's header, including its long name and its extended properties.
const LONGEST_HEADER: u64 = 128 << 10;
/// Most headers, including those of folders and links.
const MOST_HEADERS: usize = 2 * MOST_MEMBERS;

/// Parsed headers of an archive. Several readers of one file can share them.
#[derive(Debug, Default)]
pub struct Directory {
    /// Concatenated names of all files.
    names: String,
    files: Vec<File>,
}

/// One file of an archive.
#[derive(Debug, Clone, Copy)]
struct File {
    /// Start and end of the name in the concatenated names.
    name: (u32, u32),
    /// Size of the content in bytes.
    size: u64,
    /// Offset of the content in the archive, in bytes.
    at: u64,
}

/// An opened archive.
#[derive(Debug)]
pub struct Tar<R> {
    reader: R,
    directory: Arc<Directory>,
}

/// Reader with a limit of bytes, which is renewed for every header. The crate would read a long name
/// of any size into memory.
struct HeaderReader<R> {
    reader: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for HeaderReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        self.left
            .set(left.ok_or_else(|| limit("a name in it is too long"))?);
        Ok(read)
    }
}

impl<R: Seek> Seek for HeaderReader<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.reader.seek(position)
    }
}

/// Returns true if the first bytes of a file are those of a tar archive.
pub fn begins(head: &[u8]) -> bool {
    let is_header = || {
        let mut archive = tar::Archive::new(head);
        let mut entries = archive.entries().ok()?.raw(true);
        entries.next().filter(Result::is_ok).map(|_| ())
    };
    head.get(257..262) == Some(b"ustar") && is_header().is_some()
}

impl<R: Read + Seek> Tar<R> {
    /// Opens an archive and reads every header. A truncated archive has the files before the cut.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        reader.rewind()?;
        let left = Rc::new(Cell::new(LONGEST_HEADER));
        let mut archive = tar::Archive::new(HeaderReader {
            reader,
            left: left.clone(),
        });
        let mut directory = Directory::default();
        let mut count = 0;
        for entry in archive.entries_with_seek()? {
            let entry = match entry.map_err(ReadError::from) {
                Ok(entry) => entry,
                Err(error @ ReadError::Limit(_)) => return Err(error),
                // Damage ends the list.
                Err(_) => break,
            };
            let (at, size) = (entry.raw_file_position(), entry.size());
            if at.checked_add(size).is_none_or(|end| end > length) {
                break;
            }
            count += 1;
            if count > MOST_HEADERS {
                return Err(has_too_many());
            }
            if matches!(
                entry.header().entry_type(),
                EntryType::Regular | EntryType::Continuous
            ) {
                directory.add(&String::from_utf8_lossy(&entry.path_bytes()), size, at)?;
            }
            left.set(LONGEST_HEADER);
        }
        if count == 0 {
            return Err(damaged("is not a tar archive"));
        }
        directory.names.shrink_to_fit();
        directory.files.shrink_to_fit();
        let reader = archive.into_inner().reader;
        Ok(Self::with_directory(reader, Arc::new(directory)))
    }

    /// Opens an archive whose headers have been parsed before.
    pub fn with_directory(reader: R, directory: Arc<Directory>) -> Self {
        Self { reader, directory }
    }

    /// Returns the parsed headers.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Returns the files in archive order.
    pub fn members(&self) -> Vec<Member<'_>> {
        self.directory.members()
    }

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] if the archive ends
    /// before the file does.
    pub fn read(&mut self, index: usize, most: u64) -> ReadResult<Vec<u8>> {
        let file = self.directory.files.get(index).copied();
        let size = file.ok_or_else(missing_member)?.size;
        if size > most {
            return Err(limit("a file in it is too large"));
        }
        let bytes = self.head(index, most)?;
        if bytes.len() as u64 != size {
            return Err(damaged("is a tar archive that was cut short"));
        }
        Ok(bytes)
    }

    /// Returns a reader of a file's content, and its size in bytes.
    pub fn into_content(mut self, index: usize) -> ReadResult<(io::Take<R>, u64)> {
        let file = self.directory.files.get(index).copied();
        let file = file.ok_or_else(missing_member)?;
        self.reader.seek(SeekFrom::Start(file.at))?;
        Ok((self.reader.take(file.size), file.size))
    }

    /// Reads up to `most` bytes from the start of a file.
    pub fn head(&mut self, index: usize, most: u64) -> ReadResult<Vec<u8>> {
        let file = self.directory.files.get(index).copied();
        let file = file.ok_or_else(missing_member)?;
        self.reader.seek(SeekFrom::Start(file.at))?;
        let mut bytes = Vec::new();
        let mut content = self.reader.by_ref().take(file.size.min(most));
        content.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Directory {
    fn add(&mut self, name: &str, size: u64, at: u64) -> ReadResult<()> {
        let is_full = self.files.len() == MOST_MEMBERS;
        if is_full || self.names.len() + name.len() > MOST_NAME_BYTES {
            return Err(has_too_many());
        }
        let start = self.names.len();
        self.names.push_str(name);
        let [start, end] = [start, self.names.len()].map(u32::try_from);
        let (Ok(start), Ok(end)) = (start, end) else {
            return Err(has_too_many());
        };
        self.files.push(File {
            name: (start, end),
            size,
            at,
        });
        Ok(())
    }

    /// Returns the files in archive order.
    pub fn members(&self) -> Vec<Member<'_>> {
        let files = self.files.iter();
        let name = |(start, end): (u32, u32)| self.names.get(start as usize..end as usize);
        files
            .map(|file| Member {
                name: name(file.name).unwrap_or_default().into(),
                size: file.size,
                is_locked: false,
            })
            .collect()
    }
}

fn has_too_many() -> ledge_core::error::ReadError {
    limit("has too many files")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::fixtures::tar;

    #[test]
    fn files_are_listed_and_read() {
        let long = format!("{}/page.jpg", "folder".repeat(30));
        let bytes = tar(&[("a.txt", b"one"), (&long, b"two"), ("empty", b"")]);
        assert!(begins(&bytes));
        let mut tar = Tar::open(Cursor::new(bytes)).expect("an archive");
        let names: Vec<String> = tar
            .members()
            .into_iter()
            .map(|file| file.name.into_owned())
            .collect();
        assert_eq!(names, ["a.txt", long.as_str(), "empty"]);
        assert_eq!(tar.read(1, 10).expect("bytes"), b"two");
        assert_eq!(tar.head(0, 2).expect("bytes"), b"on");
        assert!(tar.read(0, 2).is_err());
        assert!(tar.read(3, 10).is_err());
    }

    #[test]
    fn names_of_extended_properties_are_read() {
        // A header of type `x` with a record, whose length includes itself.
        let mut bytes = tar(&[("x", b"21 path=folder/a.jpg\n"), ("a", b"one")]);
        bytes[156] = b'x';
        fix_checksum(&mut bytes[..512]);
        let tar = Tar::open(Cursor::new(bytes)).expect("an archive");
        let names: Vec<_> = tar.members().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["folder/a.jpg"]);
    }

    fn fix_checksum(header: &mut [u8]) {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    }

    #[test]
    fn name_above_the_size_limit_is_rejected() {
        let mut bytes = tar(&[("long", &vec![b'a'; 1 << 20]), ("a", b"one")]);
        bytes[156] = b'L';
        fix_checksum(&mut bytes[..512]);
        let error = Tar::open(Cursor::new(bytes)).expect_err("too long");
        assert!(matches!(error, ReadError::Limit(_)), "{error}");
    }

    #[test]
    fn truncated_archive_lists_files_before_the_cut() {
        let mut bytes = tar(&[("a.txt", b"one"), ("b.txt", b"two")]);
        bytes.truncate(1536 + 2);
        let tar = Tar::open(Cursor::new(bytes)).expect("an archive");
        assert_eq!(tar.members().len(), 1);
        assert!(Tar::open(Cursor::new(vec![0; 10_240])).is_err());
    }
}
