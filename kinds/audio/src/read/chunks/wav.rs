//! WAV, RF64, BW64 and Wave64 files.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds};
use crate::tags::{TagSelection, Tags, id3, riff};

/// Maximum number of chunks that are read.
const MAX_CHUNKS: usize = 10_000;
/// Maximum size of a text list, in bytes.
const MAX_LIST_SIZE: usize = 1 << 20;

/// Fields collected from the chunks.
#[derive(Default)]
struct Chunks {
    sound: Option<Sound>,
    /// Bytes per second.
    byte_rate: u64,
    /// Samples per channel, from a `fact` chunk.
    samples: Option<u64>,
    /// Audio data in bytes.
    data: u64,
    /// Audio data in bytes, from a `ds64` chunk, if it exceeds 32 bits.
    long_data: Option<u64>,
    info: Tags,
    id3: Tags,
}

impl Chunks {
    fn recording(self) -> ReadResult<Recording> {
        let mut sound = self
            .sound
            .ok_or_else(|| damaged("is a WAV file without a format chunk"))?;
        let data = self.long_data.unwrap_or(self.data);
        let is_packed = !sound.codec.starts_with("pcm_");
        let rate = u64::from(sound.sample_rate.unwrap_or(0));
        let counted = self
            .samples
            .filter(|_| is_packed)
            .and_then(|n| seconds(n, rate));
        let duration = counted.or_else(|| seconds(data, self.byte_rate));
        sound.bitrate = bitrate(data, duration).or(Some(self.byte_rate * 8));
        let mut tags = self.id3;
        tags.merge_missing(self.info);
        Ok(Recording {
            container: Some("wav"),
            sound: Some(sound),
            duration,
            tags,
            ..Recording::default()
        })
    }
}

/// Reads a RIFF, RF64 or BW64 file.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut chunks = Chunks::default();
    let mut at = begin + 12;
    for _ in 0..MAX_CHUNKS {
        let head = source.read_at(at, 8)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.le32(4)) else {
            break;
        };
        let body = at + 8;
        let left = source.size().saturating_sub(body);
        let len = match chunks.long_data {
            Some(long) if &name == b"data" && size == u32::MAX => long,
            _ => u64::from(size),
        };
        read_chunk(source, (&name, body, len.min(left)), selection, &mut chunks)?;
        // A streaming writer leaves the length at its maximum. The chunk then extends to the end.
        at = body.saturating_add(len).saturating_add(len % 2);
        if at >= source.size() {
            break;
        }
    }
    chunks.recording()
}

fn read_chunk<R: Read + Seek>(
    source: &mut Source<R>,
    (name, body, len): (&[u8; 4], u64, u64),
    selection: TagSelection,
    chunks: &mut Chunks,
) -> ReadResult<()> {
    let size = usize::try_from(len).unwrap_or(usize::MAX);
    match name {
        b"fmt " => {
            let format = source.read_at(body, size.min(64))?;
            chunks.sound = format_of(format);
            chunks.byte_rate = format.le32(8).unwrap_or(0).into();
        }
        b"fact" => chunks.samples = source.read_at(body, 4)?.le32(0).map(u64::from),
        b"ds64" => {
            let sizes = source.read_at(body, 24)?;
            chunks.long_data = sizes.le64(8).filter(|len| *len > 0);
        }
        b"data" => chunks.data = len,
        b"LIST" if selection != TagSelection::Picture => {
            let list = source.read_at(body, size.min(MAX_LIST_SIZE))?;
            if let Some(texts) = list.strip_prefix(b"INFO") {
                riff::info(texts, &mut chunks.info);
            }
        }
        b"id3 " | b"ID3 " => {
            if let Some(header) = id3::Header::at(source, body)? {
                // Some programs append a second tag instead of changing the first.
                let mut later = id3::read(source, header, selection)?;
                later.merge_missing(std::mem::take(&mut chunks.id3));
                chunks.id3 = later;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Parses a `WAVEFORMATEX` structure, which AVI and ASF use, too.
pub(crate) fn format_of(format: &[u8]) -> Option<Sound> {
    let tag = match format.le16(0)? {
        // The extensible form stores the code at the start of a GUID.
        0xfffe => format.le16(24)?,
        tag => tag,
    };
    let bits = u32::from(format.le16(14).unwrap_or(0));
    Some(Sound {
        sample_rate: Some(format.le32(4)?).filter(|rate| *rate > 0),
        channels: Some(u32::from(format.le16(2)?)).filter(|count| *count > 0),
        bitrate: format
            .le32(8)
            .map(|byte_rate| u64::from(byte_rate) * 8)
            .filter(|rate| *rate > 0),
        bits: Some(bits).filter(|bits| *bits > 0),
        ..Sound::with_codec(codec_of(tag, bits))
    })
}

/// Returns ffprobe's name of a codec by its Microsoft format tag.
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

/// Reads a Wave64 file (Sony). It resembles WAV, with GUIDs as names and 64-bit lengths.
pub(crate) fn read_w64<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut chunks = Chunks::default();
    let mut at = 40;
    for _ in 0..MAX_CHUNKS {
        let head = source.read_at(at, 24)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.le64(16)) else {
            break;
        };
        // The chunk size includes this 24-byte header.
        let Some(len) = size.checked_sub(24) else {
            break;
        };
        let body = at + 24;
        let left = source.size().saturating_sub(body);
        read_chunk(source, (&name, body, len.min(left)), selection, &mut chunks)?;
        at = at.saturating_add(size.saturating_add(7) & !7);
        if at >= source.size() {
            break;
        }
    }
    let recording = chunks.recording()?;
    Ok(Recording {
        container: Some("w64"),
        ..recording
    })
}
