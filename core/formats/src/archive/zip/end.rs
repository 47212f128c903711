//! The end records of an archive, which give the position of its directory.

use std::io::{Read, Seek, SeekFrom};

use crate::bytes::BytesAt;
use crate::error::{ReadResult, damaged};

/// Longest end record including its comment, in bytes.
pub(super) const LONGEST: u64 = 22 + 65_535;

/// Values of the end record.
pub(super) struct End {
    /// Offset of the end record, or of the ZIP64 record if there is one.
    at: u64,
    pub(super) entries: u64,
    pub(super) size: u64,
    pub(super) offset: u64,
}

impl End {
    /// Searches the last `tail` bytes of a file of `length` bytes for the end record.
    pub(super) fn find<R: Read + Seek>(
        reader: &mut R,
        length: u64,
        tail: u64,
    ) -> ReadResult<Option<Self>> {
        let start = length.saturating_sub(tail);
        reader.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        reader
            .by_ref()
            .take(length - start)
            .read_to_end(&mut tail)?;
        let found = tail.windows(4).rposition(|window| window == b"PK\x05\x06");
        let Some(found) = found else {
            return Ok(None);
        };
        let record = tail.get(found..).unwrap_or_default();
        let (Some(entries), Some(size), Some(offset)) =
            (record.le16(10), record.le32(12), record.le32(16))
        else {
            return Err(damaged("is a ZIP archive that was cut short"));
        };
        let is_long = entries == u16::MAX || size == u32::MAX || offset == u32::MAX;
        if is_long
            && let Some(locator) = found.checked_sub(20).and_then(|at| tail.get(at..found))
            && locator.starts_with(b"PK\x06\x07")
            && let Some(end) = Self::read_zip64(reader, locator.le64(8).unwrap_or(u64::MAX))
        {
            return Ok(Some(end));
        }
        Ok(Some(Self {
            at: start + found as u64,
            entries: entries.into(),
            size: size.into(),
            offset: offset.into(),
        }))
    }

    /// Reads the ZIP64 end record (APPNOTE.TXT 4.3.14).
    fn read_zip64<R: Read + Seek>(reader: &mut R, at: u64) -> Option<Self> {
        let mut record = [0; 56];
        let is_there = reader.seek(SeekFrom::Start(at)).is_ok()
            && reader.read_exact(&mut record).is_ok()
            && record.starts_with(b"PK\x06\x06");
        let fields = [32, 40, 48].map(|at| record.le64(at));
        match fields {
            [Some(entries), Some(size), Some(offset)] if is_there => Some(Self {
                at,
                entries,
                size,
                offset,
            }),
            _ => None,
        }
    }

    /// Returns the offset of the directory. If other data precedes the archive, the declared offset
    /// is wrong and the directory ends at the end record.
    pub(super) fn start<R: Read + Seek>(&self, reader: &mut R) -> ReadResult<u64> {
        if self.entries == 0 {
            return Ok(self.offset);
        }
        let offsets = [Some(self.offset), self.at.checked_sub(self.size)];
        for offset in offsets.into_iter().flatten() {
            let mut mark = [0; 4];
            let is_there = reader.seek(SeekFrom::Start(offset)).is_ok()
                && reader.read_exact(&mut mark).is_ok();
            if is_there && mark == *b"PK\x01\x02" {
                return Ok(offset);
            }
        }
        Err(damaged("is a ZIP archive without its directory"))
    }
}
