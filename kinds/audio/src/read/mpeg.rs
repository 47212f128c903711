//! MPEG audio, layers 1 to 3: frames with a header each, and a table of length in the first one
//! where the encoder wrote any.

use std::io::{Read, Seek};

use super::tail::{self, Tail};
use super::{Recording, Sound, bitrate, seconds};
use crate::source::{Bytes, ReadResult, Source, damaged};
use crate::tags::Want;

/// How far the first frame is looked for.
const MOST_JUNK: u64 = 256 << 10;

/// Frames that are looked at before all are taken for alike.
const SAMPLE: usize = 24;

/// Bytes that are read at once while frames are counted.
const STEP: usize = 1 << 20;

/// Most bytes that are counted through; beyond, what is left is as what was counted.
const MOST_COUNTED: u64 = 128 << 20;

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// 1, 2, or 3 for 2.5.
    version: u8,
    layer: u8,
    /// Kilobits a second.
    kbps: u32,
    pub(super) rate: u32,
    padding: u32,
    channels: u32,
}

/// Kilobits a second by MPEG version and layer: version 1 layers 1 to 3, version 2 layer 1, version
/// 2 layers 2 and 3 (ISO 11172-3, 13818-3).
const KBPS: [[u32; 15]; 5] = [
    [
        0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
    ],
    [
        0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
    ],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

impl Frame {
    /// The header at the start of some bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let header = bytes.be32(0)?;
        let bits = |shift: u32, mask: u32| header >> shift & mask;
        if bits(21, 0x7ff) != 0x7ff {
            return None;
        }
        let version = match bits(19, 3) {
            0 => 3,
            2 => 2,
            3 => 1,
            _ => return None,
        };
        let layer = match bits(17, 3) {
            1 => 3,
            2 => 2,
            3 => 1,
            _ => return None,
        };
        let row = match (version, layer) {
            (1, 1) => 0,
            (1, 2) => 1,
            (1, 3) => 2,
            (_, 1) => 3,
            _ => 4,
        };
        let kbps = *KBPS.get(row)?.get(usize::try_from(bits(12, 15)).ok()?)?;
        let rate = *[44_100, 48_000, 32_000].get(usize::try_from(bits(10, 3)).ok()?)?;
        // Free format has no length that could be followed.
        (kbps > 0).then_some(Self {
            version,
            layer,
            kbps,
            rate: rate >> (version - 1),
            padding: bits(9, 1),
            channels: if bits(6, 3) == 3 { 1 } else { 2 },
        })
    }

    /// Samples of each channel.
    fn samples(self) -> u32 {
        match (self.layer, self.version) {
            (1, _) => 384,
            (2, _) | (3, 1) => 1152,
            _ => 576,
        }
    }

    /// Length in bytes, the header included.
    fn len(self) -> u64 {
        let slots = self.samples() / 8 * self.kbps * 1000 / self.rate;
        u64::from(if self.layer == 1 {
            (slots / 4 + self.padding) * 4
        } else {
            slots + self.padding
        })
    }

    /// Whether two frames may be of one stream.
    fn is_like(self, other: Self) -> bool {
        (self.version, self.layer, self.rate) == (other.version, other.layer, other.rate)
    }

    fn codec(self) -> &'static str {
        match self.layer {
            1 => "mp1",
            2 => "mp2",
            _ => "mp3",
        }
    }

    /// Where a Xing table stands behind the header.
    fn xing_at(self) -> usize {
        match (self.version, self.channels) {
            (1, 1) | (2 | 3, 2) => 21,
            (1, _) => 36,
            _ => 13,
        }
    }
}

