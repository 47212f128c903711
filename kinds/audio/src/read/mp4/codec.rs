//! Codecs of MP4 tracks, with ffprobe's names.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::boxes::{Bounds, Boxes};
use super::track::{Handler, Track};
use crate::read::frames::streams::MPEG4_RATES;

/// Reads the first sample description of a track.
pub(super) fn describe<R: Read + Seek>(
    source: &mut Source<R>,
    descriptions: Bounds,
    track: &mut Track,
) -> ReadResult<()> {
    let mut entries = Boxes::in_bounds(descriptions.after(8));
    let Some((format, inside)) = entries.next(source)? else {
        return Ok(());
    };
    name_of(format, track.handler).clone_into(&mut track.codec);
    match track.handler {
        Handler::Sound => sound(source, (format, inside), track)?,
        Handler::Video => {
            let bytes = inside.bytes(source, 28)?;
            let size = bytes.be16(24).zip(bytes.be16(26));
            track.size = size.map(|(width, height)| (width.into(), height.into()));
        }
        _ => {}
    }
    Ok(())
}

fn name_of(format: [u8; 4], handler: Handler) -> &'static str {
    match (handler, &format) {
        (Handler::Sound, b"mp4a") => "aac",
        (Handler::Sound, b"alac") => "alac",
        (Handler::Sound, b".mp3" | b"mp3 " | b"ms\0\x55") => "mp3",
        (Handler::Sound, b".mp2") => "mp2",
        (Handler::Sound, b"Opus") => "opus",
        (Handler::Sound, b"fLaC") => "flac",
        (Handler::Sound, b"ac-3" | b"sac3") => "ac3",
        (Handler::Sound, b"ec-3") => "eac3",
        (Handler::Sound, b"ac-4") => "ac4",
        (Handler::Sound, b"mlpa") => "truehd",
        (Handler::Sound, b"dtsc" | b"dtse" | b"dtsh" | b"dtsl" | b"dtsx") => "dts",
        (Handler::Sound, b"samr") => "amr_nb",
        (Handler::Sound, b"sawb") => "amr_wb",
        (Handler::Sound, b"ima4") => "adpcm_ima_qt",
        (Handler::Sound, b"sowt") => "pcm_s16le",
        (Handler::Sound, b"twos") => "pcm_s16be",
        (Handler::Sound, b"in24") => "pcm_s24be",
        (Handler::Sound, b"in32") => "pcm_s32be",
        (Handler::Sound, b"fl32") => "pcm_f32be",
        (Handler::Sound, b"ulaw") => "pcm_mulaw",
        (Handler::Sound, b"alaw") => "pcm_alaw",
        (Handler::Sound, b"QDM2") => "qdm2",
        (Handler::Video, b"avc1" | b"avc3") => "h264",
        (Handler::Video, b"hvc1" | b"hev1") => "hevc",
        (Handler::Video, b"mp4v") => "mpeg4",
        (Handler::Video, b"av01") => "av1",
        (Handler::Video, b"vp09") => "vp9",
        (Handler::Video, b"jpeg" | b"mjpa") => "mjpeg",
        (Handler::Video, b"png ") => "png",
        (Handler::Text, b"tx3g" | b"text") => "mov_text",
        (Handler::Text, b"wvtt") => "webvtt",
        (Handler::Text, b"stpp") => "ttml",
        _ => "unknown",
    }
}

