//! WAV and its longer relatives: chunks that say what they are and how long.

use std::io::{Read, Seek};

use super::{Recording, Sound, bitrate, seconds};
use crate::source::{Bytes, ReadResult, Source, damaged};
use crate::tags::{Tags, Want, id3, riff};

/// Most chunks that are looked at.
const MOST_CHUNKS: usize = 10_000;
/// Longest list of texts.
const LONGEST_LIST: usize = 1 << 20;

/// What the chunks told.
#[derive(Default)]
struct Chunks {
    sound: Option<Sound>,
    /// Bytes a second.
    speed: u64,
    /// Samples of each channel, where a chunk of its own counts them.
    samples: Option<u64>,
    /// Bytes of sound.
    data: u64,
    /// Bytes of sound where 32 bits do not hold them.
    long_data: Option<u64>,
    info: Tags,
    id3: Tags,
}

impl Chunks {
    fn recording(self) -> ReadResult<Recording> {
        let mut sound = self
            .sound
            .ok_or_else(|| damaged("is WAV without a format"))?;
        let data = self.long_data.unwrap_or(self.data);
        let is_packed = !sound.codec.starts_with("pcm_");
        let rate = u64::from(sound.sample_rate.unwrap_or(0));
        let counted = self
            .samples
            .filter(|_| is_packed)
            .and_then(|n| seconds(n, rate));
        let duration = counted.or_else(|| seconds(data, self.speed));
        sound.bitrate = bitrate(data, duration).or(Some(self.speed * 8));
        let mut tags = self.id3;
        tags.fall_back_on(self.info);
        Ok(Recording {
            container: Some("wav"),
            sound: Some(sound),
            duration,
            tags,
            ..Recording::default()
        })
    }
}

/// Reads RIFF, RF64 or BW64.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let mut chunks = Chunks::default();
    let mut at = begin + 12;
    for _ in 0..MOST_CHUNKS {
        let head = source.some(at, 8)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.le32(4)) else {
            break;
        };
        let body = at + 8;
        let left = source.len().saturating_sub(body);
        let len = match chunks.long_data {
            Some(long) if &name == b"data" && size == u32::MAX => long,
            _ => u64::from(size),
        };
        see(source, (&name, body, len.min(left)), want, &mut chunks)?;
        // A length that was never filled in reaches to the end.
        at = body.saturating_add(len).saturating_add(len % 2);
        if at >= source.len() {
            break;
        }
    }
    chunks.recording()
}

fn see<R: Read + Seek>(
    source: &mut Source<R>,
    (name, body, len): (&[u8; 4], u64, u64),
    want: Want,
    chunks: &mut Chunks,
) -> ReadResult<()> {
    let size = usize::try_from(len).unwrap_or(usize::MAX);
    match name {
        b"fmt " => {
            let format = source.some(body, size.min(64))?;
            chunks.sound = format_of(format);
            chunks.speed = format.le32(8).unwrap_or(0).into();
        }
        b"fact" => chunks.samples = source.some(body, 4)?.le32(0).map(u64::from),
        b"ds64" => {
            let sizes = source.some(body, 24)?;
            chunks.long_data = sizes.le64(8).filter(|len| *len > 0);
        }
        b"data" => chunks.data = len,
        b"LIST" if want != Want::Picture => {
            let list = source.some(body, size.min(LONGEST_LIST))?;
            if let Some(texts) = list.strip_prefix(b"INFO") {
                riff::info(texts, &mut chunks.info);
            }
        }
        b"id3 " | b"ID3 " => {
            if let Some(header) = id3::Header::at(source, body)? {
                // A program that does not change the first one appends another.
                let mut later = id3::read(source, header, want)?;
                later.fall_back_on(std::mem::take(&mut chunks.id3));
                chunks.id3 = later;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The sound that a format chunk, or its like in other containers, describes.
pub(super) fn format_of(format: &[u8]) -> Option<Sound> {
    let tag = match format.le16(0)? {
        // The long form has the code at the start of a GUID.
        0xfffe => format.le16(24)?,
        tag => tag,
    };
    let bits = u32::from(format.le16(14).unwrap_or(0));
    Some(Sound {
        sample_rate: Some(format.le32(4)?).filter(|rate| *rate > 0),
        channels: Some(u32::from(format.le16(2)?)).filter(|count| *count > 0),
        bitrate: format
            .le32(8)
            .map(|speed| u64::from(speed) * 8)
            .filter(|rate| *rate > 0),
        bits: Some(bits).filter(|bits| *bits > 0),
        ..Sound::of(codec_of(tag, bits))
    })
}

/// ffprobe's name of a codec by its number at Microsoft.
fn codec_of(tag: u16, bits: u32) -> &'static str {
    match (tag, bits) {
        (0x0001, 0..=8) => "pcm_u8",
        (0x0001, 9..=16) => "pcm_s16le",
        (0x0001, 17..=24) => "pcm_s24le",
        (0x0001, 25..=32) => "pcm_s32le",
        (0x0001, _) => "pcm_s64le",
        (0x0003, 64) => "pcm_f64le",
        (0x0003, _) => "pcm_f32le",
        (0x0002, _) => "adpcm_ms",
        (0x0006, _) => "pcm_alaw",
        (0x0007, _) => "pcm_mulaw",
        (0x000a, _) => "wmavoice",
        (0x0011, _) => "adpcm_ima_wav",
        (0x0031, _) => "gsm_ms",
        (0x0045, _) => "adpcm_g726",
        (0x0050, _) => "mp2",
        (0x0055, _) => "mp3",
        (0x0160, _) => "wmav1",
        (0x0161, _) => "wmav2",
        (0x0162, _) => "wmapro",
        (0x0163, _) => "wmalossless",
        (0x00ff | 0x1600 | 0x1610 | 0xa106, _) => "aac",
        (0x2000, _) => "ac3",
        (0x2001, _) => "dts",
        (0x704f, _) => "opus",
        (0xf1ac, _) => "flac",
        _ => "unknown",
    }
}

/// Reads Sony's Wave64: as WAV, with GUIDs for names and 64 bits for lengths.
pub(super) fn read_w64<R: Read + Seek>(
    source: &mut Source<R>,
    want: Want,
) -> ReadResult<Recording> {
    let mut chunks = Chunks::default();
    let mut at = 40;
    for _ in 0..MOST_CHUNKS {
        let head = source.some(at, 24)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.le64(16)) else {
            break;
        };
        // The length counts these 24 bytes.
        let Some(len) = size.checked_sub(24) else {
            break;
        };
        let body = at + 24;
        let left = source.len().saturating_sub(body);
        see(source, (&name, body, len.min(left)), want, &mut chunks)?;
        at = at.saturating_add(size.saturating_add(7) & !7);
        if at >= source.len() {
            break;
        }
    }
    let recording = chunks.recording()?;
    Ok(Recording {
        container: Some("w64"),
        ..recording
    })
}
