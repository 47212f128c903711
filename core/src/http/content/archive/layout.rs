//! Layout of an archive: the pieces in their order, with their lengths and bytes.
//!
//! Each entry has a local header, its content and a data descriptor. The central directory and its
//! end follow. Sections of APPNOTE 6.3.10 are named at the structures.

use super::super::range::ByteRange;
use crate::id::FileId;

/// Bit 3: the checksum and the sizes follow the content. Bit 11: names are UTF-8.
const FLAGS: u16 = 1 << 3 | 1 << 11;
/// Version of the format that readers need: 2.0, and 4.5 for ZIP64.
const VERSION: u16 = 20;
const VERSION_ZIP64: u16 = 45;
/// Made by version 4.5 on Unix.
const MADE_BY: u16 = 3 << 8 | VERSION_ZIP64;
/// A regular file with the permissions `rw-r--r--`.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// Values that are too large for a field.
const MAX_16: u16 = u16::MAX;
const MAX_32: u32 = u32::MAX;

/// File of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) file: FileId,
    /// Name in the archive, at most 65,535 bytes.
    pub(super) name: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Modification time in nanoseconds since 1970.
    pub(super) mtime_ns: i128,
}

impl Entry {
    /// Returns `true` if the size does not fit into 32 bits.
    fn is_large(&self) -> bool {
        self.size >= MAX_32.into()
    }

    fn version(&self) -> u16 {
        if self.is_large() {
            VERSION_ZIP64
        } else {
            VERSION
        }
    }

    fn name_length(&self) -> u16 {
        u16::try_from(self.name.len()).expect("names are cut at 32 KiB")
    }
}

/// Part of an archive. The numbers are indices of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Header(usize),
    Content(usize),
    Descriptor(usize),
    Directory(usize),
    End,
}

/// An entry with the offset of its header.
#[derive(Debug)]
struct Placed {
    entry: Entry,
    offset: u64,
}

/// Pieces of an archive.
#[derive(Debug)]
pub(super) struct Layout {
    entries: Vec<Placed>,
    /// Offset of the central directory.
    directory: u64,
    /// Length of the central directory.
    directory_size: u64,
}

