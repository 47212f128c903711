//! Chapters: a referenced text track, or a Nero chapter list.

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, StreamKind};
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use super::samples::samples_of;
use super::track::Trak;
use crate::container::media::MAX_CHAPTERS;
use crate::reading::text;
use ledge_formats::bmff::{Atom, Atoms};

/// Maximum length of a chapter title, in bytes.
const MAX_SIZE: usize = 1_024;

/// Reads the chapters of the first text track that another track references.
pub(super) fn track<R: Read + Seek>(
    source: &mut Source<R>,
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
    for sample in samples_of(source, titles, MAX_CHAPTERS)? {
        let bytes = source.read_at(sample.offset, (sample.length as usize).min(MAX_SIZE))?;
        chapters.push(Chapter {
            title: title(bytes).unwrap_or_default(),
            start: sample.start,
        });
    }
    Ok(Some(chapters).filter(|chapters| !chapters.is_empty()))
}

/// Decodes a length-prefixed text. UTF-16 has a byte order mark.
fn title(bytes: &[u8]) -> Option<String> {
    let mut bytes = ByteReader(bytes);
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
        content => text::from_bytes(content),
    }
}

/// Reads a Nero chapter list: times in units of 100 ns, and titles.
pub(super) fn list<R: Read + Seek>(source: &mut Source<R>, udta: Atom) -> ReadResult<Vec<Chapter>> {
    let Some(chpl) = Atoms::inside(udta).find(source, *b"chpl")? else {
        return Ok(Vec::new());
    };
    let mut bytes = ByteReader(chpl.content(source, 0, 256 << 10)?);
    Ok(entries(&mut bytes).unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn entries(bytes: &mut ByteReader<'_>) -> Option<Vec<Chapter>> {
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
            title: text::from_bytes(title).unwrap_or_default(),
            start: start as f64 / 1e7,
        });
    }
    Some(chapters)
}
