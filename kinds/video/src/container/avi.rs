//! AVI files: RIFF chunks, of which only the headers and the tags are read.
//!
//! Sources: Microsoft's AVI RIFF file reference, and OpenDML for the frame count of long films.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bytes::ByteReader;
use ledge_formats::riff::{Chunk, Chunks};
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{MAX_TRACKS, Media, Track};
use crate::reading::codec::{fourcc, wave};
use crate::reading::text;

/// Maximum bytes that are read of a chunk.
const MAX_SIZE: usize = 64 << 10;

/// Returns `true` if a file with these first bytes is an AVI file.
pub fn begins(head: &[u8]) -> bool {
    head.starts_with(b"RIFF") && head.get(8..12) == Some(b"AVI ")
}

fn content<R: Read + Seek>(source: &mut Source<R>, chunk: Chunk) -> ReadResult<ByteReader<'_>> {
    Ok(ByteReader(chunk.content(source, MAX_SIZE)?))
}

/// Reads the header list and the tags.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let mut media = Media::new("avi");
    let mut chunks = Chunks::new(12, source.size());
    let mut whole = None;
    while let Some(chunk) = chunks.next(source)? {
        match (&chunk.name, &chunk.list) {
            (b"LIST", b"hdrl") => whole = read_headers(source, chunk, &mut media)?,
            (b"LIST", b"INFO") => read_info(source, chunk, &mut media)?,
            // Only the index follows the `movi` list.
            (b"LIST", b"movi") => break,
            _ => {}
        }
    }
    if media.tracks.is_empty() {
        return Err(damaged("is an AVI file without stream headers"));
    }
    let lengths = media.tracks.iter().filter_map(|track| track.duration);
    media.duration = lengths.reduce(f64::max).or(whole);
    Ok(media)
}

/// Reads the stream headers. Returns the total duration from the main header, in seconds.
fn read_headers<R: Read + Seek>(
    source: &mut Source<R>,
    list: Chunk,
    media: &mut Media,
) -> ReadResult<Option<f64>> {
    let mut chunks = Chunks::inside(list);
    let (mut each, mut frames) = (0, 0);
    while let Some(chunk) = chunks.next(source)? {
        match (&chunk.name, &chunk.list) {
            (b"avih", _) => {
                let mut bytes = content(source, chunk)?;
                each = bytes.u32_le().unwrap_or(0);
                let _ = bytes.skip(12);
                frames = bytes.u32_le().unwrap_or(0);
            }
            (b"LIST", b"strl") if media.tracks.len() < MAX_TRACKS => {
                let track = read_stream(source, chunk)?;
                media.tracks.extend(track);
            }
            (b"LIST", b"odml") => {
                let mut bytes = content(source, chunk)?;
                let _ = bytes.skip(8);
                frames = bytes.u32_le().filter(|count| *count > 0).unwrap_or(frames);
            }
            _ => {}
        }
    }
    let seconds = f64::from(each) * f64::from(frames) / 1e6;
    Ok(Some(seconds).filter(|seconds| *seconds > 0.0))
}

fn read_stream<R: Read + Seek>(source: &mut Source<R>, list: Chunk) -> ReadResult<Option<Track>> {
    let mut chunks = Chunks::inside(list);
    let mut track = None;
    while let Some(chunk) = chunks.next(source)? {
        let bytes = content(source, chunk)?;
        match &chunk.name {
            b"strh" => track = stream_header(bytes),
            b"strf" => {
                if let Some(track) = &mut track {
                    let _ = format(bytes, track);
                }
            }
            b"strn" => {
                if let Some(track) = &mut track {
                    track.title = text::from_bytes(bytes.0);
                }
            }
            _ => {}
        }
    }
    Ok(track)
}

fn stream_header(mut bytes: ByteReader<'_>) -> Option<Track> {
    let kind = bytes.tag()?;
    let handler = bytes.tag()?;
    let flags = bytes.u32_le()?;
    bytes.skip(8)?;
    let (scale, rate) = (bytes.u32_le()?, bytes.u32_le()?);
    bytes.skip(4)?;
    let length = bytes.u32_le()?;
    let mut track = match &kind {
        b"vids" => Track::new(StreamKind::Video),
        b"auds" => Track::new(StreamKind::Audio),
        b"txts" => Track::new(StreamKind::Subtitle),
        // DV with interleaved audio.
        b"iavs" => Track::with_codec(StreamKind::Video, Some("dvvideo")),
        _ => return None,
    };
    if &kind == b"vids" {
        track.codec = fourcc::riff(handler).filter(|_| handler[0] != 0);
    }
    // AVISF_DISABLED
    track.is_default = flags & 1 == 0;
    let seconds = f64::from(length) * f64::from(scale) / f64::from(rate.max(1));
    track.duration = Some(seconds).filter(|seconds| *seconds > 0.0 && rate > 0);
    Some(track)
}

/// Parses a `BITMAPINFOHEADER` or a `WAVEFORMATEX`.
fn format(mut bytes: ByteReader<'_>, track: &mut Track) -> Option<()> {
    match track.kind? {
        StreamKind::Video => {
            bytes.skip(4)?;
            let width = bytes.u32_le()?;
            // A top-down bitmap has a negative height.
            let height = bytes.u32_le()?.cast_signed().unsigned_abs();
            track.size = Some((width, height)).filter(|size| size.0 > 0 && size.1 > 0);
            bytes.skip(4)?;
            track.codec = fourcc::riff(bytes.tag()?).or(track.codec);
        }
        StreamKind::Audio => {
            let wave = wave::format(bytes.0)?;
            track.codec = wave.codec;
            track.channels = Some(wave.channels);
        }
        StreamKind::Subtitle => {}
    }
    Some(())
}

fn read_info<R: Read + Seek>(
    source: &mut Source<R>,
    list: Chunk,
    media: &mut Media,
) -> ReadResult<()> {
    let mut chunks = Chunks::inside(list);
    while let Some(chunk) = chunks.next(source)? {
        let value = text::from_bytes(content(source, chunk)?.0);
        match &chunk.name {
            b"INAM" => media.tags.title = value,
            b"ICRD" => media.tags.date = value,
            b"IGNR" => media.tags.genres.extend(value),
            b"ISBJ" => media.tags.description = value,
            _ => {}
        }
    }
    Ok(())
}
