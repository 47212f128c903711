//! Sectors of a disc image: plain, or raw with synchronisation and error correction data.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

/// Bytes of user data in a sector.
pub(crate) const SECTOR: usize = 2048;

/// Sync pattern at the start of a raw sector.
const SYNC: [u8; 12] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0];
/// Sizes of raw sectors without and with subchannel data, in bytes.
const RAW: [u64; 2] = [2352, 2448];

/// Source of sectors.
pub trait Sectors {
    /// Reads the user data of a sector, or less if the image ends before.
    fn sector(&mut self, number: u64) -> ReadResult<Vec<u8>>;
}

/// Disc image with the layout of its sectors.
#[derive(Debug)]
pub struct Image<'a, R> {
    file: &'a mut Source<R>,
    length: u64,
    data: u64,
}

impl<'a, R: Read + Seek> Image<'a, R> {
    /// Detects the sector layout by the first sectors of an image.
    pub fn open(file: &'a mut Source<R>) -> ReadResult<Self> {
        let start = file.read_vec_at(0, 16)?;
        let (mut length, mut data) = (SECTOR as u64, 0);
        if start.starts_with(&SYNC) {
            // The sync pattern and the mode, and in mode 2 a subheader.
            data = if start.last() == Some(&2) { 24 } else { 16 };
            length = RAW[0];
            for raw in RAW {
                if file.read_vec_at(raw, SYNC.len())? == SYNC {
                    length = raw;
                    break;
                }
            }
        }
        Ok(Self { file, length, data })
    }
}

impl<R: Read + Seek> Sectors for Image<'_, R> {
    fn sector(&mut self, number: u64) -> ReadResult<Vec<u8>> {
        let at = number.saturating_mul(self.length).saturating_add(self.data);
        self.file.read_vec_at(at, SECTOR)
    }
}
