//! Frame streams without a container: ADTS, AC-3, E-AC-3, DTS and AMR.
//!
//! These streams do not store their length. Their frames are counted, and the count of a large file
//! is extrapolated.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::TagSelection;

/// Bytes per read while frames are counted.
const STEP: usize = 1 << 20;
/// Bytes that are counted. The rest of a file is extrapolated from them.
const MAX_COUNTED: u64 = 16 << 20;
/// Maximum distance from the start to the first frame, in bytes.
const MAX_JUNK: usize = 64 << 10;

/// Length of a frame in bytes and in samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) len: usize,
    pub(super) samples: u64,
}

/// Counts the samples of all frames between two offsets. The count of more than `most` bytes is
/// extrapolated.
pub(super) fn count_samples<R: Read + Seek>(
    source: &mut Source<R>,
    (begin, end): (u64, u64),
    most: u64,
    frame: impl Fn(&[u8]) -> Option<Frame>,
) -> ReadResult<u64> {
    let mut at = begin;
    let mut samples = 0_u64;
    while at < end {
        if at - begin >= most {
            let scaled = u128::from(samples) * u128::from(end - begin) / u128::from(at - begin);
            return Ok(u64::try_from(scaled).unwrap_or(samples));
        }
        let chunk = source.read_at(at, STEP)?;
        let mut offset = 0;
        while let Some(rest) = chunk.get(offset..).filter(|rest| rest.len() >= 8) {
            match frame(rest) {
                Some(found) => {
                    samples += found.samples;
                    offset += found.len.max(1);
                }
                None => offset += 1,
            }
        }
        if offset == 0 {
            break;
        }
        at += u64::try_from(offset).unwrap_or(0);
    }
    Ok(samples)
}

/// Finds the first frame that another frame follows, or that ends the file.
fn first_frame<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    frame: impl Fn(&[u8]) -> Option<Frame>,
) -> ReadResult<u64> {
    let bytes = source.read_at(begin, MAX_JUNK)?;
    let found = (0..bytes.len()).find(|offset| {
        let rest = bytes.get(*offset..).unwrap_or_default();
        frame(rest).is_some_and(|found| match rest.get(found.len..) {
            Some(next) if next.len() >= 8 => frame(next).is_some(),
            _ => true,
        })
    });
    found
        .and_then(|offset| u64::try_from(offset).ok())
        .map(|offset| begin + offset)
        .ok_or_else(|| damaged("contains no audio frame"))
}

/// Sample rates of MPEG-4 by index.
pub(crate) const MPEG4_RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];

fn adts_frame(bytes: &[u8]) -> Option<Frame> {
    if bytes.be16(0)? & 0xfff6 != 0xfff0 {
        return None;
    }
    let packed = bytes.be32(3)?;
    let len = usize::try_from(packed >> 13 & 0x1fff).ok()?;
    let blocks = u64::from(bytes.u8_at(6)? & 3) + 1;
    adts_rate(bytes)?;
    (len >= 7).then_some(Frame {
        len,
        samples: blocks * 1024,
    })
}

fn adts_rate(bytes: &[u8]) -> Option<u32> {
    let index = usize::from(bytes.u8_at(2)? >> 2 & 15);
    MPEG4_RATES.get(index).copied()
}

/// Reads AAC in ADTS frames.
pub(crate) fn adts<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let tail = tail::read(source, selection)?;
    let at = first_frame(source, begin, adts_frame)?;
    let head = source.read_at(at, 8)?;
    let rate = adts_rate(head);
    let packed = head.be16(2).unwrap_or(0);
    let channels = match u32::from(packed >> 6 & 7) {
        0 => None,
        7 => Some(8),
        count => Some(count),
    };
    let samples = count_samples(source, (at, tail.sound_end), MAX_COUNTED, adts_frame)?;
    let duration = seconds(samples, rate.unwrap_or(0).into());
    Ok(Recording {
        container: Some("adts"),
        sound: Some(Sound {
            sample_rate: rate,
            channels,
            bitrate: bitrate(tail.sound_end.saturating_sub(at), duration),
            ..Sound::with_codec("aac")
        }),
        duration,
        tags: tail.tags,
        ..Recording::default()
    })
}

