//! MPEG program streams, `.mpg` and `.vob` (ISO/IEC 13818-1, 2.5, and ISO/IEC 11172-1), and
//! elementary video streams.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{MAX_TRACKS, Media, Track};
use crate::container::mpeg_ts::{packed_time, packet_time};
use crate::reading::codec::config::Picture;
use crate::reading::codec::{h263, mpeg};

/// Start code of a pack.
pub const MAGIC: &[u8] = &[0, 0, 1, 0xba];

/// Start code of an elementary MPEG-1 or MPEG-2 video stream.
pub const SEQUENCE_START: &[u8] = &[0, 0, 1, 0xb3];

/// Bytes that are read from the start.
const HEAD_SIZE: usize = 768 << 10;
/// Bytes at the end that are searched for the last timestamps.
const TAIL_SIZE: u64 = 256 << 10;
/// Bytes that are kept from the start of each stream.
const SAMPLE_SIZE: usize = 48 << 10;
/// Timestamp units per second.
const CLOCK_HZ: f64 = 90_000.0;

/// Stream with the bytes that were read of it.
struct StreamSample {
    number: u16,
    kind: StreamKind,
    bytes: Vec<u8>,
}

/// Packet of a stream.
struct PesPacket<'a> {
    number: u16,
    time: Option<u64>,
    content: &'a [u8],
}

/// Reads the first packets, and the timestamps of the last ones.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let mut streams: Vec<StreamSample> = Vec::new();
    let mut first: Option<u64> = None;
    for packet in packets(source.read_at(0, HEAD_SIZE)?) {
        first = earlier(first, packet.time);
        let kind = kind(packet.number);
        let existing = streams
            .iter()
            .position(|stream| stream.number == packet.number);
        let at = match (existing, kind) {
            (Some(at), _) => at,
            (None, Some(kind)) if streams.len() < MAX_TRACKS => {
                streams.push(StreamSample {
                    number: packet.number,
                    kind,
                    bytes: Vec::new(),
                });
                streams.len() - 1
            }
            _ => continue,
        };
        if let Some(stream) = streams.get_mut(at)
            && stream.bytes.len() < SAMPLE_SIZE
        {
            stream.bytes.extend(packet.content);
        }
    }
    if streams.is_empty() {
        return Err(damaged("is a program stream without video and audio"));
    }
    let from = source.size().saturating_sub(TAIL_SIZE);
    let length = usize::try_from(source.size() - from).unwrap_or(0);
    let times = packets(source.read_at(from, length)?);
    let last = times.filter_map(|packet| packet.time).max();
    Ok(media(streams, first.zip(last)))
}

/// Reads an elementary MPEG-1 or MPEG-2 video stream. Its duration is unknown.
pub fn read_video<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let bytes = source.read_at(0, SAMPLE_SIZE)?;
    let codec = mpeg::video_codec(bytes);
    let picture = codec.and_then(|codec| mpeg::picture(codec, bytes));
    Ok(elementary("mpegvideo", codec, picture))
}

/// Reads an elementary H.263 stream.
pub fn read_h263<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let picture = h263::picture(source.read_at(0, 64)?);
    Ok(elementary("h263", Some("h263"), picture))
}

/// Reads an elementary H.264, HEVC or MPEG-4 stream. Returns `None` for other content.
pub fn read_units<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Option<Media>> {
    let bytes = source.read_at(0, SAMPLE_SIZE)?;
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

/// Builds the result for an elementary video stream, with ffprobe's container name.
fn elementary(
    container: &'static str,
    codec: Option<&'static str>,
    picture: Option<Picture>,
) -> Media {
    let mut media = Media::new(container);
    let mut track = Track::with_codec(StreamKind::Video, codec);
    track.apply(picture);
    track.is_default = true;
    media.tracks.push(track);
    media
}

fn earlier(existing: Option<u64>, time: Option<u64>) -> Option<u64> {
    match (existing, time) {
        (Some(existing), Some(time)) => Some(existing.min(time)),
        (existing, time) => existing.or(time),
    }
}

#[expect(clippy::cast_precision_loss, reason = "33 bits")]
fn media(mut streams: Vec<StreamSample>, times: Option<(u64, u64)>) -> Media {
    let mut media = Media::new("mpegps");
    let rank = |kind| match kind {
        StreamKind::Video => 0,
        StreamKind::Audio => 1,
        StreamKind::Subtitle => 2,
    };
    streams.sort_by_key(|stream| (rank(stream.kind), stream.number));
    let ticks = times.and_then(|(first, last)| last.checked_sub(first));
    media.duration = ticks.map(|ticks| ticks as f64 / CLOCK_HZ);
    for stream in streams {
        let codec = codec(&stream);
        let mut track = Track::with_codec(stream.kind, codec);
        track.apply(codec.and_then(|codec| mpeg::picture(codec, &stream.bytes)));
        track.number = stream.number.into();
        track.is_default = media.first(stream.kind).is_none();
        media.tracks.push(track);
    }
    media
}

/// Returns the kind of a stream. Numbers from 256 are substreams of the private stream.
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

fn codec(stream: &StreamSample) -> Option<&'static str> {
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

/// Iterates over the packets in a byte range that may begin anywhere.
fn packets(mut bytes: &[u8]) -> impl Iterator<Item = PesPacket<'_>> {
    std::iter::from_fn(move || {
        loop {
            let at = bytes.windows(3).position(|three| three == [0, 0, 1])?;
            let unit = bytes.get(at..)?;
            let number = *unit.get(3)?;
            match number {
                0xba => bytes = unit.get(4..)?,
                0xbd | 0xc0..=0xef | 0xfd => {
                    let length = ByteReader(unit.get(4..)?).u16()?;
                    let end = (usize::from(length) + 6).min(unit.len());
                    bytes = unit.get(end..)?;
                    if let Some(packet) = packet(number, unit.get(..end)?) {
                        return Some(packet);
                    }
                }
                0xbb..=0xbf | 0xf0..=0xff => {
                    let length = ByteReader(unit.get(4..)?).u16()?;
                    bytes = unit.get((usize::from(length) + 6).min(unit.len())..)?;
                }
                _ => bytes = unit.get(3..)?,
            }
        }
    })
}

fn packet(number: u8, unit: &[u8]) -> Option<PesPacket<'_>> {
    let (time, content) = packet_time(unit).or_else(|| mpeg1_header(unit))?;
    let (number, content) = match content {
        _ if number != 0xbd => (number.into(), content),
        // Broadcast recorders write AC-3 without the substream number of a DVD.
        [0x0b, 0x77, ..] => (0x180, content),
        [inner, content @ ..] => (0x100 + u16::from(*inner), content),
        [] => return None,
    };
    Some(PesPacket {
        number,
        time,
        content,
    })
}

/// Parses an MPEG-1 packet header: padding, optional buffer size, optional timestamps.
fn mpeg1_header(unit: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let mut bytes = ByteReader(unit.get(6..)?);
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
