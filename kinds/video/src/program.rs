//! MPEG program streams: `.mpg` and `.vob`. ISO/IEC 13818-1, 2.5, and ISO/IEC 11172-1.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use crate::codec::config::Picture;
use crate::codec::{h263, mpeg};
use crate::input::{Bytes, Input, ReadResult, damaged};
use crate::media::{MOST_TRACKS, Media, Track};
use crate::transport::{packed_time, packet_time};

/// A pack begins so.
pub const MAGIC: &[u8] = &[0, 0, 1, 0xba];

/// Pictures without a container begin so.
pub const PICTURES: &[u8] = &[0, 0, 1, 0xb3];

/// How much of the beginning is read, in bytes.
const HEAD: usize = 768 << 10;
/// How much of the end is searched for the last times, in bytes.
const TAIL: u64 = 256 << 10;
/// How much of a stream's beginning is kept to look at, in bytes.
const KEPT: usize = 48 << 10;
/// Ticks of a clock in a second.
const CLOCK: f64 = 90_000.0;

/// A stream by its number, and what was seen of it.
struct Seen {
    number: u16,
    kind: StreamKind,
    bytes: Vec<u8>,
}

/// A piece of a stream.
struct Piece<'a> {
    number: u16,
    time: Option<u64>,
    content: &'a [u8],
}

/// What the first pieces show, and when the last are.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let mut seen: Vec<Seen> = Vec::new();
    let mut first: Option<u64> = None;
    for piece in pieces(input.at(0, HEAD)?) {
        first = earlier(first, piece.time);
        let kind = kind(piece.number);
        let known = seen.iter().position(|stream| stream.number == piece.number);
        let at = match (known, kind) {
            (Some(at), _) => at,
            (None, Some(kind)) if seen.len() < MOST_TRACKS => {
                seen.push(Seen {
                    number: piece.number,
                    kind,
                    bytes: Vec::new(),
                });
                seen.len() - 1
            }
            _ => continue,
        };
        if let Some(stream) = seen.get_mut(at)
            && stream.bytes.len() < KEPT
        {
            stream.bytes.extend(piece.content);
        }
    }
    if seen.is_empty() {
        return Err(damaged("is a program stream without pictures and sound"));
    }
    let from = input.size().saturating_sub(TAIL);
    let length = usize::try_from(input.size() - from).unwrap_or(0);
    let times = pieces(input.at(from, length)?);
    let last = times.filter_map(|piece| piece.time).max();
    Ok(media(seen, first.zip(last)))
}

/// Pictures alone, as encoders leave them: how long they last, nobody says.
pub fn read_pictures<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let bytes = input.at(0, KEPT)?;
    let codec = mpeg::video_codec(bytes);
    let picture = codec.and_then(|codec| mpeg::picture(codec, bytes));
    Ok(elementary("mpegvideo", codec, picture))
}

/// H.263 without a container.
pub fn read_h263<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let picture = h263::picture(input.at(0, 64)?);
    Ok(elementary("h263", Some("h263"), picture))
}

/// H.264, HEVC or MPEG-4 without a container; `None` where the units are of something else.
pub fn read_units<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Option<Media>> {
    let bytes = input.at(0, KEPT)?;
    let hevc = mpeg::picture("hevc", bytes).map(|_| "hevc");
    let codec = mpeg::video_codec(bytes).or(hevc);
    Ok(codec.map(|codec| {
        let container = match codec {
            "mpeg4" => "m4v",
            "h264" | "hevc" => codec,
            _ => "mpegvideo",
        };
        elementary(container, Some(codec), mpeg::picture(codec, bytes))
    }))
}

/// A file that is one stream of pictures, named by ffprobe's word for such files.
fn elementary(container: &'static str, codec: Option<&str>, picture: Option<Picture>) -> Media {
    let picture = picture.unwrap_or_default();
    let mut media = Media::of(container);
    media.tracks.push(Track {
        codec: codec.map(str::to_owned),
        size: picture.size,
        profile: picture.profile,
        bit_depth: picture.bit_depth,
        is_default: true,
        ..Track::of(StreamKind::Video)
    });
    media
}

fn earlier(known: Option<u64>, time: Option<u64>) -> Option<u64> {
    match (known, time) {
        (Some(known), Some(time)) => Some(known.min(time)),
        (known, time) => known.or(time),
    }
}