/// Reads a stream of frames that begins somewhere behind `begin`.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let Tail { tags, sound_end } = tail::read(source, want)?;
    if want == Want::Picture {
        return Ok(Recording {
            tags,
            ..Recording::default()
        });
    }
    let Some((at, frame)) = first_frame(source, begin, sound_end)? else {
        return Err(damaged("has no frame of MPEG sound"));
    };
    let bytes = sound_end.saturating_sub(at);
    let samples = match told(source, at, frame)? {
        Some(frames) => Some(u64::from(frames) * u64::from(frame.samples())),
        None if is_even(source, at, sound_end, frame)? => None,
        None => Some(counted(source, at, sound_end, frame)?),
    };
    let duration = match samples {
        Some(samples) => seconds(samples, frame.rate.into()),
        None => seconds(bytes * 8, u64::from(frame.kbps) * 1000),
    };
    Ok(Recording {
        container: Some("mp3"),
        sound: Some(Sound {
            sample_rate: Some(frame.rate),
            channels: Some(frame.channels),
            bitrate: match samples {
                Some(_) => bitrate(bytes, duration),
                None => Some(u64::from(frame.kbps) * 1000),
            },
            ..Sound::of(frame.codec())
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

/// The first frame behind which another one stands.
fn first_frame<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    end: u64,
) -> ReadResult<Option<(u64, Frame)>> {
    let mut at = begin;
    let mut lonely = None;
    while at < end && at - begin < MOST_JUNK {
        let chunk = source.some(at, 4096)?.to_vec();
        let places = chunk.iter().enumerate().filter(|(_, byte)| **byte == 0xff);
        for (place, _) in places {
            let Some(frame) = chunk.get(place..).and_then(Frame::read) else {
                continue;
            };
            let place = at + u64::try_from(place).unwrap_or(0);
            let next = place + frame.len();
            if next >= end {
                lonely = lonely.or(Some((place, frame)));
                continue;
            }
            let follower = Frame::read(source.some(next, 4)?);
            if follower.is_some_and(|follower| follower.is_like(frame)) {
                return Ok(Some((place, frame)));
            }
        }
        if chunk.len() < 4096 {
            break;
        }
        // A header may begin in the last bytes.
        at += 4093;
    }
    Ok(lonely)
}

/// How many frames the first one says there are.
fn told<R: Read + Seek>(source: &mut Source<R>, at: u64, frame: Frame) -> ReadResult<Option<u32>> {
    let bytes = source.some(at, 64)?;
    let xing = bytes.get(frame.xing_at()..).unwrap_or_default();
    if xing.starts_with(b"Xing") || xing.starts_with(b"Info") {
        let has_frames = xing.be32(4).is_some_and(|flags| flags & 1 != 0);
        return Ok(xing.be32(8).filter(|frames| has_frames && *frames > 0));
    }
    let vbri = bytes.get(36..).unwrap_or_default();
    if vbri.starts_with(b"VBRI") {
        return Ok(vbri.be32(14).filter(|frames| *frames > 0));
    }
    Ok(None)
}

/// Whether frames here and in the middle have the same rate of bits: then all have, mostly.
fn is_even<R: Read + Seek>(
    source: &mut Source<R>,
    at: u64,
    end: u64,
    first: Frame,
) -> ReadResult<bool> {
    let middle = at + (end - at) / 2;
    for (mut at, is_sought) in [(at, false), (middle, true)] {
        if is_sought {
            match first_frame(source, middle, end)? {
                Some((place, _)) => at = place,
                None => return Ok(true),
            }
        }
        for _ in 0..SAMPLE {
            let Some(frame) = Frame::read(source.some(at, 4)?) else {
                break;
            };
            if frame.kbps != first.kbps {
                return Ok(false);
            }
            at += frame.len();
        }
    }
    Ok(true)
}

/// Counts the samples of all frames.
fn counted<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    end: u64,
    first: Frame,
) -> ReadResult<u64> {
    let mut at = begin;
    let mut samples = 0_u64;
    while at < end {
        if at - begin > MOST_COUNTED {
            let (counted, all) = (u128::from(at - begin), u128::from(end - begin));
            let extrapolated = u128::from(samples) * all / counted.max(1);
            return Ok(u64::try_from(extrapolated).unwrap_or(samples));
        }
        let chunk = source.some(at, STEP)?;
        let mut place = 0;
        while let Some(rest) = chunk.get(place..) {
            match Frame::read(rest).filter(|frame| frame.is_like(first)) {
                Some(frame) => {
                    samples += u64::from(frame.samples());
                    place += usize::try_from(frame.len()).unwrap_or(usize::MAX).max(4);
                }
                // Sought again behind what does not belong there.
                None if rest.len() >= 4 => place += 1,
                None => break,
            }
        }
        let done = u64::try_from(place).unwrap_or(0);
        if done == 0 {
            break;
        }
        at += done;
    }
    Ok(samples)
}
