//! The central directory of an archive: its files, and the packing method of each.

use std::io::{self, BufReader, Read};

use flate2::bufread::DeflateDecoder;

use super::super::{MOST_MEMBERS, MOST_NAME_BYTES};
use super::directory_too_long;
use crate::bytes::BytesAt;
use crate::error::ReadResult;

/// Size of the fixed part of an entry, in bytes.
const HEADER: usize = 46;

/// One file of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    name_at: u32,
    name_len: u16,
    pub(super) method: u16,
    /// True if unpacking needs a password.
    pub is_encrypted: bool,
    /// CRC-32 of the unpacked bytes.
    pub crc: u32,
    pub(super) compressed: u64,
    /// Unpacked size in bytes, as declared by the directory.
    pub size: u64,
    pub(super) offset: u64,
}

impl Entry {
    /// Returns a reader of all unpacked bytes. Their number may differ from the declared size.
    pub fn unpacked<P: Read>(&self, packed: P) -> impl Read + use<P> {
        if self.method == 0 {
            Unpacked::Stored(packed)
        } else {
            let packed = BufReader::with_capacity(16 << 10, packed);
            Unpacked::Deflated(DeflateDecoder::new(packed))
        }
    }

    /// Returns true for the packing methods that can be unpacked: stored and deflated.
    pub fn is_supported(&self) -> bool {
        matches!(self.method, 0 | 8)
    }

    /// Returns the size of the packed bytes.
    pub fn packed_size(&self) -> u64 {
        self.compressed
    }
}

enum Unpacked<P> {
    Stored(P),
    Deflated(DeflateDecoder<BufReader<P>>),
}

impl<P: Read> Read for Unpacked<P> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Stored(packed) => packed.read(buffer),
            Self::Deflated(packed) => packed.read(buffer),
        }
    }
}

/// Files of a directory, with their concatenated names.
#[derive(Debug, Default)]
pub(super) struct Files {
    names: Vec<u8>,
    entries: Vec<Entry>,
}

impl Files {
    /// Parses the files of a directory. A damaged entry ends the list.
    ///
    /// # Errors
    /// [`ReadError::Limit`](crate::ReadError::Limit) if there are more than
    /// [`MOST_MEMBERS`] files or [`MOST_NAME_BYTES`] bytes of names.
    pub(super) fn read(mut source: impl Read) -> ReadResult<Self> {
        let mut files = Self::default();
        let mut header = [0; HEADER];
        let mut rest = Vec::new();
        while fill(&mut source, &mut header)? == HEADER && header.starts_with(b"PK\x01\x02") {
            let lengths = [28, 30, 32].map(|at| usize::from(header.le16(at).unwrap_or(0)));
            let [name_len, extra_len, comment_len] = lengths;
            rest.resize(name_len + extra_len + comment_len, 0);
            let length = fill(&mut source, &mut rest)?;
            // A truncated comment does not matter.
            let parts = rest.get(..length).and_then(|rest| {
                let (name, rest) = rest.split_at_checked(name_len)?;
                Some((name, rest.get(..extra_len)?))
            });
            let Some((name, extra)) = parts else {
                break;
            };
            if is_file(&header, name) {
                files.add(&header, name, extra)?;
            }
        }
        files.names.shrink_to_fit();
        files.entries.shrink_to_fit();
        Ok(files)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn name(&self, entry: &Entry) -> &[u8] {
        let start = entry.name_at as usize;
        let end = start + usize::from(entry.name_len);
        self.names.get(start..end).unwrap_or_default()
    }

    fn add(&mut self, header: &[u8; HEADER], name: &[u8], extra: &[u8]) -> ReadResult<()> {
        let is_full = self.entries.len() == MOST_MEMBERS;
        if is_full || self.names.len() + name.len() > MOST_NAME_BYTES {
            return Err(directory_too_long());
        }
        let short = |at| header.le16(at).unwrap_or(0);
        let long = |at| header.le32(at).unwrap_or(0);
        let mut entry = Entry {
            name_at: u32::try_from(self.names.len()).map_err(|_| directory_too_long())?,
            name_len: u16::try_from(name.len()).map_err(|_| directory_too_long())?,
            method: short(10),
            is_encrypted: short(8) & 1 != 0,
            crc: long(16),
            compressed: long(20).into(),
            size: long(24).into(),
            offset: long(42).into(),
        };
        entry.apply_zip64(extra);
        self.names.extend(name);
        self.entries.push(entry);
        Ok(())
    }
}

/// Returns true for a file, and false for a folder or a symbolic link.
fn is_file(header: &[u8; HEADER], name: &[u8]) -> bool {
    // The upper half of the attributes is the file mode if a Unix system made the archive.
    let mode = header.le16(40).unwrap_or(0);
    let is_link = header.get(5) == Some(&3) && mode & 0o170_000 == 0o120_000;
    !(name.ends_with(b"/") || name.is_empty() || is_link)
}

/// Reads until the buffer is full or the source ends. Returns the number of bytes read.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

impl Entry {
    /// Replaces 32-bit values by those of the ZIP64 extra field (APPNOTE.TXT 4.5.3).
    fn apply_zip64(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(len)) = (extra.le16(0), extra.le16(2)) {
            let end = 4 + usize::from(len);
            if id == 1 {
                let mut values = extra.get(4..end).unwrap_or_default();
                for field in [&mut self.size, &mut self.compressed, &mut self.offset] {
                    if *field == u64::from(u32::MAX)
                        && let Some(value) = values.le64(0)
                    {
                        *field = value;
                        values = values.get(8..).unwrap_or_default();
                    }
                }
                return;
            }
            extra = extra.get(end..).unwrap_or_default();
        }
    }
}
