//! Flash video files: a sequence of tags.
//!
//! Sources: Adobe Flash Video File Format Specification 10.1, and Enhanced RTMP for further codecs.

mod script;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{Media, Track};
use crate::reading::codec::config::{self, Picture};
use crate::reading::codec::h263;

/// Signature of an FLV file.
pub const MAGIC: &[u8] = b"FLV\x01";

/// Maximum number of tags that are read from the start.
const MAX_COUNT: usize = 200;
/// Maximum bytes that are read of a tag.
const MAX_SIZE: usize = 256 << 10;

/// Tag header: kind, time in milliseconds, offset and length of the content.
struct Tag {
    kind: u8,
    time: u32,
    start: u64,
    length: u32,
}

fn tag<R: Read + Seek>(source: &mut Source<R>, at: u64) -> ReadResult<Option<Tag>> {
    let mut bytes = ByteReader(source.read_at(at, 11)?);
    Ok((|| {
        let kind = bytes.u8()? & 0x1f;
        let length = bytes.u24()?;
        let low = bytes.u24()?;
        let high = bytes.u8()?;
        Some(Tag {
            kind,
            time: u32::from(high) << 24 | low,
            start: at.saturating_add(11),
            length,
        })
    })())
}

/// Reads the first tags, and the time of the last one.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let mut media = Media::new("flv");
    let mut head = ByteReader(source.read_at(4, 5)?);
    let flags = head.u8().unwrap_or(0);
    let mut at = u64::from(head.u32().unwrap_or(9)).max(9).saturating_add(4);
    let (mut video, mut audio): (Option<Track>, Option<Track>) = (None, None);
    let mut metadata = script::Metadata::default();
    for _ in 0..MAX_COUNT {
        let Some(tag) = tag(source, at)? else { break };
        at = tag
            .start
            .saturating_add(tag.length.into())
            .saturating_add(4);
        let bytes = source.read_at(tag.start, (tag.length as usize).min(MAX_SIZE))?;
        match tag.kind {
            9 if video.as_ref().is_none_or(|track| track.size.is_none()) => {
                video = video_tag(bytes).or(video);
            }
            8 if audio.is_none() => audio = audio_tag(bytes),
            18 => metadata = script::read(bytes),
            _ => {}
        }
        let has_pictures = video.is_some() || flags & 1 == 0 && metadata.width.is_none();
        let has_sound = audio.is_some() || flags & 4 == 0;
        let is_set = video
            .as_ref()
            .is_none_or(|track| track.size.is_some() || metadata.width.is_some());
        if has_pictures && has_sound && is_set && metadata.is_present {
            break;
        }
    }
    if let Some(track) = &mut video
        && track.size.is_none()
    {
        track.size = metadata.width.zip(metadata.height);
    }
    media.tracks.extend(video);
    media.tracks.extend(audio);
    if media.tracks.is_empty() {
        return Err(damaged("is a Flash video without video and audio"));
    }
    media.duration = match metadata.duration {
        Some(length) => Some(length),
        None => last_time(source)?,
    };
    Ok(media)
}

/// Returns the time of the last tag in seconds. A 4-byte length follows each tag.
fn last_time<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Option<f64>> {
    let end = source.size();
    let Some(at) = end.checked_sub(4) else {
        return Ok(None);
    };
    let Some(length) = ByteReader(source.read_at(at, 4)?).u32() else {
        return Ok(None);
    };
    let Some(start) = at.checked_sub(length.into()).filter(|_| length >= 11) else {
        return Ok(None);
    };
    let last = tag(source, start)?.filter(|tag| tag.length.saturating_add(11) == length);
    Ok(last.map(|tag| f64::from(tag.time) / 1e3))
}

fn video_tag(bytes: &[u8]) -> Option<Track> {
    let mut rest = ByteReader(bytes);
    let first = rest.u8()?;
    let mut track = Track {
        is_default: true,
        ..Track::new(StreamKind::Video)
    };
    if first & 0x80 != 0 {
        return enhanced(first & 0xf, rest, track);
    }
    let (codec, picture) = match first & 0xf {
        1 => ("mjpeg", None),
        2 => ("flv1", sorenson_size(rest.0)),
        3 => ("flashsv", None),
        4 => ("vp6f", vp6_size(rest.0)),
        5 => ("vp6a", None),
        6 => ("flashsv2", None),
        7 => ("h264", decoder_config(rest, config::avc)),
        8 => ("h263", h263::picture(rest.0)),
        9 => ("mpeg4", None),
        12 => ("hevc", decoder_config(rest, config::hevc)),
        _ => return Some(track),
    };
    track.codec = Some(codec);
    track.apply(picture);
    Some(track)
}

