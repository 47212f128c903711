//! Chapters: a stream of titles that another refers to, or Nero's list.

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, StreamKind};

use super::atom::{Atom, Atoms};
use super::samples::samples_of;
use super::track::Trak;
use crate::input::{Bytes, Input, ReadResult};
use crate::media::MOST_CHAPTERS;
use crate::text;

/// Longest title in bytes.
const LONGEST: usize = 1_024;

/// The chapters of the first stream of titles that a stream refers to.
pub(super) fn track<R: Read + Seek>(
    input: &mut Input<R>,
    tracks: &[Trak],
) -> ReadResult<Option<Vec<Chapter>>> {
    let named: Vec<u64> = tracks
        .iter()
        .flat_map(|track| track.chapters.iter().copied())
        .collect();
    let titles = tracks.iter().find(|track| {
        named.contains(&track.track.number) && track.track.kind == Some(StreamKind::Subtitle)
    });
    let Some(titles) = titles else {
        return Ok(None);
    };
    let mut chapters = Vec::new();
    for sample in samples_of(input, titles, MOST_CHAPTERS)? {
        let bytes = input.at(sample.offset, (sample.length as usize).min(LONGEST))?;
        chapters.push(Chapter {
            title: title(bytes).unwrap_or_default(),
            start: sample.start,
        });
    }
    Ok(Some(chapters).filter(|chapters| !chapters.is_empty()))
}

/// A length and the text; UTF-16 bears a mark.
fn title(bytes: &[u8]) -> Option<String> {
    let mut bytes = Bytes(bytes);
    let length = bytes.u16()?;
    let content = bytes.take(usize::from(length).min(bytes.0.len()))?;
    match content {
        [0xfe, 0xff, rest @ ..] => {
            let units: Vec<u16> = rest
                .as_chunks()
                .0
                .iter()
                .map(|pair| u16::from_be_bytes(*pair))
                .collect();
            text::line(&String::from_utf16_lossy(&units))
        }
        content => text::of_bytes(content),
    }
}

/// Nero's list: times in tenths of a microsecond, and titles.
pub(super) fn list<R: Read + Seek>(input: &mut Input<R>, udta: Atom) -> ReadResult<Vec<Chapter>> {
    let Some(chpl) = Atoms::inside(udta).find(input, *b"chpl")? else {
        return Ok(Vec::new());
    };
    let mut bytes = Bytes(chpl.content(input, 0, 256 << 10)?);
    Ok(entries(&mut bytes).unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn entries(bytes: &mut Bytes<'_>) -> Option<Vec<Chapter>> {
    let version = bytes.u8()?;
    bytes.skip(3)?;
    if version > 0 {
        bytes.skip(4)?;
    }
    let count = bytes.u8()?;
    let mut chapters = Vec::new();
    for _ in 0..count {
        let Some(start) = bytes.u64() else { break };
        let Some(length) = bytes.u8() else { break };
        let Some(title) = bytes.take(length.into()) else {
            break;
        };
        chapters.push(Chapter {
            title: text::of_bytes(title).unwrap_or_default(),
            start: start as f64 / 1e7,
        });
    }
    Some(chapters)
}