impl Layout {
    /// Places the entries one after another.
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut layout = Self {
            entries: Vec::with_capacity(entries.len()),
            directory: 0,
            directory_size: 0,
        };
        for entry in entries {
            let offset = layout.directory;
            let fixed = header(&entry).len() + descriptor(&entry, 0).len();
            layout.directory += entry.size + fixed as u64;
            layout.directory_size += directory(&entry, offset, 0).len() as u64;
            layout.entries.push(Placed { entry, offset });
        }
        layout
    }

    /// Returns `true` if the archive has no entry.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of entries.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns an entry by its index.
    pub(super) fn entry(&self, at: usize) -> Option<&Entry> {
        self.entries.get(at).map(|placed| &placed.entry)
    }

    /// Returns the length of the archive in bytes.
    pub(super) fn size(&self) -> u64 {
        self.directory + self.directory_size + self.end().len() as u64
    }

    /// Returns a strong entity tag. It changes with the names, sizes, times and ids of the files.
    pub(super) fn etag(&self) -> String {
        let mut hash = blake3::Hasher::new();
        for Placed { entry, .. } in &self.entries {
            hash.update(&entry.file.0.to_le_bytes());
            hash.update(&entry.size.to_le_bytes());
            hash.update(&entry.mtime_ns.to_le_bytes());
            hash.update(&(entry.name.len() as u64).to_le_bytes());
            hash.update(entry.name.as_bytes());
        }
        let hex = hash.finalize().to_hex();
        format!("\"zip-{}\"", &hex.as_str().get(..32).unwrap_or_default())
    }

    /// Returns the piece that contains the first byte of a range, and the offset in it.
    pub(super) fn find(&self, range: ByteRange) -> (Piece, u64) {
        let at = range.first;
        if let Some(in_directory) = at.checked_sub(self.directory) {
            return self.find_in_directory(in_directory);
        }
        let after = self.entries.partition_point(|placed| placed.offset <= at);
        let index = after.saturating_sub(1);
        let start = self.entries.get(index).map_or(0, |placed| placed.offset);
        self.walk(Piece::Header(index), at - start)
    }

    fn find_in_directory(&self, offset: u64) -> (Piece, u64) {
        if let Some(offset) = offset.checked_sub(self.directory_size) {
            return (Piece::End, offset);
        }
        self.walk(Piece::Directory(0), offset)
    }

    /// Walks from the start of a piece to an offset.
    fn walk(&self, mut piece: Piece, mut offset: u64) -> (Piece, u64) {
        while let Some(rest) = offset.checked_sub(self.length(piece)) {
            let Some(next) = self.after(piece) else {
                break;
            };
            (piece, offset) = (next, rest);
        }
        (piece, offset)
    }

    /// Returns the piece after this one, or `None` after the end.
    pub(super) fn after(&self, piece: Piece) -> Option<Piece> {
        let is_last = |at: usize| at + 1 >= self.entries.len();
        Some(match piece {
            Piece::Header(at) => Piece::Content(at),
            Piece::Content(at) => Piece::Descriptor(at),
            Piece::Descriptor(at) if is_last(at) => Piece::Directory(0),
            Piece::Descriptor(at) => Piece::Header(at + 1),
            Piece::Directory(at) if is_last(at) => Piece::End,
            Piece::Directory(at) => Piece::Directory(at + 1),
            Piece::End => return None,
        })
    }

    /// Returns the length of a piece in bytes.
    pub(super) fn length(&self, piece: Piece) -> u64 {
        match piece {
            Piece::Content(at) => self.entry(at).map_or(0, |entry| entry.size),
            piece => self.bytes(piece, 0).len() as u64,
        }
    }

    /// Returns the bytes of a piece that is not content. `crc` is the checksum of its entry.
    pub(super) fn bytes(&self, piece: Piece, crc: u32) -> Vec<u8> {
        let placed = |at: usize| self.entries.get(at);
        let bytes = match piece {
            Piece::Header(at) => placed(at).map(|placed| header(&placed.entry)),
            Piece::Descriptor(at) => placed(at).map(|placed| descriptor(&placed.entry, crc)),
            Piece::Directory(at) => {
                placed(at).map(|placed| directory(&placed.entry, placed.offset, crc))
            }
            Piece::End => Some(self.end()),
            Piece::Content(_) => None,
        };
        bytes.unwrap_or_default()
    }

    /// Returns the end of central directory record (4.3.16), after its ZIP64 form if a value is too
    /// large (4.3.14 and 4.3.15).
    fn end(&self) -> Vec<u8> {
        let count = self.entries.len() as u64;
        let (size, offset) = (self.directory_size, self.directory);
        let is_zip64 = count >= MAX_16.into() || size >= MAX_32.into() || offset >= MAX_32.into();
        let mut end = Fields::default();
        if is_zip64 {
            let record = offset + size;
            end.u32(0x0606_4b50).u64(44).u16(MADE_BY).u16(VERSION_ZIP64);
            end.u32(0)
                .u32(0)
                .u64(count)
                .u64(count)
                .u64(size)
                .u64(offset);
            end.u32(0x0706_4b50).u32(0).u64(record).u32(1);
        }
        let count = u16::try_from(count).unwrap_or(MAX_16);
        end.u32(0x0605_4b50).u16(0).u16(0).u16(count).u16(count);
        end.u32(limited(size)).u32(limited(offset)).u16(0);
        end.0
    }
}

