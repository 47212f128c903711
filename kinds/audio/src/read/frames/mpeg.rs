//! MPEG audio, layers 1 to 3.
//!
//! The duration comes from a Xing or VBRI table. Without one, it comes from the constant bit rate,
//! or from counting the frames.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::streams;
use crate::read::tail::{self, Tail};
use crate::read::{Recording, Sound, bitrate, seconds};
use crate::tags::TagSelection;

/// Maximum distance from the start to the first frame, in bytes.
const MAX_JUNK: u64 = 256 << 10;

/// Frames per position that must have equal bit rates to assume a constant bit rate.
const SAMPLE: usize = 24;

/// Bytes that are counted. The rest of a file is extrapolated from them.
const MAX_COUNTED: u64 = 128 << 20;

/// Header of an MPEG audio frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// MPEG version: 1, 2, or 3 for version 2.5.
    version: u8,
    layer: u8,
    /// Bit rate in kbit/s.
    kbps: u32,
    pub(crate) rate: u32,
    padding: u32,
    channels: u32,
}

/// Bit rates in kbit/s (ISO 11172-3, 13818-3). Rows: version 1 layers 1 to 3, version 2 layer 1,
/// version 2 layers 2 and 3.
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
    /// Parses the frame header at the start of `bytes`.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
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
        // A frame of free format does not store its length, so it cannot be followed.
        (kbps > 0).then_some(Self {
            version,
            layer,
            kbps,
            rate: rate >> (version - 1),
            padding: bits(9, 1),
            channels: if bits(6, 3) == 3 { 1 } else { 2 },
        })
    }

    /// Returns the samples per channel.
    fn samples(self) -> u32 {
        match (self.layer, self.version) {
            (1, _) => 384,
            (2, _) | (3, 1) => 1152,
            _ => 576,
        }
    }

    /// Returns the frame length in bytes, including the header.
    fn len(self) -> u64 {
        let slots = self.samples() / 8 * self.kbps * 1000 / self.rate;
        u64::from(if self.layer == 1 {
            (slots / 4 + self.padding) * 4
        } else {
            slots + self.padding
        })
    }

    /// Returns `true` if two frames can belong to the same stream.
    fn matches(self, other: Self) -> bool {
        (self.version, self.layer, self.rate) == (other.version, other.layer, other.rate)
    }

    fn codec(self) -> &'static str {
        match self.layer {
            1 => "mp1",
            2 => "mp2",
            _ => "mp3",
        }
    }

    /// Returns the offset of a Xing table from the start of the frame.
    fn xing_at(self) -> usize {
        match (self.version, self.channels) {
            (1, 1) | (2 | 3, 2) => 21,
            (1, _) => 36,
            _ => 13,
        }
    }
}

/// Reads a frame stream that begins at or after `begin`.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let Tail { tags, sound_end } = tail::read(source, selection)?;
    if selection == TagSelection::Picture {
        return Ok(Recording {
            tags,
            ..Recording::default()
        });
    }
    let Some((at, frame)) = first_frame(source, begin, sound_end)? else {
        return Err(damaged("contains no MPEG audio frame"));
    };
    let bytes = sound_end.saturating_sub(at);
    let samples = match frame_count(source, at, frame)? {
        Some(frames) => Some(u64::from(frames) * u64::from(frame.samples())),
        None if has_constant_bit_rate(source, at, sound_end, frame)? => None,
        None => {
            let counted = |bytes: &[u8]| {
                let next = Frame::read(bytes).filter(|next| next.matches(frame))?;
                Some(streams::Frame {
                    len: usize::try_from(next.len()).ok()?,
                    samples: next.samples().into(),
                })
            };
            let range = (at, sound_end);
            Some(streams::count_samples(source, range, MAX_COUNTED, counted)?)
        }
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
            ..Sound::with_codec(frame.codec())
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Finds the first frame that another frame follows. The last frame of a file counts if there is no
/// such frame.
fn first_frame<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    end: u64,
) -> ReadResult<Option<(u64, Frame)>> {
    let mut at = begin;
    let mut final_frame = None;
    while at < end && at - begin < MAX_JUNK {
        let chunk = source.read_at(at, 4096)?.to_vec();
        let offsets = chunk.iter().enumerate().filter(|(_, byte)| **byte == 0xff);
        for (offset, _) in offsets {
            let Some(frame) = chunk.get(offset..).and_then(Frame::read) else {
                continue;
            };
            let offset = at + u64::try_from(offset).unwrap_or(0);
            let next = offset + frame.len();
            if next >= end {
                final_frame = final_frame.or(Some((offset, frame)));
                continue;
            }
            let next_frame = Frame::read(source.read_at(next, 4)?);
            if next_frame.is_some_and(|next_frame| next_frame.matches(frame)) {
                return Ok(Some((offset, frame)));
            }
        }
        if chunk.len() < 4096 {
            break;
        }
        // A header may begin in the last three bytes.
        at += 4093;
    }
    Ok(final_frame)
}

/// Reads the number of frames from a Xing or VBRI table in the first frame.
fn frame_count<R: Read + Seek>(
    source: &mut Source<R>,
    at: u64,
    frame: Frame,
) -> ReadResult<Option<u32>> {
    let bytes = source.read_at(at, 64)?;
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

/// Returns `true` if frames at the start and in the middle have the same bit rate.
fn has_constant_bit_rate<R: Read + Seek>(
    source: &mut Source<R>,
    at: u64,
    end: u64,
    first: Frame,
) -> ReadResult<bool> {
    let middle = at + (end - at) / 2;
    for (mut at, is_sought) in [(at, false), (middle, true)] {
        if is_sought {
            match first_frame(source, middle, end)? {
                Some((offset, _)) => at = offset,
                None => return Ok(true),
            }
        }
        for _ in 0..SAMPLE {
            let Some(frame) = Frame::read(source.read_at(at, 4)?) else {
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
