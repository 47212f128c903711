//! The file system of a disc (ECMA-119): who it is for, and the few small files that tell of it.

use crate::sectors::{SECTOR, Sectors};
use crate::text;
use crate::windows::{ReadResult, le32};

/// Where the volume is described.
const DESCRIPTOR: u64 = 16;
/// Sectors of a folder that are looked at.
const LONGEST_FOLDER: u64 = 8;
/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 512;

/// The file system of a disc.
#[derive(Debug)]
pub struct Volume<'a, S> {
    sectors: &'a mut S,
    /// The system that the disc is for: `PLAYSTATION`.
    pub system: String,
    /// The volume's name.
    pub name: Option<String>,
    root: Extent,
}

/// Where a file or a folder lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    sector: u64,
    /// In bytes.
    pub(crate) length: u64,
}

impl<'a, S: Sectors> Volume<'a, S> {
    /// The file system of a disc; `None` where it has none.
    pub fn of(sectors: &'a mut S) -> ReadResult<Option<Self>> {
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

    /// A file or a folder by its path below the root.
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
        let mut seen = 0;
        let sectors = folder.length.div_ceil(SECTOR as u64).min(LONGEST_FOLDER);
        for number in 0..sectors {
            let bytes = self.sectors.sector(folder.sector.saturating_add(number))?;
            let mut rest = bytes.as_slice();
            // The rest of a sector that has no room for the next entry is empty.
            while let Some(length) = rest.first().filter(|length| **length > 0) {
                let Some((entry, behind)) = rest.split_at_checked(usize::from(*length)) else {
                    break;
                };
                seen += 1;
                if seen > MOST_ENTRIES {
                    return Ok(None);
                }
                if is_called(entry, name) {
                    return Ok(extent(entry));
                }
                rest = behind;
            }
        }
        Ok(None)
    }

    /// The bytes of a file; none but the first ones of a longer one.
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
        sector: le32(entry, 2)?.into(),
        length: le32(entry, 10)?.into(),
    })
}

/// Whether an entry has this name, behind which a file's version stands.
fn is_called(entry: &[u8], name: &str) -> bool {
    let length = entry.get(32).copied().unwrap_or_default();
    let own = entry.get(33..33 + usize::from(length)).unwrap_or_default();
    let own = own.split(|byte| *byte == b';').next().unwrap_or_default();
    own.eq_ignore_ascii_case(name.as_bytes())
}
