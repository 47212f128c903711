//! Musepack files, stream versions 7 and 8.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::TagSelection;

const RATES: [u32; 4] = [44_100, 48_000, 37_800, 32_000];
const FRAME: u64 = 1152;
/// Delay of encoder and decoder at the start of a version 7 stream, in samples.
const DELAY: u64 = 481;
const MAX_PACKETS: usize = 1_000;

/// Reads a stream of version 7.
pub(crate) fn read7<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let head = source.read_exact_at(begin, 28)?;
    let frames = u64::from(head.le32(4).unwrap_or(0));
    let rate = *RATES
        .get(usize::from(head.u8_at(10).unwrap_or(0) & 3))
        .unwrap_or(&44_100);
    // Number of valid samples in the last frame.
    let last = u64::from(head.le32(20).unwrap_or(0) >> 20 & 0x7ff);
    let is_exact = head.u8_at(23).is_some_and(|flags| flags & 0x80 != 0);
    let samples = match frames {
        0 => 0,
        frames if is_exact && last > 0 => (frames - 1) * FRAME + last,
        frames => (frames * FRAME).saturating_sub(DELAY),
    };
    let sound = Sound {
        sample_rate: Some(rate),
        channels: Some(2),
        ..Sound::with_codec("musepack7")
    };
    finished(source, begin, selection, sound, samples)
}

/// Reads a stream of version 8.
pub(crate) fn read8<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut at = begin + 4;
    for _ in 0..MAX_PACKETS {
        let packet = source.read_at(at, 64)?;
        let Some(name) = packet.array_at::<2>(0) else {
            break;
        };
        let mut offset = 2;
        let Some(size) = number(packet, &mut offset) else {
            break;
        };
        if &name == b"SH" {
            let Some((sound, samples)) = header8(packet.get(offset..).unwrap_or_default()) else {
                break;
            };
            return finished(source, begin, selection, sound, samples);
        }
        // The packet size includes the name and the size field.
        at += size.max(3);
    }
    Err(damaged("has no stream header"))
}

fn header8(body: &[u8]) -> Option<(Sound, u64)> {
    // A checksum and the version come first.
    let mut at = 5;
    let samples = number(body, &mut at)?;
    let silence = number(body, &mut at)?;
    let (first, second) = (body.u8_at(at)?, body.u8_at(at + 1)?);
    let sound = Sound {
        sample_rate: RATES.get(usize::from(first >> 5)).copied(),
        channels: Some(u32::from(second >> 4) + 1),
        ..Sound::with_codec("musepack8")
    };
    Some((sound, samples.saturating_sub(silence)))
}

/// Parses a variable-length integer of 7 bits per byte. The last byte has a zero high bit.
fn number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut sum = 0_u64;
    for _ in 0..9 {
        let byte = bytes.u8_at(*at)?;
        *at += 1;
        sum = sum << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(sum);
        }
    }
    None
}

fn finished<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
    sound: Sound,
    samples: u64,
) -> ReadResult<Recording> {
    let duration = seconds(samples, sound.sample_rate.unwrap_or(0).into());
    let tags = tail::read(source, selection)?.tags;
    Ok(Recording {
        // ffprobe has a different name for each version.
        container: Some(if sound.codec == "musepack8" {
            "mpc8"
        } else {
            "mpc"
        }),
        sound: Some(Sound {
            bitrate: bitrate(source.size().saturating_sub(begin), duration),
            ..sound
        }),
        duration,
        tags,
        ..Recording::default()
    })
}
