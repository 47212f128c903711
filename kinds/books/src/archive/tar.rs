//! Uncompressed tar archives (POSIX.1-2017, pax; with GNU's long names).

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use super::{MOST_MEMBERS, MOST_NAME_BYTES, Member, ReadResult, damaged, limit, missing};

/// Headers and contents fill whole blocks.
const BLOCK: u64 = 512;
/// Longest name or list of extended properties, in bytes.
const LONGEST_EXTENSION: u64 = 64 << 10;
/// Most headers, those of folders and links included.
const MOST_HEADERS: usize = 2 * MOST_MEMBERS;

/// Parsed headers of an archive. Several readers of one file can share them.
#[derive(Debug, Default)]
pub struct Directory {
    /// Names one after another.
    names: String,
    files: Vec<File>,
}

/// One file of an archive.
#[derive(Debug, Clone, Copy)]
struct File {
    /// Where its name begins and ends among all names.
    name: (u32, u32),
    size: u64,
    /// Where its bytes begin.
    at: u64,
}

/// An opened archive.
#[derive(Debug)]
pub struct Tar<R> {
    reader: R,
    directory: Arc<Directory>,
}

/// Whether a file that begins like this is such an archive.
pub fn begins(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") && has_right_sum(head)
}

impl<R: Read + Seek> Tar<R> {
    /// Reads every header. An archive that breaks off has the files up to there.
    pub fn open(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        let mut directory = Directory::default();
        let mut next = Extension::default();
        let mut at = 0;
        let mut header = [0; 512];
        for count in 0.. {
            if count == MOST_HEADERS {
                return Err(has_too_many());
            }
            reader.seek(SeekFrom::Start(at))?;
            if reader.read_exact(&mut header).is_err() || !has_right_sum(&header) {
                break;
            }
            let size = next.size.or(number(&header, 124, 12)).unwrap_or(0);
            let content = at + BLOCK;
            if content.checked_add(size).is_none_or(|end| end > length) {
                break;
            }
            match header.get(156) {
                Some(b'L') => next.name = Some(long_name(&mut reader, size)?),
                Some(b'x') => next.read(&mut reader, size)?,
                Some(b'0' | 0 | b'7') => {
                    let name = next.name.take().unwrap_or_else(|| name(&header));
                    next = Extension::default();
                    directory.add(&name, size, content)?;
                }
                _ => next = Extension::default(),
            }
            at = content + size.div_ceil(BLOCK) * BLOCK;
        }
        if at == 0 {
            return Err(damaged("is no tar archive"));
        }
        directory.names.shrink_to_fit();
        directory.files.shrink_to_fit();
        Ok(Self::with_directory(reader, Arc::new(directory)))
    }

    /// Opens an archive whose headers have been parsed before.
    pub fn with_directory(reader: R, directory: Arc<Directory>) -> Self {
        Self { reader, directory }
    }

    /// The parsed headers.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// The files in order.
    pub fn members(&self) -> Vec<Member<'_>> {
        self.directory.members()
    }

    /// The bytes of a file, which may be `most` at the most.
    ///
    /// # Errors
    /// [`ReadError::Damaged`](ledge_core::registry::reading::ReadError::Damaged) if the archive ends
    /// before the file does.
    pub fn read(&mut self, index: usize, most: u64) -> ReadResult<Vec<u8>> {
        let file = self.directory.files.get(index).copied();
        let size = file.ok_or_else(missing)?.size;
        if size > most {
            return Err(limit("a file in it is too large"));
        }
        let bytes = self.head(index, most)?;
        if bytes.len() as u64 != size {
            return Err(damaged("is a tar archive that was cut short"));
        }
        Ok(bytes)
    }

    /// The first bytes of a file.
    pub fn head(&mut self, index: usize, most: u64) -> ReadResult<Vec<u8>> {
        let file = self.directory.files.get(index).copied();
        let file = file.ok_or_else(missing)?;
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

    /// The files in order.
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

fn has_too_many() -> ledge_core::registry::reading::ReadError {
    limit("has too many files")
}

/// What a header says about the next one.
#[derive(Default)]
struct Extension {
    name: Option<String>,
    size: Option<u64>,
}

impl Extension {
    /// `LENGTH KEYWORD=VALUE\n`, again and again.
    fn read(&mut self, reader: &mut impl Read, size: u64) -> ReadResult<()> {
        let bytes = extension(reader, size)?;
        let mut rest = bytes.as_slice();
        while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
            let length = rest
                .get(..space)
                .and_then(|digits| text(digits).parse().ok());
            let Some(length) = length.filter(|length: &usize| *length > space) else {
                break;
            };
            let Some(record) = rest.get(space + 1..length) else {
                break;
            };
            if let Some((keyword, value)) = text(record).trim_end_matches('\n').split_once('=') {
                match keyword {
                    "path" => self.name = Some(value.to_owned()),
                    "size" => self.size = value.parse().ok(),
                    _ => {}
                }
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(())
    }
}

fn long_name(reader: &mut impl Read, size: u64) -> ReadResult<String> {
    Ok(text(until_nul(&extension(reader, size)?)))
}

fn extension(reader: &mut impl Read, size: u64) -> ReadResult<Vec<u8>> {
    if size > LONGEST_EXTENSION {
        return Err(limit("a name in it is too long"));
    }
    let mut bytes = Vec::new();
    reader.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn name(header: &[u8]) -> String {
    let field = |from, to| text(until_nul(header.get(from..to).unwrap_or_default()));
    let name = field(0, 100);
    let prefix = field(345, 500);
    let is_posix = header.get(257..263) == Some(b"ustar\0");
    if prefix.is_empty() || !is_posix {
        name
    } else {
        format!("{prefix}/{name}")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// An octal number; or, where it begins with a set bit, one of 64 bits.
fn number(header: &[u8], at: usize, len: usize) -> Option<u64> {
    let field = header.get(at..at + len)?;
    if field.first()? & 0x80 != 0 {
        let last = field.get(len.checked_sub(8)?..)?;
        return Some(u64::from_be_bytes(last.try_into().ok()?));
    }
    let digits = text(until_nul(field));
    u64::from_str_radix(digits.trim(), 8).ok()
}

/// The sum of a header's bytes stands in it, its own place counted as blanks.
fn has_right_sum(header: &[u8]) -> bool {
    let Some(stored) = number(header, 148, 8) else {
        return false;
    };
    let bytes = header.iter().take(512).enumerate();
    let sum: u64 = bytes
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                u64::from(*byte)
            }
        })
        .sum();
    header.len() >= 512 && sum == stored
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
    fn an_archive_that_breaks_off_has_the_files_before() {
        let mut bytes = tar(&[("a.txt", b"one"), ("b.txt", b"two")]);
        bytes.truncate(1536 + 2);
        let tar = Tar::open(Cursor::new(bytes)).expect("an archive");
        assert_eq!(tar.members().len(), 1);
        assert!(Tar::open(Cursor::new(vec![0; 10_240])).is_err());
    }
}
