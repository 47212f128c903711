//! MP4 and QuickTime files with audio: tracks, codecs, tags, chapters.

pub(crate) mod boxes;
mod chapters;
mod codec;
mod track;

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, Stream, StreamKind};
use ledge_formats::bmff::fragments;
use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::{Recording, Sound, bitrate};
use crate::tags::{TagSelection, ilst};
use boxes::{Bounds, Boxes, find, find_path};
use track::{Handler, Track};

/// Maximum number of tracks that are read.
const MAX_TRACKS: usize = 1_000;

/// Contents of the movie box.
#[derive(Default)]
struct Movie {
    duration: Option<f64>,
    tracks: Vec<Track>,
    listed_chapters: Vec<Chapter>,
}

/// Reads an MP4 file.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let whole = Bounds {
        from: 0,
        to: source.size(),
    };
    let moov = find(source, whole, *b"moov")?.ok_or_else(|| damaged("has no movie box"))?;
    let mut recording = Recording {
        container: Some("mp4"),
        ..Recording::default()
    };
    let mut movie = Movie::default();
    let mut is_fragmented = false;
    let mut parts = Boxes::in_bounds(moov);
    while let Some((name, inside)) = parts.next(source)? {
        match &name {
            b"mvhd" => {
                let header = inside.bytes(source, 40)?;
                movie.duration = header_duration(header);
            }
            b"trak" if selection != TagSelection::Picture && movie.tracks.len() < MAX_TRACKS => {
                movie.tracks.extend(track::read(source, inside)?);
            }
            b"udta" => user_data(source, inside, selection, &mut recording, &mut movie)?,
            b"meta" => meta(source, inside, selection, &mut recording)?,
            b"mvex" => is_fragmented = true,
            _ => {}
        }
    }
    if is_fragmented && selection != TagSelection::Picture {
        let size = source.size();
        let mut read = |at: u64, length: usize| source.read_at(at, length).map(<[u8]>::to_vec);
        let measured = fragments::duration(size, &mut read);
        // A damaged fragment index costs only the duration, not the recording.
        movie.duration = measured.ok().flatten().or(movie.duration);
    }
    if selection != TagSelection::Picture {
        finish(source, movie, &mut recording)?;
    }
    Ok(recording)
}

fn finish<R: Read + Seek>(
    source: &mut Source<R>,
    movie: Movie,
    recording: &mut Recording,
) -> ReadResult<()> {
    let Movie {
        duration,
        tracks,
        listed_chapters,
    } = movie;
    let longest = tracks
        .iter()
        .filter_map(|track| track.duration)
        .reduce(f64::max);
    let is_known = |duration: &f64| *duration > 0.0;
    recording.duration = duration.filter(is_known).or(longest.filter(is_known));
    recording.chapters = match chapters::track(&tracks) {
        Some(track) => chapters::read(source, track)?,
        None => Vec::new(),
    };
    if recording.chapters.is_empty() {
        recording.chapters = listed_chapters;
    }
    let is_chapters = |track: &Track| {
        tracks
            .iter()
            .any(|other| other.chapters.contains(&track.id))
    };
    for track in tracks.iter().filter(|track| !is_chapters(track)) {
        add_track(track, recording);
    }
    if let Some(sound) = &mut recording.sound {
        sound.bitrate = sound.bitrate.or(bitrate(source.size(), recording.duration));
    }
    Ok(())
}

fn add_track(track: &Track, recording: &mut Recording) {
    let kind = match track.handler {
        Handler::Sound => StreamKind::Audio,
        Handler::Video => StreamKind::Video,
        Handler::Text => StreamKind::Subtitle,
        Handler::Other => return,
    };
    recording.streams.push(Stream {
        kind,
        codec: Some(track.codec.clone()).filter(|codec| codec != "unknown"),
        language: track.language.clone(),
        title: None,
        forced: false,
        default: track.is_enabled,
    });
    match kind {
        StreamKind::Audio if recording.sound.is_none() => {
            recording.sound = Some(Sound {
                sample_rate: track.sample_rate,
                channels: track.channels,
                bitrate: track.bitrate(),
                bits: track.bits,
                ..Sound::with_codec(track.codec.clone())
            });
        }
        StreamKind::Video if recording.vcodec.is_none() => {
            recording.vcodec = Some(track.codec.clone());
            recording.width = track.size.map(|(width, _)| width);
            recording.height = track.size.map(|(_, height)| height);
        }
        _ => {}
    }
}

/// Parses the duration in seconds from a movie or track header.
fn header_duration(header: &[u8]) -> Option<f64> {
    let (scale, length) = match header.u8_at(0)? {
        1 => (header.be32(20)?, header.be64(24)?),
        _ => (header.be32(12)?, header.be32(16)?.into()),
    };
    // All bits set: the duration is unknown.
    let is_known = length != u64::MAX && length != u64::from(u32::MAX);
    is_known
        .then(|| super::seconds(length, scale.into()))
        .flatten()
}

/// Parses the time scale, in units per second, from a movie or track header.
fn header_scale(header: &[u8]) -> u32 {
    let at = if header.u8_at(0) == Some(1) { 20 } else { 12 };
    header.be32(at).unwrap_or(0)
}

fn user_data<R: Read + Seek>(
    source: &mut Source<R>,
    inside: Bounds,
    selection: TagSelection,
    recording: &mut Recording,
    movie: &mut Movie,
) -> ReadResult<()> {
    let mut parts = Boxes::in_bounds(inside);
    while let Some((name, inside)) = parts.next(source)? {
        match &name {
            b"meta" => meta(source, inside, selection, recording)?,
            b"chpl" => movie.listed_chapters = chapters::list(inside.bytes(source, 1 << 20)?),
            _ => {}
        }
    }
    Ok(())
}

fn meta<R: Read + Seek>(
    source: &mut Source<R>,
    inside: Bounds,
    selection: TagSelection,
    recording: &mut Recording,
) -> ReadResult<()> {
    // `meta` is a plain box in QuickTime. In MP4, four bytes of version and flags precede its
    // content.
    let is_plain = source.read_at(inside.from, 8)?.get(4..8) == Some(b"hdlr");
    let inside = if is_plain { inside } else { inside.after(4) };
    if let Some(items) = find_path(source, inside, &[b"ilst"])? {
        ilst::read(source, items, selection, &mut recording.tags)?;
    }
    Ok(())
}
