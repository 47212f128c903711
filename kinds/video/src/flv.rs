//! Flash video: tags one after another. Adobe's Flash Video File Format Specification 10.1, and
//! the codecs that Enhanced RTMP adds.

mod script;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use crate::codec::config::{self, Picture};
use crate::codec::h263;
use crate::input::{Bytes, Input, ReadResult, damaged};
use crate::media::{Media, Track};

/// What every such file begins with.
pub const MAGIC: &[u8] = b"FLV\x01";

/// Most tags that are looked at in front.
const MOST: usize = 200;
/// Most of a tag that is read.
const LONGEST: usize = 256 << 10;

/// A tag's kind, time in milliseconds and place.
struct Tag {
    kind: u8,
    time: u32,
    start: u64,
    length: u32,
}

fn tag<R: Read + Seek>(input: &mut Input<R>, at: u64) -> ReadResult<Option<Tag>> {
    let mut bytes = Bytes(input.at(at, 11)?);
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

/// What the first tags say, and when the last one is.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let mut media = Media::of("flv");
    let mut head = Bytes(input.at(4, 5)?);
    let flags = head.u8().unwrap_or(0);
    let mut at = u64::from(head.u32().unwrap_or(9)).max(9).saturating_add(4);
    let (mut video, mut audio): (Option<Track>, Option<Track>) = (None, None);
    let mut said = script::Said::default();
    for _ in 0..MOST {
        let Some(tag) = tag(input, at)? else { break };
        at = tag
            .start
            .saturating_add(tag.length.into())
            .saturating_add(4);
        let bytes = input.at(tag.start, (tag.length as usize).min(LONGEST))?;
        match tag.kind {
            9 if video.as_ref().is_none_or(|track| track.size.is_none()) => {
                video = pictures(bytes).or(video);
            }
            8 if audio.is_none() => audio = sound(bytes),
            18 => said = script::read(bytes),
            _ => {}
        }
        let has_pictures = video.is_some() || flags & 1 == 0 && said.width.is_none();
        let has_sound = audio.is_some() || flags & 4 == 0;
        let is_set = video
            .as_ref()
            .is_none_or(|track| track.size.is_some() || said.width.is_some());
        if has_pictures && has_sound && is_set && said.is_there {
            break;
        }
    }
    if let Some(track) = &mut video
        && track.size.is_none()
    {
        track.size = said.width.zip(said.height);
    }
    media.tracks.extend(video);
    media.tracks.extend(audio);
    if media.tracks.is_empty() {
        return Err(damaged("is a Flash video without pictures and sound"));
    }
    media.duration = match said.duration {
        Some(length) => Some(length),
        None => last_time(input)?,
    };
    Ok(media)
}

/// When the last tag is. Behind each tag its length stands.
fn last_time<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Option<f64>> {
    let end = input.size();
    let Some(at) = end.checked_sub(4) else {
        return Ok(None);
    };
    let Some(length) = Bytes(input.at(at, 4)?).u32() else {
        return Ok(None);
    };
    let Some(start) = at.checked_sub(length.into()).filter(|_| length >= 11) else {
        return Ok(None);
    };
    let last = tag(input, start)?.filter(|tag| tag.length.saturating_add(11) == length);
    Ok(last.map(|tag| f64::from(tag.time) / 1e3))
}

fn pictures(bytes: &[u8]) -> Option<Track> {
    let mut rest = Bytes(bytes);
    let first = rest.u8()?;
    let mut track = Track {
        is_default: true,
        ..Track::of(StreamKind::Video)
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
        7 => ("h264", set_up(rest, config::avc)),
        8 => ("h263", h263::picture(rest.0)),
        9 => ("mpeg4", None),
        12 => ("hevc", set_up(rest, config::hevc)),
        _ => return Some(track),
    };
    track.codec = Some(codec.to_owned());
    apply(&mut track, picture);
    Some(track)
}

fn apply(track: &mut Track, picture: Option<Picture>) {
    if let Some(picture) = picture {
        track.size = picture.size;
        track.profile = picture.profile;
        track.bit_depth = picture.bit_depth;
    }
}

/// Codecs by four characters.
fn enhanced(kind: u8, mut rest: Bytes<'_>, mut track: Track) -> Option<Track> {
    let (codec, picture) = match &rest.tag()? {
        b"avc1" => ("h264", (kind == 0).then(|| config::avc(rest.0))?),
        b"hvc1" => ("hevc", (kind == 0).then(|| config::hevc(rest.0))?),
        b"av01" => ("av1", (kind == 0).then(|| config::av1(rest.0))?),
        b"vp09" => ("vp9", None),
        b"vp08" => ("vp8", None),
        _ => return Some(track),
    };
    track.codec = Some(codec.to_owned());
    apply(&mut track, picture);
    Some(track)
}

/// The codec's set-up, which the first packet is.
fn set_up(mut rest: Bytes<'_>, read: fn(&[u8]) -> Option<Picture>) -> Option<Picture> {
    let kind = rest.u8()?;
    rest.skip(3)?;
    (kind == 0).then(|| read(rest.0))?
}

/// The size in a frame's header of Sorenson's H.263.
fn sorenson_size(bytes: &[u8]) -> Option<Picture> {
    let head = Bytes(bytes).u64()?;
    // Start code of 17 bits, version of 5, time of 8, then the size.
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

/// The size in a key frame's header, in blocks of sixteen less what is cut off.
fn vp6_size(bytes: &[u8]) -> Option<Picture> {
    let [cut, first, second, _, _, high, wide, ..] = bytes else {
        return None;
    };
    if first & 0x80 != 0 || second & 6 == 0 && first & 1 == 0 {
        return None;
    }
    let side = |blocks: u8, cut: u8| (u32::from(blocks) * 16).checked_sub(cut.into());
    Some(Picture {
        size: side(*wide, cut >> 4).zip(side(*high, cut & 0xf)),
        ..Picture::default()
    })
}

fn sound(bytes: &[u8]) -> Option<Track> {
    let mut rest = Bytes(bytes);
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
        codec: codec.map(str::to_owned),
        channels: Some(u16::from(first & 1) + 1).filter(|_| first >> 4 != 9),
        is_default: true,
        ..Track::of(StreamKind::Audio)
    })
}
