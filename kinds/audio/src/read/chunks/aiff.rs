//! AIFF and AIFF-C files: big-endian relatives of WAV.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds};
use crate::tags::{Key, TagSelection, Tags, id3, riff};

const MAX_CHUNKS: usize = 10_000;
const MAX_TEXT_SIZE: usize = 64 << 10;

/// Reads an AIFF file.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut described = None;
    let mut texts = Tags::default();
    let mut tags = Tags::default();
    let mut at = begin + 12;
    for _ in 0..MAX_CHUNKS {
        let head = source.read_at(at, 8)?;
        let (Some(name), Some(size)) = (head.array_at::<4>(0), head.be32(4)) else {
            break;
        };
        let body = at + 8;
        let len = usize::try_from(size).unwrap_or(usize::MAX);
        match &name {
            b"COMM" => described = common(source.read_at(body, len.min(64))?),
            b"ID3 " | b"id3 " => {
                if let Some(header) = id3::Header::at(source, body)? {
                    tags.merge_missing(id3::read(source, header, selection)?);
                }
            }
            _ => {
                if let Some(key) = key_of(name).filter(|_| selection != TagSelection::Picture) {
                    texts.add(
                        key,
                        &riff::plain(source.read_at(body, len.min(MAX_TEXT_SIZE))?),
                    );
                }
            }
        }
        at = body + u64::from(size) + u64::from(size % 2);
    }
    let (mut sound, duration) =
        described.ok_or_else(|| damaged("is an AIFF file without a COMM chunk"))?;
    sound.bitrate = bitrate(source.size(), duration);
    tags.merge_missing(texts);
    Ok(Recording {
        container: Some("aiff"),
        sound: Some(sound),
        duration,
        tags,
        ..Recording::default()
    })
}

fn key_of(name: [u8; 4]) -> Option<Key> {
    Some(match &name {
        b"NAME" => Key::Title,
        b"AUTH" => Key::Artist,
        b"(c) " => Key::Copyright,
        b"ANNO" => Key::Comment,
        _ => return None,
    })
}

/// Parses the `COMM` chunk, which every AIFF file has.
fn common(chunk: &[u8]) -> Option<(Sound, Option<f64>)> {
    let (channels, samples, bits) = (chunk.be16(0)?, chunk.be32(2)?, u32::from(chunk.be16(6)?));
    let rate = extended(chunk.array_at(8)?)?;
    let compression = chunk.array_at::<4>(18);
    let codec = match compression.as_ref() {
        None | Some(b"NONE" | b"twos" | b"in24" | b"in32") => big_endian(bits),
        Some(b"sowt") => little_endian(bits),
        Some(b"fl32" | b"FL32") => "pcm_f32be",
        Some(b"fl64" | b"FL64") => "pcm_f64be",
        Some(b"alaw" | b"ALAW") => "pcm_alaw",
        Some(b"ulaw" | b"ULAW") => "pcm_mulaw",
        Some(b"ima4") => "adpcm_ima_qt",
        Some(b"MAC3") => "mace3",
        Some(b"MAC6") => "mace6",
        Some(b"raw ") => "pcm_u8",
        Some(_) => "unknown",
    };
    let sound = Sound {
        sample_rate: Some(rate),
        channels: Some(channels.into()),
        bits: Some(bits).filter(|bits| *bits > 0),
        ..Sound::with_codec(codec)
    };
    // A sample frame of this codec is a packet of 64 samples.
    let each = if codec == "adpcm_ima_qt" { 64 } else { 1 };
    Some((sound, seconds(u64::from(samples) * each, rate.into())))
}

fn big_endian(bits: u32) -> &'static str {
    match bits {
        0..=8 => "pcm_s8",
        9..=16 => "pcm_s16be",
        17..=24 => "pcm_s24be",
        _ => "pcm_s32be",
    }
}

fn little_endian(bits: u32) -> &'static str {
    match bits {
        0..=8 => "pcm_s8",
        9..=16 => "pcm_s16le",
        17..=24 => "pcm_s24le",
        _ => "pcm_s32le",
    }
}

/// Parses an 80-bit extended float as an integer: sign and exponent, then 64 bits with an explicit
/// leading one.
fn extended(bytes: [u8; 10]) -> Option<u32> {
    let exponent = u32::from(bytes.as_slice().be16(0)? & 0x7fff);
    let mantissa = bytes.as_slice().be64(2)?;
    // The value is mantissa × 2^(exponent − 16383 − 63).
    let shift = (16_383_u32 + 63)
        .checked_sub(exponent)
        .filter(|shift| *shift < 64)?;
    u32::try_from(mantissa >> shift)
        .ok()
        .filter(|rate| *rate > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighty_bit_rates_are_parsed() {
        assert_eq!(extended(*b"\x40\x0e\xac\x44\0\0\0\0\0\0"), Some(44_100));
        assert_eq!(extended(*b"\x40\x0b\xfa\0\0\0\0\0\0\0"), Some(8_000));
        assert_eq!(extended([0; 10]), None);
        assert_eq!(extended([0xff; 10]), None);
    }
}
