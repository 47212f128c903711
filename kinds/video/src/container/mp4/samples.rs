//! Offsets and times of samples. Only text tracks use them, which have few samples.

use std::io::{Read, Seek};

use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use super::track::Trak;
use ledge_formats::bmff::{Atom, Atoms};

/// Maximum number of samples per text track.
const MAX_COUNT: usize = 100_000;
/// Maximum size of a sample table, in bytes.
const MAX_SIZE: usize = 4 << 20;

/// Sample of a track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Offset in the file.
    pub offset: u64,
    /// Length in bytes.
    pub length: u32,
    /// Start in seconds.
    pub start: f64,
    /// End in seconds.
    pub end: f64,
}

/// Returns the samples of a track, at most `most`.
pub fn samples_of<R: Read + Seek>(
    source: &mut Source<R>,
    trak: &Trak,
    most: usize,
) -> ReadResult<Vec<Sample>> {
    let Some(table) = trak.table else {
        return Ok(Vec::new());
    };
    let most = most.min(MAX_COUNT);
    let tables = Tables::read(source, table, most)?;
    Ok(tables.samples(trak.scale.max(1), most))
}

#[derive(Default)]
struct Tables {
    /// Runs of a sample count and a duration (`stts`).
    times: Vec<(u32, u32)>,
    /// Runs of chunks: the first chunk and the samples per chunk (`stsc`).
    chunks: Vec<(u32, u32)>,
    sizes: Vec<u32>,
    offsets: Vec<u64>,
}

impl Tables {
    fn read<R: Read + Seek>(source: &mut Source<R>, table: Atom, most: usize) -> ReadResult<Self> {
        let mut tables = Self::default();
        let mut atoms = Atoms::inside(table);
        while let Some(atom) = atoms.next(source)? {
            if !matches!(
                &atom.kind,
                b"stts" | b"stsc" | b"stsz" | b"stz2" | b"stco" | b"co64"
            ) {
                continue;
            }
            let mut bytes = ByteReader(atom.content(source, 4, MAX_SIZE)?);
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

fn short(row: &mut ByteReader<'_>) -> Option<u32> {
    row.u32()
}

fn long(row: &mut ByteReader<'_>) -> Option<u64> {
    row.u64()
}

fn rows<T>(
    bytes: &mut ByteReader<'_>,
    most: usize,
    mut row: impl FnMut(&mut ByteReader<'_>) -> Option<T>,
) -> Vec<T> {
    let count = bytes.u32().unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(most).min(most);
    (0..count).map_while(|_| row(bytes)).collect()
}

/// Reads the sample sizes: one for all samples, or a list.
fn sizes(bytes: &mut ByteReader<'_>, most: usize) -> Option<Vec<u32>> {
    match bytes.u32()? {
        0 => Some(rows(bytes, most, short)),
        size => {
            let count = usize::try_from(bytes.u32()?).unwrap_or(most).min(most);
            Some(vec![size; count])
        }
    }
}
