//! Formats with all technical data in their headers: DSF, DSDIFF, True Audio, Sun AU, Apple CAF.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::{Key, TagSelection, Tags, id3};
use crate::text;

const MAX_CHUNKS: usize = 10_000;

/// Reads a DSF file (Sony).
pub(crate) fn dsf<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let head = source.read_exact_at(0, 80)?.to_vec();
    let head = head.as_slice();
    let tag_at = head.le64(20).filter(|at| *at > 0);
    let format = head.get(28..).filter(|format| format.starts_with(b"fmt "));
    let format = format.ok_or_else(|| damaged("is a DSF file without a format chunk"))?;
    let rate = format.le32(28);
    let bits = format.le32(32);
    // The rate in bytes, as in ffprobe, because a DSD decoder consumes bytes.
    let duration = seconds(format.le64(36).unwrap_or(0), rate.unwrap_or(0).into());
    let mut tags = Tags::default();
    if let Some(at) = tag_at
        && let Some(header) = id3::Header::at(source, at)?
    {
        tags = id3::read(source, header, selection)?;
    }
    let codec = if bits == Some(8) {
        "dsd_msbf_planar"
    } else {
        "dsd_lsbf_planar"
    };
    Ok(Recording {
        container: Some("dsf"),
        sound: Some(Sound {
            sample_rate: rate.map(|rate| rate / 8),
            channels: format.le32(24),
            bitrate: bitrate(source.size(), duration),
            ..Sound::with_codec(codec)
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Reads a DSDIFF file (Philips).
pub(crate) fn dff<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut tags = Tags::default();
    let (mut rate, mut channels, mut data, mut frames) = (0, None, 0, None);
    let mut codec = "dsd_msbf";
    // The `FRM8` and `PROP` chunks contain further chunks.
    let mut at = 16;
    for _ in 0..MAX_CHUNKS {
        let head = source.read_at(at, 32)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.be64(4)) else {
            break;
        };
        let body = head.get(12..).unwrap_or_default();
        match &name {
            // The child chunks follow the 4-byte property type.
            b"PROP" => {
                at += 16;
                continue;
            }
            b"FS  " => rate = body.be32(0).unwrap_or(0),
            b"CHNL" => channels = body.be16(0).map(u32::from),
            b"CMPR" if body.starts_with(b"DST ") => codec = "dst",
            b"DSD " => data = size,
            // The first child chunk (`FRTE`) contains the frame count and the frame rate.
            b"DST " => frames = body.be32(12).zip(body.be16(16)),
            b"ID3 " => {
                if let Some(header) = id3::Header::at(source, at + 12)? {
                    tags.merge_missing(id3::read(source, header, selection)?);
                }
            }
            _ => {}
        }
        at = at
            .saturating_add(12)
            .saturating_add(size)
            .saturating_add(size % 2);
    }
    let bits_per_second = u64::from(rate) * u64::from(channels.unwrap_or(0));
    let duration = match frames {
        Some((count, frame_rate)) => seconds(count.into(), frame_rate.into()),
        None => seconds(data.saturating_mul(8), bits_per_second),
    };
    if rate == 0 {
        return Err(damaged("is a DSDIFF file without a sample rate"));
    }
    Ok(Recording {
        container: Some("iff"),
        sound: Some(Sound {
            sample_rate: Some(rate / 8),
            channels,
            bitrate: bitrate(source.size(), duration),
            ..Sound::with_codec(codec)
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Reads a True Audio file.
pub(crate) fn tta<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let head = source.read_exact_at(begin, 22)?;
    let rate = head.le32(10);
    let duration = seconds(head.le32(14).unwrap_or(0).into(), rate.unwrap_or(0).into());
    let sound = Sound {
        sample_rate: rate,
        channels: head.le16(6).map(u32::from),
        bits: head.le16(8).map(u32::from),
        bitrate: bitrate(source.size() - begin, duration),
        ..Sound::with_codec("tta")
    };
    let tags = tail::read(source, selection)?.tags;
    Ok(Recording {
        container: Some("tta"),
        sound: Some(sound),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Reads an AU file (Sun, NeXT).
pub(crate) fn au<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Recording> {
    let head = source.read_exact_at(0, 24)?;
    let number = |at| head.be32(at).unwrap_or(0);
    let (start, stated_size, rate, channels) = (number(4), number(8), number(16), number(20));
    let (codec, bits) = match number(12) {
        1 => ("pcm_mulaw", 8),
        2 => ("pcm_s8", 8),
        3 => ("pcm_s16be", 16),
        4 => ("pcm_s24be", 24),
        5 => ("pcm_s32be", 32),
        6 => ("pcm_f32be", 32),
        7 => ("pcm_f64be", 64),
        27 => ("pcm_alaw", 8),
        _ => ("unknown", 0),
    };
    let available = source.size().saturating_sub(start.into());
    // All bits set: a streaming writer did not know the size.
    let data = if stated_size == u32::MAX {
        available
    } else {
        available.min(stated_size.into())
    };
    let bit_rate = (u64::from(rate) * u64::from(channels)).saturating_mul(bits);
    let duration = seconds(data * 8, bit_rate);
    Ok(Recording {
        container: Some("au"),
        sound: Some(Sound {
            sample_rate: Some(rate),
            channels: Some(channels),
            bits: u32::try_from(bits).ok().filter(|bits| *bits > 0),
            bitrate: Some(bit_rate).filter(|bit_rate| *bit_rate > 0),
            ..Sound::with_codec(codec)
        }),
        duration,
        ..Recording::default()
    })
}

/// Reads a Core Audio file (Apple).
pub(crate) fn caf<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut tags = Tags::default();
    let mut format = None;
    let (mut data, mut packets) = (0, None);
    let mut at = 8;
    for _ in 0..MAX_CHUNKS {
        let head = source.read_at(at, 12 + 32)?.to_vec();
        let head = head.as_slice();
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.be64(4)) else {
            break;
        };
        let body = at + 12;
        let left = source.size().saturating_sub(body);
        match &name {
            b"desc" => format = head.get(12..).and_then(Description::read),
            b"pakt" => packets = source.read_at(body + 8, 8)?.be64(0),
            // A size of −1 extends to the end. A 4-byte edit count precedes the samples.
            b"data" => data = size.min(left).saturating_sub(4),
            b"info" if selection != TagSelection::Picture => {
                let len = usize::try_from(size.min(1 << 20)).unwrap_or(0);
                information(source.read_at(body, len)?, &mut tags);
            }
            _ => {}
        }
        at = body.saturating_add(size.min(left));
        if size > left {
            break;
        }
    }
    let format = format.ok_or_else(|| damaged("is a CAF file without a desc chunk"))?;
    let duration = format.duration(data, packets);
    Ok(Recording {
        container: Some("caf"),
        sound: Some(Sound {
            bitrate: bitrate(data, duration),
            ..format.sound
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Fields of the `desc` chunk of a CAF file.
struct Description {
    sound: Sound,
    packet: u32,
    frames: u32,
}

impl Description {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates"
    )]
    fn read(body: &[u8]) -> Option<Self> {
        let rate = f64::from_bits(body.be64(0)?) as u32;
        let (format, flags) = (body.array_at::<4>(8)?, body.be32(12)?);
        let bits = body.be32(28)?;
        let codec = match &format {
            b"lpcm" => pcm(bits, flags & 1 != 0, flags & 2 != 0),
            b"alac" => "alac",
            b"aac " | b"aach" | b"aacp" => "aac",
            b".mp3" => "mp3",
            b".mp2" => "mp2",
            b".mp1" => "mp1",
            b"ima4" => "adpcm_ima_qt",
            b"ulaw" => "pcm_mulaw",
            b"alaw" => "pcm_alaw",
            b"ac-3" => "ac3",
            b"ec-3" => "eac3",
            b"opus" => "opus",
            b"flac" => "flac",
            _ => "unknown",
        };
        Some(Self {
            sound: Sound {
                sample_rate: Some(rate).filter(|rate| *rate > 0),
                channels: body.be32(24).filter(|count| *count > 0),
                bits: Some(bits).filter(|bits| *bits > 0),
                ..Sound::with_codec(codec)
            },
            packet: body.be32(16)?,
            frames: body.be32(20)?,
        })
    }

    fn duration(&self, data: u64, packets: Option<u64>) -> Option<f64> {
        let rate = u64::from(self.sound.sample_rate?);
        match (packets, self.packet) {
            // The packet table counts the valid samples.
            (Some(samples), 0) => seconds(samples, rate),
            (_, 0) => None,
            (_, packet) => {
                let samples = (data / u64::from(packet)).saturating_mul(self.frames.into());
                seconds(samples, rate)
            }
        }
    }
}

fn pcm(bits: u32, is_float: bool, is_little: bool) -> &'static str {
    match (bits, is_float, is_little) {
        (0..=8, ..) => "pcm_s8",
        (9..=16, _, true) => "pcm_s16le",
        (9..=16, ..) => "pcm_s16be",
        (17..=24, _, true) => "pcm_s24le",
        (17..=24, ..) => "pcm_s24be",
        (25..=32, false, true) => "pcm_s32le",
        (25..=32, false, false) => "pcm_s32be",
        (25..=32, true, true) => "pcm_f32le",
        (25..=32, true, false) => "pcm_f32be",
        (_, _, true) => "pcm_f64le",
        (_, _, false) => "pcm_f64be",
    }
}

/// Reads pairs of null-terminated texts.
fn information(body: &[u8], tags: &mut Tags) {
    let mut texts = body.get(4..).unwrap_or_default().split(|byte| *byte == 0);
    while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
        if let Some(key) = Key::named(&text::utf8(name)) {
            tags.add(key, &text::utf8(value));
        }
    }
}