#[expect(clippy::cast_precision_loss, reason = "33 bits")]
fn media(mut seen: Vec<Seen>, times: Option<(u64, u64)>) -> Media {
    let mut media = Media::of("mpegps");
    let rank = |kind| match kind {
        StreamKind::Video => 0,
        StreamKind::Audio => 1,
        StreamKind::Subtitle => 2,
    };
    seen.sort_by_key(|stream| (rank(stream.kind), stream.number));
    let ticks = times.and_then(|(first, last)| last.checked_sub(first));
    media.duration = ticks.map(|ticks| ticks as f64 / CLOCK);
    for stream in seen {
        let codec = codec(&stream);
        let picture = codec.and_then(|codec| mpeg::picture(codec, &stream.bytes));
        let picture = picture.unwrap_or_default();
        media.tracks.push(Track {
            number: stream.number.into(),
            codec: codec.map(str::to_owned),
            size: picture.size,
            profile: picture.profile,
            is_default: media.first(stream.kind).is_none(),
            ..Track::of(stream.kind)
        });
    }
    media
}

/// The kinds of streams, by their numbers; those within the private stream are above 256.
fn kind(number: u16) -> Option<StreamKind> {
    Some(match number {
        0xe0..=0xef | 0xfd => StreamKind::Video,
        0xc0..=0xdf
        | 0x180..=0x18f
        | 0x198..=0x19f
        | 0x1a0..=0x1af
        | 0x1b0..=0x1bf
        | 0x1c0..=0x1cf => StreamKind::Audio,
        0x120..=0x13f => StreamKind::Subtitle,
        _ => return None,
    })
}

fn codec(stream: &Seen) -> Option<&'static str> {
    match stream.number {
        0xe0..=0xef => mpeg::video_codec(&stream.bytes),
        0xfd => Some("vc1"),
        0xc0..=0xdf => mpeg::audio_layer(&stream.bytes),
        0x180..=0x187 => Some("ac3"),
        0x188..=0x18f | 0x198..=0x19f => Some("dts"),
        0x1a0..=0x1af => Some("pcm_dvd"),
        0x1b0..=0x1bf => Some("truehd"),
        0x1c0..=0x1cf => Some("eac3"),
        0x120..=0x13f => Some("dvd_subtitle"),
        _ => None,
    }
}

/// The pieces of streams in a stretch, wherever it begins.
fn pieces(mut bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        loop {
            let at = bytes.windows(3).position(|three| three == [0, 0, 1])?;
            let unit = bytes.get(at..)?;
            let number = *unit.get(3)?;
            match number {
                0xba => bytes = unit.get(4..)?,
                0xbd | 0xc0..=0xef | 0xfd => {
                    let length = Bytes(unit.get(4..)?).u16()?;
                    let end = (usize::from(length) + 6).min(unit.len());
                    bytes = unit.get(end..)?;
                    if let Some(piece) = piece(number, unit.get(..end)?) {
                        return Some(piece);
                    }
                }
                0xbb..=0xbf | 0xf0..=0xff => {
                    let length = Bytes(unit.get(4..)?).u16()?;
                    bytes = unit.get((usize::from(length) + 6).min(unit.len())..)?;
                }
                _ => bytes = unit.get(3..)?,
            }
        }
    })
}

fn piece(number: u8, unit: &[u8]) -> Option<Piece<'_>> {
    let (time, content) = packet_time(unit).or_else(|| first_version(unit))?;
    if number != 0xbd {
        return Some(Piece {
            number: number.into(),
            time,
            content,
        });
    }
    // Broadcast recorders write AC-3 without the number of a DVD's substream.
    if content.starts_with(&[0x0b, 0x77]) {
        return Some(Piece {
            number: 0x180,
            time,
            content,
        });
    }
    let (inner, content) = content.split_first()?;
    Some(Piece {
        number: 0x100 + u16::from(*inner),
        time,
        content,
    })
}

/// As MPEG-1 writes them: padding, perhaps the buffer's size, perhaps times.
fn first_version(unit: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let mut bytes = Bytes(unit.get(6..)?);
    while bytes.0.first() == Some(&0xff) {
        bytes.skip(1)?;
    }
    if bytes.0.first()? & 0xc0 == 0x40 {
        bytes.skip(2)?;
    }
    match bytes.0.first()? >> 4 {
        2 => {
            let time = packed_time(bytes.take(5)?);
            Some((time, bytes.0))
        }
        3 => {
            let time = packed_time(bytes.take(5)?);
            bytes.skip(5)?;
            Some((time, bytes.0))
        }
        _ => {
            bytes.skip(1)?;
            Some((None, bytes.0))
        }
    }
}
