//! Musepack, stream versions 7 and 8.

use std::io::{Read, Seek};

use super::{Recording, Sound, bitrate, seconds, tail};
use crate::source::{Bytes, ReadResult, Source, damaged};
use crate::tags::Want;

const RATES: [u32; 4] = [44_100, 48_000, 37_800, 32_000];
const FRAME: u64 = 1152;
/// Samples that the encoder and decoder add at the start of a version 7 stream.
const DELAY: u64 = 481;
const MOST_PACKETS: usize = 1_000;

/// Reads a stream of version 7.
pub(super) fn read7<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let head = source.all(begin, 28)?;
    let frames = u64::from(head.le32(4).unwrap_or(0));
    let rate = *RATES
        .get(usize::from(head.u8_at(10).unwrap_or(0) & 3))
        .unwrap_or(&44_100);
    // How many samples of the last frame count.
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
        ..Sound::of("musepack7")
    };
    finished(source, begin, want, sound, samples)
}

/// Reads a stream of version 8.
pub(super) fn read8<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let mut at = begin + 4;
    for _ in 0..MOST_PACKETS {
        let packet = source.some(at, 64)?;
        let Some(name) = packet.array_at::<2>(0) else {
            break;
        };
        let mut place = 2;
        let Some(size) = number(packet, &mut place) else {
            break;
        };
        if &name == b"SH" {
            let Some((sound, samples)) = header8(packet.get(place..).unwrap_or_default()) else {
                break;
            };
            return finished(source, begin, want, sound, samples);
        }
        // The size counts the name and itself.
        at += size.max(3);
    }
    Err(damaged("has no header of its stream"))
}

fn header8(body: &[u8]) -> Option<(Sound, u64)> {
    // A checksum and the version stand before.
    let mut at = 5;
    let samples = number(body, &mut at)?;
    let silence = number(body, &mut at)?;
    let (first, second) = (body.u8_at(at)?, body.u8_at(at + 1)?);
    let sound = Sound {
        sample_rate: RATES.get(usize::from(first >> 5)).copied(),
        channels: Some(u32::from(second >> 4) + 1),
        ..Sound::of("musepack8")
    };
    Some((sound, samples.saturating_sub(silence)))
}

/// A number of seven bits a byte, the last of which has no high bit.
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
    want: Want,
    sound: Sound,
    samples: u64,
) -> ReadResult<Recording> {
    let duration = seconds(samples, sound.sample_rate.unwrap_or(0).into());
    let mut recording = Recording {
        // ffprobe calls the two versions by different names.
        container: Some(if sound.codec == "musepack8" {
            "mpc8"
        } else {
            "mpc"
        }),
        sound: Some(Sound {
            bitrate: bitrate(source.len().saturating_sub(begin), duration),
            ..sound
        }),
        duration,
        ..Recording::default()
    };
    tail::add(source, want, &mut recording)?;
    Ok(recording)
}