/// Bit rates of AC-3 in kbit/s, by half of the frame size code (ATSC A/52, table 5.18).
const AC3_KBPS: [u32; 19] = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
];
const AC3_CHANNELS: [u32; 8] = [2, 1, 2, 3, 3, 4, 4, 5];

/// Fields of an AC-3 or E-AC-3 frame header.
struct Ac3 {
    frame: Frame,
    rate: u32,
    channels: u32,
    is_enhanced: bool,
}

impl Ac3 {
    fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.be16(0)? != 0x0b77 {
            return None;
        }
        let stream = bytes.u8_at(5)? >> 3;
        match stream {
            0..=10 => Self::plain(bytes, stream),
            11..=16 => Self::enhanced(bytes),
            _ => None,
        }
    }

    fn plain(bytes: &[u8], stream: u8) -> Option<Self> {
        let code = bytes.u8_at(4)?;
        let rate = *[48_000, 44_100, 32_000].get(usize::from(code >> 6))?;
        let size = u32::from(code & 0x3f);
        let kbps = *AC3_KBPS.get(usize::try_from(size / 2).ok()?)?;
        // Frame sizes are in 16-bit words. At 44.1 kHz, every second frame has one more.
        let words = match rate {
            48_000 => kbps * 2,
            32_000 => kbps * 3,
            _ => kbps * 1000 * 1536 / rate / 16 + size % 2,
        };
        let mode = bytes.u8_at(6)? >> 5;
        // The LFE flag follows optional fields of two bits each.
        let fields = [mode & 1 != 0 && mode != 1, mode & 4 != 0, mode == 2];
        let before = 3 + 2 * fields.iter().filter(|is_there| **is_there).count();
        let has_low = bytes.be16(6)? >> 15_usize.saturating_sub(before) & 1;
        Some(Self {
            frame: Frame {
                len: usize::try_from(words * 2).ok()?,
                samples: 1536,
            },
            // Streams with a bit stream id above 8 use half or a quarter of the rate.
            rate: rate >> u32::from(stream.saturating_sub(8)),
            channels: AC3_CHANNELS.get(usize::from(mode))? + u32::from(has_low),
            is_enhanced: false,
        })
    }

    fn enhanced(bytes: &[u8]) -> Option<Self> {
        let words = u32::from(bytes.be16(2)? & 0x7ff) + 1;
        let is_dependent = bytes.u8_at(2)? >> 6 == 1;
        let code = bytes.u8_at(4)?;
        let (rate, blocks) = match code >> 6 {
            3 => (
                *[24_000, 22_050, 16_000].get(usize::from(code >> 4 & 3))?,
                6,
            ),
            index => (
                *[48_000, 44_100, 32_000].get(usize::from(index))?,
                *[1, 2, 3, 6].get(usize::from(code >> 4 & 3))?,
            ),
        };
        Some(Self {
            frame: Frame {
                len: usize::try_from(words * 2).ok()?,
                // Dependent frames contain further channels of the same samples.
                samples: if is_dependent { 0 } else { blocks * 256 },
            },
            rate,
            channels: AC3_CHANNELS.get(usize::from(code >> 1 & 7))? + u32::from(code & 1),
            is_enhanced: true,
        })
    }
}

/// Reads AC-3 and E-AC-3.
pub(crate) fn ac3<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let frame = |bytes: &[u8]| Ac3::read(bytes).map(|read| read.frame);
    let tail = tail::read(source, selection)?;
    let at = first_frame(source, begin, frame)?;
    let head =
        Ac3::read(source.read_at(at, 16)?).ok_or_else(|| damaged("contains no audio frame"))?;
    let samples = count_samples(source, (at, tail.sound_end), MAX_COUNTED, frame)?;
    let duration = seconds(samples, head.rate.into());
    let codec = if head.is_enhanced { "eac3" } else { "ac3" };
    Ok(Recording {
        container: Some(codec),
        sound: Some(Sound {
            sample_rate: Some(head.rate),
            channels: Some(head.channels),
            bitrate: bitrate(tail.sound_end.saturating_sub(at), duration),
            ..Sound::with_codec(codec)
        }),
        duration,
        tags: tail.tags,
        ..Recording::default()
    })
}

