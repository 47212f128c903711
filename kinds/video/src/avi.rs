//! AVI: chunks in lists, of which only the header list is read. The layout is that of Microsoft's
//! AVI RIFF file reference, with OpenDML's length of long films.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use crate::codec::{four, wave};
use crate::input::{Bytes, Input, ReadResult, damaged};
use crate::media::{MOST_TRACKS, Media, Track};
use crate::text;

/// Most chunks that are looked at in a list.
const MOST: usize = 10_000;
/// Most of a chunk that is read.
const LONGEST: usize = 64 << 10;

/// Whether a file that begins so is one.
pub fn begins(head: &[u8]) -> bool {
    head.starts_with(b"RIFF") && head.get(8..12) == Some(b"AVI ")
}

/// A chunk: its name, a list's own name, and where its content lies.
#[derive(Clone, Copy)]
struct Chunk {
    name: [u8; 4],
    list: [u8; 4],
    start: u64,
    end: u64,
}

struct Chunks {
    at: u64,
    end: u64,
}

impl Chunks {
    fn next<R: Read + Seek>(&mut self, input: &mut Input<R>) -> ReadResult<Option<Chunk>> {
        if self.end.saturating_sub(self.at) < 8 {
            return Ok(None);
        }
        let found = header(input.at(self.at, 12)?, self.at, self.end);
        // Chunks begin at even places.
        self.at = found.map_or(self.end, |chunk| chunk.end.saturating_add(chunk.end & 1));
        Ok(found)
    }
}

fn header(bytes: &[u8], at: u64, end: u64) -> Option<Chunk> {
    let mut bytes = Bytes(bytes);
    let name = bytes.tag()?;
    let length = u64::from(bytes.u32_le()?);
    let start = at.saturating_add(8);
    let list = if matches!(&name, b"LIST" | b"RIFF") {
        bytes.tag()?
    } else {
        [0; 4]
    };
    Some(Chunk {
        name,
        list,
        start: if list == [0; 4] {
            start
        } else {
            start.saturating_add(4)
        }
        .min(end),
        end: start.saturating_add(length).min(end),
    })
}

fn content<R: Read + Seek>(input: &mut Input<R>, chunk: Chunk) -> ReadResult<Bytes<'_>> {
    let length = usize::try_from(chunk.end.saturating_sub(chunk.start)).unwrap_or(usize::MAX);
    Ok(Bytes(input.at(chunk.start, length.min(LONGEST))?))
}

/// What the header list says.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let mut media = Media::of("avi");
    let mut chunks = Chunks {
        at: 12,
        end: input.size(),
    };
    let mut whole = None;
    for _ in 0..MOST {
        let Some(chunk) = chunks.next(input)? else {
            break;
        };
        match (&chunk.name, &chunk.list) {
            (b"LIST", b"hdrl") => whole = read_headers(input, chunk, &mut media)?,
            (b"LIST", b"INFO") => read_info(input, chunk, &mut media)?,
            // What is behind the pictures is their index; tags stand in front, or nowhere.
            (b"LIST", b"movi") => break,
            _ => {}
        }
    }
    if media.tracks.is_empty() {
        return Err(damaged("is an AVI without its headers"));
    }
    let lengths = media.tracks.iter().filter_map(|track| track.duration);
    media.duration = lengths.reduce(f64::max).or(whole);
    Ok(media)
}

/// The streams, and the length that the whole says it has.
fn read_headers<R: Read + Seek>(
    input: &mut Input<R>,
    list: Chunk,
    media: &mut Media,
) -> ReadResult<Option<f64>> {
    let mut chunks = Chunks {
        at: list.start,
        end: list.end,
    };
    let (mut each, mut frames) = (0, 0);
    for _ in 0..MOST {
        let Some(chunk) = chunks.next(input)? else {
            break;
        };
        match (&chunk.name, &chunk.list) {
            (b"avih", _) => {
                let mut bytes = content(input, chunk)?;
                each = bytes.u32_le().unwrap_or(0);
                let _ = bytes.skip(12);
                frames = bytes.u32_le().unwrap_or(0);
            }
            (b"LIST", b"strl") if media.tracks.len() < MOST_TRACKS => {
                let track = read_stream(input, chunk)?;
                media.tracks.extend(track);
            }
            (b"LIST", b"odml") => {
                let mut bytes = content(input, chunk)?;
                let _ = bytes.skip(8);
                frames = bytes.u32_le().filter(|count| *count > 0).unwrap_or(frames);
            }
            _ => {}
        }
    }
    let seconds = f64::from(each) * f64::from(frames) / 1e6;
    Ok(Some(seconds).filter(|seconds| *seconds > 0.0))
}

fn read_stream<R: Read + Seek>(input: &mut Input<R>, list: Chunk) -> ReadResult<Option<Track>> {
    let mut chunks = Chunks {
        at: list.start,
        end: list.end,
    };
    let mut track = None;
    for _ in 0..MOST {
        let Some(chunk) = chunks.next(input)? else {
            break;
        };
        let bytes = content(input, chunk)?;
        match &chunk.name {
            b"strh" => track = stream_header(bytes),
            b"strf" => {
                if let Some(track) = &mut track {
                    let _ = format(bytes, track);
                }
            }
            b"strn" => {
                if let Some(track) = &mut track {
                    track.title = text::of_bytes(bytes.0);
                }
            }
            _ => {}
        }
    }
    Ok(track)
}

fn stream_header(mut bytes: Bytes<'_>) -> Option<Track> {
    let kind = bytes.tag()?;
    let handler = bytes.tag()?;
    let flags = bytes.u32_le()?;
    bytes.skip(8)?;
    let (scale, rate) = (bytes.u32_le()?, bytes.u32_le()?);
    bytes.skip(4)?;
    let length = bytes.u32_le()?;
    let mut track = match &kind {
        b"vids" => Track::of(StreamKind::Video),
        b"auds" => Track::of(StreamKind::Audio),
        b"txts" => Track::of(StreamKind::Subtitle),
        // Digital video that holds its own sound.
        b"iavs" => Track {
            codec: Some("dvvideo".to_owned()),
            ..Track::of(StreamKind::Video)
        },
        _ => return None,
    };
    if &kind == b"vids" {
        track.codec = four::riff(handler)
            .filter(|_| handler[0] != 0)
            .map(str::to_owned);
    }
    // AVISF_DISABLED
    track.is_default = flags & 1 == 0;
    let seconds = f64::from(length) * f64::from(scale) / f64::from(rate.max(1));
    track.duration = Some(seconds).filter(|seconds| *seconds > 0.0 && rate > 0);
    Some(track)
}

/// A BITMAPINFOHEADER or a WAVEFORMATEX.
fn format(mut bytes: Bytes<'_>, track: &mut Track) -> Option<()> {
    match track.kind? {
        StreamKind::Video => {
            bytes.skip(4)?;
            let width = bytes.u32_le()?;
            // Pictures from top to bottom have a negative height.
            let height = bytes.u32_le()?.cast_signed().unsigned_abs();
            track.size = Some((width, height)).filter(|size| size.0 > 0 && size.1 > 0);
            bytes.skip(4)?;
            let codec = four::riff(bytes.tag()?).map(str::to_owned);
            track.codec = codec.or(track.codec.take());
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
    input: &mut Input<R>,
    list: Chunk,
    media: &mut Media,
) -> ReadResult<()> {
    let mut chunks = Chunks {
        at: list.start,
        end: list.end,
    };
    for _ in 0..MOST {
        let Some(chunk) = chunks.next(input)? else {
            break;
        };
        let value = text::of_bytes(content(input, chunk)?.0);
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
