//! MP4, QuickTime and 3GP: boxes in boxes, of which only the index is read. ISO/IEC 14496-12.

pub mod atom;
mod chapters;
mod entry;
mod samples;
mod tags;
mod track;

use std::io::{Read, Seek};

use ledge_core::fragments;
use ledge_core::registry::reading::StreamKind;

use crate::input::{Bytes, Input, ReadResult, damaged};
use crate::media::{MOST_TRACKS, Media};
use atom::{Atom, Atoms};
use track::Trak;

pub use samples::{Sample, samples_of};

/// The container's word, also for QuickTime, as ffprobe's is one name for both.
pub const CONTAINER: &str = "mp4";

/// Boxes that such files begin with.
const FIRST: &[&[u8; 4]] = &[
    b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"styp",
];

/// Whether a file that begins so is one.
pub fn begins(head: &[u8]) -> bool {
    head.get(4..8)
        .is_some_and(|kind| FIRST.iter().any(|first| kind == *first))
}

/// What the index says.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let index = index(input)?;
    let mut media = Media::of(CONTAINER);
    media.duration = index.duration;
    let mut named_chapters = Vec::new();
    for atom in index.others {
        match &atom.kind {
            b"udta" => {
                tags::read(input, atom, &mut media)?;
                named_chapters.extend(chapters::list(input, atom)?);
            }
            _ => tags::read_meta(input, atom, &mut media)?,
        }
    }
    media.chapters = chapters::track(input, &index.tracks)?.unwrap_or(named_chapters);
    let chapter_tracks: Vec<u64> = index
        .tracks
        .iter()
        .flat_map(|track| track.chapters.iter().copied())
        .collect();
    for track in &index.tracks {
        let mut found = track.track.clone();
        if chapter_tracks.contains(&found.number) {
            // Titles and pictures of chapters are nobody's subtitles and no video.
            found.kind = None;
        }
        media.tracks.push(found);
    }
    let has_moving = media
        .tracks
        .iter()
        .any(|track| track.kind == Some(StreamKind::Video) && !track.is_still);
    if !has_moving {
        // A film of one picture is a film.
        for track in &mut media.tracks {
            track.is_still = false;
        }
    }
    Ok(media)
}

/// Streams with where their samples lie, for who wants these.
pub fn tracks<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Vec<Trak>> {
    Ok(index(input)?.tracks)
}

struct Index {
    duration: Option<f64>,
    tracks: Vec<Trak>,
    /// Boxes of tags.
    others: Vec<Atom>,
}

fn index<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Index> {
    let end = input.size();
    let mut atoms = Atoms::new(0, end);
    let moov = loop {
        match atoms.next(input)? {
            Some(atom) if atom.kind == *b"moov" => break atom,
            Some(_) => {}
            None => {
                return Err(damaged(
                    "is an MP4 without its index: cut off, or not finished",
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
    while let Some(atom) = children.next(input)? {
        match &atom.kind {
            b"mvhd" => index.duration = movie_length(input, atom)?,
            b"trak" if index.tracks.len() < MOST_TRACKS => {
                index.tracks.extend(track::read(input, atom)?);
            }
            b"mvex" => is_fragmented = true,
            b"udta" | b"meta" => index.others.push(atom),
            b"cmov" => return Err(damaged("is a QuickTime film with a packed index")),
            _ => {}
        }
    }
    if index.tracks.is_empty() {
        return Err(damaged("is an MP4 whose index names no stream"));
    }
    if is_fragmented {
        let mut read = |at: u64, length: usize| input.sparsely_at(at, length).map(<[u8]>::to_vec);
        let measured = fragments::duration(end, &mut read);
        // A file is worth cataloguing without its length.
        index.duration = measured.ok().flatten().or(index.duration);
    }
    Ok(index)
}

/// The length of the samples outside fragments.
fn movie_length<R: Read + Seek>(input: &mut Input<R>, atom: Atom) -> ReadResult<Option<f64>> {
    let mut bytes = Bytes(input.at(atom.start, 32)?);
    Ok(header(&mut bytes).and_then(|(scale, length)| seconds(length?, scale)))
}

/// What `mvhd` and `mdhd` begin with: scale and length.
fn header(bytes: &mut Bytes<'_>) -> Option<(u32, Option<u64>)> {
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