/// Reads a tag of Enhanced RTMP, whose codec is a four-character code.
fn enhanced(kind: u8, mut rest: ByteReader<'_>, mut track: Track) -> Option<Track> {
    let (codec, picture) = match &rest.tag()? {
        b"avc1" => ("h264", (kind == 0).then(|| config::avc(rest.0))?),
        b"hvc1" => ("hevc", (kind == 0).then(|| config::hevc(rest.0))?),
        b"av01" => ("av1", (kind == 0).then(|| config::av1(rest.0))?),
        b"vp09" => ("vp9", None),
        b"vp08" => ("vp8", None),
        _ => return Some(track),
    };
    track.codec = Some(codec);
    track.apply(picture);
    Some(track)
}

/// Parses the decoder configuration, which is the first packet of a stream.
fn decoder_config(mut rest: ByteReader<'_>, read: fn(&[u8]) -> Option<Picture>) -> Option<Picture> {
    let kind = rest.u8()?;
    rest.skip(3)?;
    (kind == 0).then(|| read(rest.0))?
}

/// Parses the size from a frame header of Sorenson H.263.
fn sorenson_size(bytes: &[u8]) -> Option<Picture> {
    let head = ByteReader(bytes).u64()?;
    // Start code of 17 bits, version of 5, time of 8, then the size code.
    let size = match head >> 31 & 7 {
        0 => (bits(head, 33, 8), bits(head, 41, 8)),
        1 => (bits(head, 33, 16), bits(head, 49, 15) << 1),
        2 => (352, 288),
        3 => (176, 144),
        4 => (128, 96),
        5 => (320, 240),
        6 => (160, 120),
        _ => return None,
    };
    Some(Picture {
        size: Some(size).filter(|size| size.0 > 0 && size.1 > 0),
        ..Picture::default()
    })
}

fn bits(head: u64, from: u32, count: u32) -> u32 {
    u32::try_from(head << from >> (64 - count)).unwrap_or(0)
}

/// Parses the size from a VP6 key frame header, in blocks of 16 pixels less the cropping.
fn vp6_size(bytes: &[u8]) -> Option<Picture> {
    let [cut, first, second, _, _, high, wide, ..] = bytes else {
        return None;
    };
    if first & 0x80 != 0 || second & 6 == 0 && first & 1 == 0 {
        return None;
    }
    let dimension = |blocks: u8, cut: u8| (u32::from(blocks) * 16).checked_sub(cut.into());
    Some(Picture {
        size: dimension(*wide, cut >> 4).zip(dimension(*high, cut & 0xf)),
        ..Picture::default()
    })
}

fn audio_tag(bytes: &[u8]) -> Option<Track> {
    let mut rest = ByteReader(bytes);
    let first = rest.u8()?;
    let codec = match first >> 4 {
        0 | 3 if first & 2 == 0 => Some("pcm_u8"),
        0 | 3 => Some("pcm_s16le"),
        1 => Some("adpcm_swf"),
        2 | 14 => Some("mp3"),
        4..=6 => Some("nellymoser"),
        7 => Some("pcm_alaw"),
        8 => Some("pcm_mulaw"),
        9 => match &rest.tag()? {
            b"mp4a" => Some("aac"),
            b"ac-3" => Some("ac3"),
            b"ec-3" => Some("eac3"),
            b"Opus" => Some("opus"),
            b"fLaC" => Some("flac"),
            b".mp3" => Some("mp3"),
            _ => None,
        },
        10 => Some("aac"),
        11 => Some("speex"),
        _ => None,
    };
    Some(Track {
        channels: Some(u16::from(first & 1) + 1).filter(|_| first >> 4 != 9),
        is_default: true,
        ..Track::with_codec(StreamKind::Audio, codec)
    })
}
