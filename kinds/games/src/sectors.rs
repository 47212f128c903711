//! The sectors of a disc image: plain, or raw with what the drive needs around each.

use std::io::{Read, Seek};

use crate::windows::{ReadResult, Windows};

/// Bytes of user data in a sector.
pub(crate) const SECTOR: usize = 2048;

/// How every raw sector begins.
const SYNC: [u8; 12] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0];
/// Raw sectors, without and with subchannels.
const RAW: [u64; 2] = [2352, 2448];

/// What sectors are read from.
pub trait Sectors {
    /// The user data of a sector; less where the image ends before.
    fn sector(&mut self, number: u64) -> ReadResult<Vec<u8>>;
}

/// A disc image, and how its sectors lie in it.
#[derive(Debug)]
pub struct Image<'a, R> {
    file: &'a mut Windows<R>,
    length: u64,
    data: u64,
}

impl<'a, R: Read + Seek> Image<'a, R> {
    /// The sectors of an image, whose length the first of them tell.
    pub fn of(file: &'a mut Windows<R>) -> ReadResult<Self> {
        let start = file.read(0, 16)?;
        let (mut length, mut data) = (SECTOR as u64, 0);
        if start.starts_with(&SYNC) {
            // The sector's mode, and the subheader that the second has.
            data = if start.last() == Some(&2) { 24 } else { 16 };
            length = RAW[0];
            for raw in RAW {
                if file.read(raw, SYNC.len())? == SYNC {
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
        self.file.read(at, SECTOR)
    }
}
