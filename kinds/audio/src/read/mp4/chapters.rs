//! Chapters of MP4 files: a referenced text track, or a Nero chapter list.

use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;
use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::boxes::{Bounds, find};
use super::track::{Handler, Track};
use crate::read::seconds;
use crate::tags::MAX_CHAPTERS;
use crate::text;

/// Maximum size of a sample table, in bytes.
const MAX_TABLE_SIZE: usize = 4 << 20;
/// Maximum length of a chapter title, in bytes.
const MAX_TITLE_SIZE: usize = 4 << 10;

/// Returns the text track that another track references as its chapters.
pub(super) fn track(tracks: &[Track]) -> Option<&Track> {
    let ids = tracks.iter().flat_map(|track| &track.chapters);
    let mut found = ids.filter_map(|id| tracks.iter().find(|track| track.id == *id));
    found.find(|track| track.handler == Handler::Text)
}

/// Parses a Nero chapter list. Starts are in units of 100 nanoseconds.
pub(super) fn list(bytes: &[u8]) -> Vec<Chapter> {
    let (count, mut at) = match bytes.u8_at(0) {
        Some(1) => (bytes.be32(5).unwrap_or(0), 9),
        _ => (bytes.u8_at(4).unwrap_or(0).into(), 5),
    };
    let mut chapters = Vec::new();
    for _ in 0..usize::try_from(count).unwrap_or(0).min(MAX_CHAPTERS) {
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

/// Reads the text samples of a track as chapters.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    track: &Track,
) -> ReadResult<Vec<Chapter>> {
    let Some(table) = track.table else {
        return Ok(Vec::new());
    };
    let starts = starts(&entries(source, table, *b"stts", MAX_TABLE_SIZE)?);
    let sizes = sizes(&entries(source, table, *b"stsz", MAX_TABLE_SIZE)?);
    let offsets = offsets(source, table, &sizes)?;
    let mut chapters = Vec::new();
    for ((start, offset), size) in starts.into_iter().zip(offsets).zip(sizes) {
        let size = usize::try_from(size).unwrap_or(0).min(MAX_TITLE_SIZE);
        let title = title(source.read_at(offset, size)?);
        chapters.push(Chapter {
            title: text::line(&title).unwrap_or_default(),
            start: seconds(start, track.scale.into()).unwrap_or_default(),
        });
    }
    Ok(chapters)
}

/// Decodes a text sample: a length, then UTF-8, or UTF-16 with a byte order mark.
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

/// Reads the content of a table box without its version and flags.
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

/// Computes sample start times from run-length pairs of count and duration (`stts`).
fn starts(table: &[u8]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut now = 0_u64;
    for run in table.get(4..).unwrap_or_default().chunks_exact(8) {
        let (count, length) = (run.be32(0).unwrap_or(0), run.be32(4).unwrap_or(0));
        for _ in 0..count {
            if starts.len() >= MAX_CHAPTERS {
                return starts;
            }
            starts.push(now);
            now += u64::from(length);
        }
    }
    starts
}

/// Returns the size of each sample in bytes (`stsz`).
fn sizes(table: &[u8]) -> Vec<u32> {
    let (each, count) = (table.be32(0).unwrap_or(0), table.be32(4).unwrap_or(0));
    let count = usize::try_from(count).unwrap_or(0).min(MAX_CHAPTERS);
    if each > 0 {
        return vec![each; count];
    }
    let sizes = table.get(8..).unwrap_or_default().chunks_exact(4);
    sizes.filter_map(|size| size.be32(0)).take(count).collect()
}

/// Computes the file offset of each sample from the chunk tables (`stco`, `co64`, `stsc`).
fn offsets<R: Read + Seek>(
    source: &mut Source<R>,
    table: Bounds,
    sizes: &[u32],
) -> ReadResult<Vec<u64>> {
    let short = entries(source, table, *b"stco", MAX_TABLE_SIZE)?;
    let long = entries(source, table, *b"co64", MAX_TABLE_SIZE)?;
    let runs = entries(source, table, *b"stsc", MAX_TABLE_SIZE)?;
    let short = short.get(4..).unwrap_or_default().chunks_exact(4);
    let long = long.get(4..).unwrap_or_default().chunks_exact(8);
    let chunks = short
        .filter_map(|offset| offset.be32(0).map(u64::from))
        .chain(long.filter_map(|offset| offset.be64(0)));
    let runs: Vec<(usize, usize)> = runs
        .get(4..)
        .unwrap_or_default()
        .chunks_exact(12)
        .filter_map(|run| {
            let first = usize::try_from(run.be32(0)?).ok()?;
            Some((first, usize::try_from(run.be32(4)?).ok()?))
        })
        .collect();
    let mut offsets = Vec::new();
    let mut run = 0;
    for (number, chunk) in chunks.enumerate() {
        while runs
            .get(run + 1)
            .is_some_and(|(first, _)| *first <= number + 1)
        {
            run += 1;
        }
        let count = runs.get(run).map_or(1, |(_, count)| *count);
        let mut offset = chunk;
        for _ in 0..count {
            let Some(size) = sizes.get(offsets.len()) else {
                return Ok(offsets);
            };
            offsets.push(offset);
            offset = offset.saturating_add((*size).into());
        }
    }
    Ok(offsets)
}