const DTS_RATES: [u32; 16] = [
    0, 8_000, 16_000, 32_000, 0, 0, 11_025, 22_050, 44_100, 0, 0, 12_000, 24_000, 48_000, 0, 0,
];
const DTS_CHANNELS: [u32; 10] = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5];

fn dts_frame(bytes: &[u8]) -> Option<Frame> {
    if bytes.be32(0)? != 0x7ffe_8001 {
        return None;
    }
    let packed = bytes.be64(4)?;
    let blocks = (packed >> 50 & 0x7f) + 1;
    let len = usize::try_from((packed >> 36 & 0x3fff) + 1).ok()?;
    (len >= 96).then_some(Frame {
        len,
        samples: blocks * 32,
    })
}

/// Reads DTS. Frames are counted only in the big-endian 16-bit form; other forms are only
/// identified.
pub(crate) fn dts<R: Read + Seek>(source: &mut Source<R>, begin: u64) -> ReadResult<Recording> {
    let mut recording = Recording {
        container: Some("dts"),
        sound: Some(Sound::with_codec("dts")),
        ..Recording::default()
    };
    let head = source.read_at(begin, 16)?.to_vec();
    if dts_frame(&head).is_none() {
        return Ok(recording);
    }
    let packed = head.as_slice().be64(4).unwrap_or(0);
    let index = |shift: u32, mask: u64| usize::try_from(packed >> shift & mask).unwrap_or(0);
    let rate = DTS_RATES
        .get(index(26, 15))
        .copied()
        .filter(|rate| *rate > 0);
    let samples = count_samples(source, (begin, source.size()), MAX_COUNTED, dts_frame)?;
    recording.duration = seconds(samples, rate.unwrap_or(0).into());
    recording.sound = Some(Sound {
        sample_rate: rate,
        channels: DTS_CHANNELS.get(index(30, 63)).copied(),
        bitrate: bitrate(source.size() - begin, recording.duration),
        ..Sound::with_codec("dts")
    });
    Ok(recording)
}

/// Frame sizes in bytes by mode, narrowband and wideband (RFC 4867).
const NARROW: [usize; 9] = [13, 14, 16, 18, 20, 21, 27, 32, 6];
const WIDE: [usize; 10] = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6];

/// Reads AMR frames of 20 ms each.
pub(crate) fn amr<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Recording> {
    let head = source.read_at(0, 16)?;
    let is_wide = head.starts_with(b"#!AMR-WB");
    let begin = head.iter().position(|byte| *byte == b'\n');
    let begin = begin.ok_or_else(|| damaged("contains no audio frame"))? + 1;
    let begin = u64::try_from(begin).unwrap_or(0);
    let frame = |bytes: &[u8]| {
        let mode = usize::from(bytes.u8_at(0)? >> 3 & 15);
        let len = if is_wide {
            WIDE.get(mode)
        } else {
            NARROW.get(mode)
        };
        // A lost frame consists of its first byte only.
        Some(Frame {
            len: len.copied().unwrap_or(1),
            samples: 1,
        })
    };
    let frames = count_samples(source, (begin, source.size()), MAX_COUNTED, frame)?;
    let duration = seconds(frames, 50);
    let codec = if is_wide { "amr_wb" } else { "amr_nb" };
    Ok(Recording {
        container: Some("amr"),
        sound: Some(Sound {
            sample_rate: Some(if is_wide { 16_000 } else { 8_000 }),
            channels: Some(1),
            bitrate: bitrate(source.size() - begin, duration),
            ..Sound::with_codec(codec)
        }),
        duration,
        ..Recording::default()
    })
}
