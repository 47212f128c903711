//! Where an archive's directory is: the records that end it.

use std::io::{Read, Seek, SeekFrom};

use super::super::{ReadResult, damaged};
use super::bytes::{u16_at, u32_at, u64_at};

/// Longest record with its comment.
pub(super) const LONGEST: u64 = 22 + 65_535;

/// What the record at the end of an archive says.
pub(super) struct End {
    /// Where the record, or the longer one before it, begins.
    at: u64,
    pub(super) entries: u64,
    pub(super) size: u64,
    pub(super) offset: u64,
}

impl End {
    /// Looks for the record in the last bytes of a file of `length` bytes.
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
            (u16_at(record, 10), u32_at(record, 12), u32_at(record, 16))
        else {
            return Err(damaged("is a ZIP archive that was cut short"));
        };
        let is_long = entries == u16::MAX || size == u32::MAX || offset == u32::MAX;
        if is_long
            && let Some(locator) = found.checked_sub(20).and_then(|at| tail.get(at..found))
            && locator.starts_with(b"PK\x06\x07")
            && let Some(end) = Self::long(reader, u64_at(locator, 8).unwrap_or(u64::MAX))
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

    /// The record of archives with 64-bit sizes (APPNOTE.TXT 4.3.14).
    fn long<R: Read + Seek>(reader: &mut R, at: u64) -> Option<Self> {
        let mut record = [0; 56];
        let is_there = reader.seek(SeekFrom::Start(at)).is_ok()
            && reader.read_exact(&mut record).is_ok()
            && record.starts_with(b"PK\x06\x06");
        let fields = [32, 40, 48].map(|at| u64_at(&record, at));
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

    /// Where the directory really begins: before its end record, also where something was put in
    /// front of the archive and its offsets say something else.
    pub(super) fn start<R: Read + Seek>(&self, reader: &mut R) -> ReadResult<u64> {
        if self.entries == 0 {
            return Ok(self.offset);
        }
        let places = [Some(self.offset), self.at.checked_sub(self.size)];
        for place in places.into_iter().flatten() {
            let mut mark = [0; 4];
            let is_there =
                reader.seek(SeekFrom::Start(place)).is_ok() && reader.read_exact(&mut mark).is_ok();
            if is_there && mark == *b"PK\x01\x02" {
                return Ok(place);
            }
        }
        Err(damaged("is a ZIP archive without its directory"))
    }
}
