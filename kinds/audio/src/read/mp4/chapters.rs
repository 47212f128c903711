//! Chapters of MP4 files: a track of texts that another track refers to, or Nero's list.

use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;

use super::boxes::{Bounds, find};
use super::track::{Handler, Track};
use crate::read::seconds;
use crate::source::{Bytes, ReadResult, Source};
use crate::tags::MOST_CHAPTERS;
use crate::text;

/// Most bytes of a table of samples.
const LONGEST_TABLE: usize = 4 << 20;
/// Longest title.
const LONGEST_TITLE: usize = 4 << 10;

/// The track that holds the chapters of the sound.
pub(super) fn track(tracks: &[Track]) -> Option<&Track> {
    let ids = tracks.iter().flat_map(|track| &track.chapters);
    let mut found = ids.filter_map(|id| tracks.iter().find(|track| track.id == *id));
    found.find(|track| track.handler == Handler::Text)
}

/// Nero's list: the start in ten-millionths of a second, and the title.
pub(super) fn list(bytes: &[u8]) -> Vec<Chapter> {
    let (count, mut at) = match bytes.u8_at(0) {
        Some(1) => (bytes.be32(5).unwrap_or(0), 9),
        _ => (bytes.u8_at(4).unwrap_or(0).into(), 5),
    };
    let mut chapters = Vec::new();
    for _ in 0..usize::try_from(count).unwrap_or(0).min(MOST_CHAPTERS) {
        let (Some(ticks), Some(len)) = (bytes.be64(at), bytes.u8_at(at + 8)) else {
            break;
        };
        let start = at + 9;
        at = start + usize::from(len);
        let title = text::utf8(bytes.get(start..at).unwrap_or_default());
        chapters.push(Chapter {
            title: text::line(&title).unwrap_or_default(),
            start: seconds(ticks, 10_000_000).unwrap_or_default(),
        });
    }
    chapters
}

/// Reads the texts of a track as chapters.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    track: &Track,
) -> ReadResult<Vec<Chapter>> {
    let Some(table) = track.table else {
        return Ok(Vec::new());
    };
    let starts = starts(&entries(source, table, *b"stts", LONGEST_TABLE)?);
    let sizes = sizes(&entries(source, table, *b"stsz", LONGEST_TABLE)?);
    let places = places(source, table, &sizes)?;
    let mut chapters = Vec::new();
    for ((start, place), size) in starts.into_iter().zip(places).zip(sizes) {
        let size = usize::try_from(size).unwrap_or(0).min(LONGEST_TITLE);
        let title = title(source.some(place, size)?);
        chapters.push(Chapter {
            title: text::line(&title).unwrap_or_default(),
            start: seconds(start, track.scale.into()).unwrap_or_default(),
        });
    }
    Ok(chapters)
}

/// A text with its length before it, in UTF-8 or, with a mark, in UTF-16.
fn title(sample: &[u8]) -> String {
    let len = usize::from(sample.be16(0).unwrap_or(0));
    let rest = sample.get(2..).unwrap_or_default();
    let bytes = rest.get(..len).unwrap_or(rest);
    if bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\xff\xfe") {
        text::utf16(bytes, true)
    } else {
        text::utf8(bytes)
    }
}

/// A table behind its version.
fn entries<R: Read + Seek>(
    source: &mut Source<R>,
    table: Bounds,
    name: [u8; 4],
    most: usize,
) -> ReadResult<Vec<u8>> {
    Ok(match find(source, table, name)? {
        Some(inside) => inside.after(4).bytes(source, most)?.to_vec(),
        None => Vec::new(),
    })
}

/// When each sample begins, by a table of runs: so many, each so long.
fn starts(table: &[u8]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut now = 0_u64;
    for run in table.get(4..).unwrap_or_default().chunks_exact(8) {
        let (count, length) = (run.be32(0).unwrap_or(0), run.be32(4).unwrap_or(0));
        for _ in 0..count {
            if starts.len() >= MOST_CHAPTERS {
                return starts;
            }
            starts.push(now);
            now += u64::from(length);
        }
    }
    starts
}

/// How long each sample is.
fn sizes(table: &[u8]) -> Vec<u32> {
    let (each, count) = (table.be32(0).unwrap_or(0), table.be32(4).unwrap_or(0));
    let count = usize::try_from(count).unwrap_or(0).min(MOST_CHAPTERS);
    if each > 0 {
        return vec![each; count];
    }
    let sizes = table.get(8..).unwrap_or_default().chunks_exact(4);
    sizes.filter_map(|size| size.be32(0)).take(count).collect()
}

/// Where each sample lies: in chunks, of which a table says how many samples they have.
fn places<R: Read + Seek>(
    source: &mut Source<R>,
    table: Bounds,
    sizes: &[u32],
) -> ReadResult<Vec<u64>> {
    let short = entries(source, table, *b"stco", LONGEST_TABLE)?;
    let long = entries(source, table, *b"co64", LONGEST_TABLE)?;
    let runs = entries(source, table, *b"stsc", LONGEST_TABLE)?;
    let short = short.get(4..).unwrap_or_default().chunks_exact(4);
    let long = long.get(4..).unwrap_or_default().chunks_exact(8);
    let chunks = short
        .filter_map(|place| place.be32(0).map(u64::from))
        .chain(long.filter_map(|place| place.be64(0)));
    let runs: Vec<(usize, usize)> = runs
        .get(4..)
        .unwrap_or_default()
        .chunks_exact(12)
        .filter_map(|run| {
            let first = usize::try_from(run.be32(0)?).ok()?;
            Some((first, usize::try_from(run.be32(4)?).ok()?))
        })
        .collect();
    let mut places = Vec::new();
    let mut run = 0;
    for (number, chunk) in chunks.enumerate() {
        while runs
            .get(run + 1)
            .is_some_and(|(first, _)| *first <= number + 1)
        {
            run += 1;
        }
        let count = runs.get(run).map_or(1, |(_, count)| *count);
        let mut place = chunk;
        for _ in 0..count {
            let Some(size) = sizes.get(places.len()) else {
                return Ok(places);
            };
            places.push(place);
            place = place.saturating_add((*size).into());
        }
    }
    Ok(places)
}
