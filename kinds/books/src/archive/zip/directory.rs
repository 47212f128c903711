//! The directory of an archive: its files, and how each is packed.

use std::io::{BufReader, Read, Take};

use flate2::bufread::DeflateDecoder;

use super::bytes::{u16_at, u32_at, u64_at};

/// Fixed part of an entry.
const HEADER: usize = 46;

/// One file of an archive.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub(super) name_at: usize,
    pub(super) name_len: usize,
    pub(super) method: u16,
    /// Unpacking needs a password.
    pub is_encrypted: bool,
    /// Checksum of the unpacked bytes.
    pub crc: u32,
    pub(super) compressed: u64,
    /// Unpacked size, as the directory has it.
    pub size: u64,
    pub(super) offset: u64,
}

impl Entry {
    /// What comes out of the entry's packed bytes, up to the size that the directory promises.
    pub fn unpacked<P: Read>(&self, packed: P) -> impl Read + use<P> {
        if self.method == 0 {
            Unpacked::Stored(packed.take(self.size))
        } else {
            let packed = BufReader::with_capacity(16 << 10, packed);
            Unpacked::Deflated(DeflateDecoder::new(packed).take(self.size))
        }
    }

    /// Size of the packed bytes.
    pub fn packed_size(&self) -> u64 {
        self.compressed
    }
}

enum Unpacked<P> {
    Stored(Take<P>),
    Deflated(Take<DeflateDecoder<BufReader<P>>>),
}

impl<P: Read> Read for Unpacked<P> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Stored(packed) => packed.read(buffer),
            Self::Deflated(packed) => packed.read(buffer),
        }
    }
}

/// The files of a directory; a damaged one ends the list.
pub(super) fn entries(directory: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while let Some((entry, next)) = entry(directory, at) {
        entries.extend(entry);
        at = next;
    }
    entries
}

/// The entry at a place in the directory, unless it is no file, and where the next one begins.
fn entry(directory: &[u8], at: usize) -> Option<(Option<Entry>, usize)> {
    let header = directory.get(at..)?;
    if !header.starts_with(b"PK\x01\x02") {
        return None;
    }
    let short = |at| u16_at(header, at);
    let name_len = usize::from(short(28)?);
    let extra_len = usize::from(short(30)?);
    let name = header.get(HEADER..HEADER + name_len)?;
    let extra_at = HEADER + name_len;
    let extra = header.get(extra_at..extra_at + extra_len)?;
    let next = at + extra_at + extra_len + usize::from(short(32)?);
    // The upper half of the attributes is a file's mode where a Unix made the archive.
    let is_link = header.get(5) == Some(&3) && short(40)? & 0o170_000 == 0o120_000;
    if name.ends_with(b"/") || name.is_empty() || is_link {
        return Some((None, next));
    }
    let mut entry = Entry {
        name_at: at + HEADER,
        name_len,
        method: short(10)?,
        is_encrypted: short(8)? & 1 != 0,
        crc: u32_at(header, 16)?,
        compressed: u32_at(header, 20)?.into(),
        size: u32_at(header, 24)?.into(),
        offset: u32_at(header, 42)?.into(),
    };
    entry.lengthen(extra);
    Some((Some(entry), next))
}

impl Entry {
    /// Puts in the 64-bit values that did not fit (APPNOTE.TXT 4.5.3).
    fn lengthen(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
            let end = 4 + usize::from(len);
            if id == 1 {
                let mut values = extra.get(4..end).unwrap_or_default();
                for field in [&mut self.size, &mut self.compressed, &mut self.offset] {
                    if *field == u64::from(u32::MAX)
                        && let Some(value) = u64_at(values, 0)
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
