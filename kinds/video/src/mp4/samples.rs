//! Where the samples of a stream lie, and when each is shown: for text, of which there is little.

use std::io::{Read, Seek};

use super::atom::{Atom, Atoms};
use super::track::Trak;
use crate::input::{Bytes, Input, ReadResult};

/// Most samples of a stream of text.
const MOST: usize = 100_000;
/// Longest table of them, in bytes.
const LONGEST: usize = 4 << 20;

/// A piece of a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Where it lies.
    pub offset: u64,
    /// How long it is.
    pub length: u32,
    /// When it begins, in seconds.
    pub start: f64,
    /// When it ends.
    pub end: f64,
}

/// The samples of a stream, at most `most`.
pub fn samples_of<R: Read + Seek>(
    input: &mut Input<R>,
    trak: &Trak,
    most: usize,
) -> ReadResult<Vec<Sample>> {
    let Some(table) = trak.table else {
        return Ok(Vec::new());
    };
    let most = most.min(MOST);
    let tables = Tables::read(input, table, most)?;
    Ok(tables.samples(trak.scale.max(1), most))
}

#[derive(Default)]
struct Tables {
    /// Samples in a row, and how long each is.
    times: Vec<(u32, u32)>,
    /// First chunk and its kin, and how many samples each has.
    chunks: Vec<(u32, u32)>,
    sizes: Vec<u32>,
    offsets: Vec<u64>,
}

impl Tables {
    fn read<R: Read + Seek>(input: &mut Input<R>, table: Atom, most: usize) -> ReadResult<Self> {
        let mut tables = Self::default();
        let mut atoms = Atoms::inside(table);
        while let Some(atom) = atoms.next(input)? {
            if !matches!(
                &atom.kind,
                b"stts" | b"stsc" | b"stsz" | b"stz2" | b"stco" | b"co64"
            ) {
                continue;
            }
            let mut bytes = Bytes(atom.content(input, 4, LONGEST)?);
            match &atom.kind {
                b"stts" => {
                    tables.times = rows(&mut bytes, most, |row| Some((row.u32()?, row.u32()?)));
                }
                b"stsc" => {
                    tables.chunks = rows(&mut bytes, most, |row| {
                        let pair = (row.u32()?, row.u32()?);
                        row.skip(4)?;
                        Some(pair)
                    });
                }
                b"stco" => tables.offsets = rows(&mut bytes, most, |row| row.u32().map(u64::from)),
                b"co64" => tables.offsets = rows(&mut bytes, most, long),
                b"stsz" => tables.sizes = sizes(&mut bytes, most).unwrap_or_default(),
                _ => {}
            }
        }
        Ok(tables)
    }

    #[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
    fn samples(&self, scale: u32, most: usize) -> Vec<Sample> {
        let seconds = |ticks: u64| ticks as f64 / f64::from(scale);
        let mut lengths = self.times.iter().flat_map(|(count, length)| {
            let count = usize::try_from(*count).unwrap_or(most).min(most);
            std::iter::repeat_n(*length, count)
        });
        let mut sizes = self.sizes.iter();
        let (mut samples, mut time) = (Vec::new(), 0_u64);
        for (chunk, offset) in (1_u32..).zip(&self.offsets) {
            let of_chunk = self.chunks.iter().rev().find(|(first, _)| *first <= chunk);
            let mut offset = *offset;
            for _ in 0..of_chunk.map_or(1, |(_, count)| *count) {
                let (Some(length), true) = (sizes.next(), samples.len() < most) else {
                    return samples;
                };
                let end = time.saturating_add(lengths.next().unwrap_or(0).into());
                samples.push(Sample {
                    offset,
                    length: *length,
                    start: seconds(time),
                    end: seconds(end),
                });
                time = end;
                offset = offset.saturating_add(u64::from(*length));
            }
        }
        samples
    }
}

fn short(row: &mut Bytes<'_>) -> Option<u32> {
    row.u32()
}

fn long(row: &mut Bytes<'_>) -> Option<u64> {
    row.u64()
}

fn rows<T>(
    bytes: &mut Bytes<'_>,
    most: usize,
    mut row: impl FnMut(&mut Bytes<'_>) -> Option<T>,
) -> Vec<T> {
    let count = bytes.u32().unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(most).min(most);
    (0..count).map_while(|_| row(bytes)).collect()
}

/// One size for all, or a list of them.
fn sizes(bytes: &mut Bytes<'_>, most: usize) -> Option<Vec<u32>> {
    match bytes.u32()? {
        0 => Some(rows(bytes, most, short)),
        size => {
            let count = usize::try_from(bytes.u32()?).unwrap_or(most).min(most);
            Some(vec![size; count])
        }
    }
}