/// Returns the local header (4.3.7). Checksum and sizes are in the descriptor.
fn header(entry: &Entry) -> Vec<u8> {
    let mut header = Fields::default();
    header
        .u32(0x0403_4b50)
        .u16(entry.version())
        .u16(FLAGS)
        .u16(0);
    header.time(entry.mtime_ns).u32(0);
    if entry.is_large() {
        // The extra field announces that the descriptor has sizes of eight bytes (4.3.9.2).
        header
            .u32(MAX_32)
            .u32(MAX_32)
            .u16(entry.name_length())
            .u16(20);
        header.text(&entry.name).u16(1).u16(16).u64(0).u64(0);
    } else {
        header.u32(0).u32(0).u16(entry.name_length()).u16(0);
        header.text(&entry.name);
    }
    header.0
}

/// Returns the data descriptor (4.3.9).
fn descriptor(entry: &Entry, crc: u32) -> Vec<u8> {
    let mut descriptor = Fields::default();
    descriptor.u32(0x0807_4b50).u32(crc);
    if entry.is_large() {
        descriptor.u64(entry.size).u64(entry.size);
    } else {
        let size = limited(entry.size);
        descriptor.u32(size).u32(size);
    }
    descriptor.0
}

/// Returns the header in the central directory (4.3.12), with an extra field for values that do not
/// fit into 32 bits (4.5.3).
fn directory(entry: &Entry, offset: u64, crc: u32) -> Vec<u8> {
    let is_far = offset >= MAX_32.into();
    let mut extra = Fields::default();
    if entry.is_large() || is_far {
        let length = if entry.is_large() { 16 } else { 0 } + if is_far { 8 } else { 0 };
        extra.u16(1).u16(length);
        if entry.is_large() {
            extra.u64(entry.size).u64(entry.size);
        }
        if is_far {
            extra.u64(offset);
        }
    }
    let version = if is_far {
        VERSION_ZIP64
    } else {
        entry.version()
    };
    let extra_length = u16::try_from(extra.0.len()).expect("28 bytes at most");
    let size = limited(entry.size);
    let mut header = Fields::default();
    header
        .u32(0x0201_4b50)
        .u16(MADE_BY)
        .u16(version)
        .u16(FLAGS)
        .u16(0);
    header.time(entry.mtime_ns).u32(crc).u32(size).u32(size);
    header.u16(entry.name_length()).u16(extra_length);
    header
        .u16(0)
        .u16(0)
        .u16(0)
        .u32(ATTRIBUTES)
        .u32(limited(offset));
    header.text(&entry.name).bytes(&extra.0);
    header.0
}

/// Returns the value, or the largest one if it is in a ZIP64 field.
fn limited(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(MAX_32)
}

/// Little-endian fields.
#[derive(Debug, Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Writes time and date of MS-DOS (4.4.6) in UTC: steps of two seconds from 1980 to 2107.
    fn time(&mut self, mtime_ns: i128) -> &mut Self {
        let (time, date) = dos_time(mtime_ns);
        self.u16(time).u16(date)
    }
}

fn dos_time(mtime_ns: i128) -> (u16, u16) {
    const FIRST: (u16, u16) = (clock(0, 0, 0), date(1980, 1, 1));
    const LAST: (u16, u16) = (clock(23, 59, 58), date(2107, 12, 31));
    let Ok(time) = jiff::Timestamp::from_nanosecond(mtime_ns) else {
        return if mtime_ns < 0 { FIRST } else { LAST };
    };
    let time = jiff::tz::TimeZone::UTC.to_datetime(time);
    let field = |value: i8| u16::from(value.unsigned_abs());
    match time.year() {
        ..1980 => FIRST,
        2108.. => LAST,
        year => (
            clock(
                field(time.hour()),
                field(time.minute()),
                field(time.second()),
            ),
            date(year.unsigned_abs(), field(time.month()), field(time.day())),
        ),
    }
}

const fn clock(hour: u16, minute: u16, second: u16) -> u16 {
    (hour << 11) | (minute << 5) | (second / 2)
}

const fn date(year: u16, month: u16, day: u16) -> u16 {
    ((year - 1980) << 9) | (month << 5) | day
}

#[cfg(test)]
mod tests;
