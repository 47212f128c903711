//! The file system of a disc (ECMA-119): its system identifier, and lookup of small files.

use ledge_formats::ReadResult;
use ledge_formats::bytes::BytesAt;

use crate::reading::sectors::{SECTOR, Sectors};
use crate::reading::text;

/// Sector of the primary volume descriptor.
const DESCRIPTOR: u64 = 16;
/// Most sectors of a folder that are read.
const MAX_FOLDER_SECTORS: u64 = 8;
/// Most entries of a folder that are read.
const MAX_ENTRIES: usize = 512;

/// The file system of a disc.
#[derive(Debug)]
pub struct Volume<'a, S> {
    sectors: &'a mut S,
    /// System identifier of the disc, such as `PLAYSTATION`.
    pub system: String,
    /// Volume name.
    pub name: Option<String>,
    root: Extent,
}

/// Position of a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    sector: u64,
    /// Length in bytes.
    pub(crate) length: u64,
}

impl<'a, S: Sectors> Volume<'a, S> {
    /// Reads the volume descriptor. Returns `None` if the disc has no such file system.
    pub fn open(sectors: &'a mut S) -> ReadResult<Option<Self>> {
        let bytes = sectors.sector(DESCRIPTOR)?;
        let Some((system, name, root)) = describe(&bytes) else {
            return Ok(None);
        };
        Ok(Some(Self {
            sectors,
            system,
            name,
            root,
        }))
    }

    /// Returns a file or a folder by its path below the root.
    pub(crate) fn find(&mut self, path: &[&str]) -> ReadResult<Option<Extent>> {
        let mut extent = self.root;
        for name in path {
            match self.entry(extent, name)? {
                Some(found) => extent = found,
                None => return Ok(None),
            }
        }
        Ok(Some(extent))
    }

    fn entry(&mut self, folder: Extent, name: &str) -> ReadResult<Option<Extent>> {
        let mut entry_count = 0;
        let sectors = folder
            .length
            .div_ceil(SECTOR as u64)
            .min(MAX_FOLDER_SECTORS);
        for number in 0..sectors {
            let bytes = self.sectors.sector(folder.sector.saturating_add(number))?;
            let mut rest = bytes.as_slice();
            // An entry does not cross sectors. The unused end of a sector contains zeros.
            while let Some(length) = rest.first().filter(|length| **length > 0) {
                let Some((entry, behind)) = rest.split_at_checked(usize::from(*length)) else {
                    break;
                };
                entry_count += 1;
                if entry_count > MAX_ENTRIES {
                    return Ok(None);
                }
                if has_name(entry, name) {
                    return Ok(extent(entry));
                }
                rest = behind;
            }
        }
        Ok(None)
    }

    /// Reads up to `most` bytes from the start of a file.
    pub(crate) fn read(&mut self, file: Extent, most: usize) -> ReadResult<Vec<u8>> {
        let length = usize::try_from(file.length).unwrap_or(most).min(most);
        let mut bytes = Vec::with_capacity(length);
        for number in 0..length.div_ceil(SECTOR) as u64 {
            bytes.extend(self.sectors.sector(file.sector.saturating_add(number))?);
        }
        bytes.truncate(length);
        Ok(bytes)
    }
}

fn describe(bytes: &[u8]) -> Option<(String, Option<String>, Extent)> {
    if !bytes.starts_with(b"\x01CD001") {
        return None;
    }
    let system = bytes.get(8..40).and_then(text::ascii).unwrap_or_default();
    let name = bytes.get(40..72).and_then(text::ascii);
    Some((system, name, extent(bytes.get(156..190)?)?))
}

fn extent(entry: &[u8]) -> Option<Extent> {
    Some(Extent {
        sector: entry.le32(2)?.into(),
        length: entry.le32(10)?.into(),
    })
}

/// Returns true if an entry has this name, ignoring a version suffix.
fn has_name(entry: &[u8], name: &str) -> bool {
    let length = entry.get(32).copied().unwrap_or_default();
    let entry_name = entry.get(33..33 + usize::from(length)).unwrap_or_default();
    let entry_name = entry_name
        .split(|byte| *byte == b';')
        .next()
        .unwrap_or_default();
    entry_name.eq_ignore_ascii_case(name.as_bytes())
}