/// Reads the fields of an audio sample description and its child boxes.
fn sound<R: Read + Seek>(
    source: &mut Source<R>,
    (format, inside): ([u8; 4], Bounds),
    track: &mut Track,
) -> ReadResult<()> {
    let head = inside.bytes(source, 28 + 36)?;
    let version = head.be16(8).unwrap_or(0);
    track.channels = head.be16(16).map(u32::from).filter(|count| *count > 0);
    track.bits = head.be16(18).map(u32::from).filter(|bits| *bits > 0);
    track.sample_rate = head.be16(24).map(u32::from).filter(|rate| *rate > 0);
    let skipped = match version {
        1 => 28 + 16,
        2 => 28 + 36,
        _ => 28,
    };
    let mut parts = Boxes::in_bounds(inside.after(skipped));
    while let Some((name, part)) = parts.next(source)? {
        match &name {
            b"esds" => elementary(part.bytes(source, 256)?, track),
            b"wave" => {
                // QuickTime wraps the description in a further box.
                let mut inner = Boxes::in_bounds(part);
                while let Some((name, part)) = inner.next(source)? {
                    if &name == b"esds" {
                        elementary(part.bytes(source, 256)?, track);
                    }
                }
            }
            b"alac" if &format == b"alac" => {
                let config = part.bytes(source, 28)?;
                track.bits = config.u8_at(9).map(u32::from).or(track.bits);
                track.channels = config.u8_at(13).map(u32::from).or(track.channels);
                track.stated_bitrate = config.be32(20).map(u64::from);
                track.sample_rate = config
                    .be32(24)
                    .filter(|rate| *rate > 0)
                    .or(track.sample_rate);
            }
            b"dOps" => {
                let config = part.bytes(source, 11)?;
                track.channels = config.u8_at(1).map(u32::from).or(track.channels);
                track.sample_rate = Some(48_000);
            }
            b"dfLa" => {
                let rate = part.bytes(source, 32)?.be32(18).map(|packed| packed >> 12);
                track.sample_rate = rate.filter(|rate| *rate > 0).or(track.sample_rate);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Parses an elementary stream descriptor (ISO 14496-1): codec, bit rate and the AAC configuration.
fn elementary(bytes: &[u8], track: &mut Track) {
    let mut at = 4;
    // Descriptors are nested. Entering one skips only its header.
    while let Some(tag) = bytes.u8_at(at) {
        at += 1;
        let mut size = 0_usize;
        for _ in 0..4 {
            let Some(byte) = bytes.u8_at(at) else {
                return;
            };
            at += 1;
            size = size << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        match tag {
            3 => {
                let flags = bytes.u8_at(at + 2).unwrap_or(0);
                let optional = usize::from(flags >> 7) * 2 + usize::from(flags >> 5 & 1) * 2;
                at += 3 + optional;
                if flags & 0x40 != 0 {
                    at += 1 + usize::from(bytes.u8_at(at).unwrap_or(0));
                }
            }
            4 => {
                object_type(bytes.u8_at(at).unwrap_or(0)).clone_into(&mut track.codec);
                track.stated_bitrate = bytes.be32(at + 9).map(u64::from);
                at += 13;
            }
            5 => {
                if track.codec == "aac" {
                    audio_config(bytes.get(at..).unwrap_or_default(), track);
                }
                return;
            }
            _ => at += size,
        }
    }
}

fn object_type(number: u8) -> &'static str {
    match number {
        0x40 | 0x66..=0x68 => "aac",
        0x69 | 0x6b => "mp3",
        0xa5 => "ac3",
        0xa6 => "eac3",
        0xa9 | 0xac => "dts",
        0xad => "opus",
        0xdd => "vorbis",
        0xe1 => "qcelp",
        _ => "unknown",
    }
}

/// Parses an AAC `AudioSpecificConfig`. Its rate and channels override those of the sample
/// description, which are often wrong.
fn audio_config(config: &[u8], track: &mut Track) {
    let Some(bits) = config.be16(0) else {
        return;
    };
    let object = bits >> 11;
    // Extended object types and SBR keep the values of the sample description.
    if object >= 29 || object == 5 {
        return;
    }
    let rate = MPEG4_RATES.get(usize::from(bits >> 7 & 15)).copied();
    track.sample_rate = rate.or(track.sample_rate);
    match u32::from(bits >> 3 & 15) {
        count @ 1..=6 => track.channels = Some(count),
        7 => track.channels = Some(8),
        _ => {}
    }
}
