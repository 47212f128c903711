//! MP4, QuickTime and 3GP files (ISO/IEC 14496-12). Only the `moov` box and fragment headers are
//! read.

mod chapters;
mod entry;
mod samples;
mod tags;
mod track;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bmff::{Atom, Atoms, fragments};
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{MAX_TRACKS, Media};
use track::Trak;

pub use samples::{Sample, samples_of};

/// Container name. ffprobe has one name for MP4 and QuickTime, too.
pub const CONTAINER: &str = "mp4";

/// Types of boxes that may begin a file.
const FIRST: &[&[u8; 4]] = &[
    b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"styp",
];

/// Returns `true` if a file with these first bytes is an MP4 file.
pub fn begins(head: &[u8]) -> bool {
    head.get(4..8)
        .is_some_and(|kind| FIRST.iter().any(|first| kind == *first))
}

/// Reads the streams, tags, chapters and cover position of a file.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let index = index(source)?;
    let mut media = Media::new(CONTAINER);
    media.duration = index.duration;
    let mut named_chapters = Vec::new();
    for atom in index.others {
        match &atom.kind {
            b"udta" => {
                tags::read(source, atom, &mut media)?;
                named_chapters.extend(chapters::list(source, atom)?);
            }
            _ => tags::read_meta(source, atom, &mut media)?,
        }
    }
    media.chapters = chapters::track(source, &index.tracks)?.unwrap_or(named_chapters);
    let chapter_tracks: Vec<u64> = index
        .tracks
        .iter()
        .flat_map(|track| track.chapters.iter().copied())
        .collect();
    for track in &index.tracks {
        let mut found = track.track.clone();
        if chapter_tracks.contains(&found.number) {
            // Chapter titles and chapter pictures are neither subtitles nor video.
            found.kind = None;
        }
        media.tracks.push(found);
    }
    let has_video = media
        .tracks
        .iter()
        .any(|track| track.kind == Some(StreamKind::Video) && !track.is_still);
    if !has_video {
        // A video track with a single picture counts as video if there is no other video.
        for track in &mut media.tracks {
            track.is_still = false;
        }
    }
    Ok(media)
}

/// Reads the streams with the positions of their samples.
pub fn tracks<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Vec<Trak>> {
    Ok(index(source)?.tracks)
}

struct Index {
    duration: Option<f64>,
    tracks: Vec<Trak>,
    /// Boxes that may contain tags.
    others: Vec<Atom>,
}

fn index<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Index> {
    let end = source.size();
    let mut atoms = Atoms::new(0, end);
    let moov = loop {
        match atoms.next(source)? {
            Some(atom) if atom.kind == *b"moov" => break atom,
            Some(_) => {}
            None => {
                return Err(damaged(
                    "is an MP4 file without a moov box: truncated or incomplete",
                ));
            }
        }
    };
    let mut index = Index {
        duration: None,
        tracks: Vec::new(),
        others: Vec::new(),
    };
    let mut is_fragmented = false;
    let mut children = Atoms::inside(moov);
    while let Some(atom) = children.next(source)? {
        match &atom.kind {
            b"mvhd" => index.duration = movie_length(source, atom)?,
            b"trak" if index.tracks.len() < MAX_TRACKS => {
                index.tracks.extend(track::read(source, atom)?);
            }
            b"mvex" => is_fragmented = true,
            b"udta" | b"meta" => index.others.push(atom),
            b"cmov" => return Err(damaged("is a QuickTime file with a compressed index")),
            _ => {}
        }
    }
    if index.tracks.is_empty() {
        return Err(damaged("is an MP4 file without tracks"));
    }
    if is_fragmented {
        let mut read =
            |at: u64, length: usize| source.read_sparse_at(at, length).map(<[u8]>::to_vec);
        let measured = fragments::duration(end, &mut read);
        // A damaged fragment index costs only the duration, not the file.
        index.duration = measured.ok().flatten().or(index.duration);
    }
    Ok(index)
}

/// Returns the duration from the movie header in seconds. It excludes fragments.
fn movie_length<R: Read + Seek>(source: &mut Source<R>, atom: Atom) -> ReadResult<Option<f64>> {
    let mut bytes = ByteReader(source.read_at(atom.start, 32)?);
    Ok(header(&mut bytes).and_then(|(scale, length)| seconds(length?, scale)))
}

/// Parses time scale and duration, with which `mvhd` and `mdhd` begin.
fn header(bytes: &mut ByteReader<'_>) -> Option<(u32, Option<u64>)> {
    let is_long = bytes.u8()? == 1;
    bytes.skip(3)?;
    bytes.skip(if is_long { 16 } else { 8 })?;
    let scale = bytes.u32()?;
    let length = if is_long {
        Some(bytes.u64()?).filter(|length| *length != u64::MAX)
    } else {
        Some(bytes.u32()?)
            .filter(|length| *length != u32::MAX)
            .map(u64::from)
    };
    Some((scale, length.filter(|length| *length > 0)))
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn seconds(length: u64, scale: u32) -> Option<f64> {
    (scale > 0).then(|| length as f64 / f64::from(scale))
}

#[cfg(test)]
mod tests;
