//! FLAC: blocks of metadata, then frames.

use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;

use super::{Recording, Sound, bitrate, seconds, tail};
use crate::source::{Bytes, ReadResult, Source, damaged};
use crate::tags::{LARGEST_PICTURE, Tags, Want, vorbis};

/// Most blocks that are looked at.
const MOST_BLOCKS: usize = 10_000;
/// Longest block of comments.
const LONGEST_COMMENTS: usize = 8 << 20;

/// What the first block tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Info {
    rate: u32,
    channels: u32,
    bits: u32,
    samples: u64,
}

impl Info {
    /// Reads the content of a `STREAMINFO` block.
    pub(super) fn read(block: &[u8]) -> Option<Self> {
        let packed = block.be64(10)?;
        let bits = |shift: u32, mask: u64| u32::try_from(packed >> shift & mask).unwrap_or(0);
        Some(Self {
            rate: bits(44, 0xf_ffff),
            channels: bits(41, 7) + 1,
            bits: bits(36, 31) + 1,
            samples: packed & 0xf_ffff_ffff,
        })
    }

    pub(super) fn duration(self) -> Option<f64> {
        // Zero is unknown.
        seconds(self.samples, self.rate.into()).filter(|duration| *duration > 0.0)
    }

    pub(super) fn sound(self) -> Sound {
        Sound {
            sample_rate: Some(self.rate),
            channels: Some(self.channels),
            bits: Some(self.bits),
            ..Sound::of("flac")
        }
    }
}

/// Reads a FLAC file whose mark stands at `begin`.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let mut tags = Tags::default();
    let mut info = None;
    let mut listed = Vec::new();
    let mut at = begin + 4;
    for _ in 0..MOST_BLOCKS {
        let head: [u8; 4] = source.array(at)?;
        let [kind, a, b, c] = head;
        let size = u32::from_be_bytes([0, a, b, c]);
        let len = usize::try_from(size).unwrap_or(usize::MAX);
        at += 4;
        match kind & 0x7f {
            0 => info = Info::read(source.all(at, len.min(64))?),
            4 if want != Want::Picture => {
                let block = source.some(at, len.min(LONGEST_COMMENTS))?;
                tags.fall_back_on(vorbis::read(block, want));
            }
            5 if want != Want::Picture => {
                listed = cue_sheet(source.some(at, len.min(LONGEST_COMMENTS))?);
            }
            6 if want == Want::Picture && len <= LARGEST_PICTURE => {
                vorbis::picture(&mut tags, source.some(at, len)?);
            }
            _ => {}
        }
        at += u64::from(size);
        if kind & 0x80 != 0 {
            break;
        }
    }
    let info: Info = info.ok_or_else(|| damaged("is FLAC without a first block"))?;
    let listed = listed
        .into_iter()
        .filter_map(|sample| chapter(sample, info.rate));
    let duration = info.duration();
    let mut sound = info.sound();
    sound.bitrate = bitrate(source.len().saturating_sub(at), duration);
    let mut recording = Recording {
        container: Some("flac"),
        sound: Some(sound),
        duration,
        listed: listed.collect(),
        tags,
        ..Recording::default()
    };
    tail::add(source, want, &mut recording)?;
    Ok(recording)
}

fn chapter(sample: u64, rate: u32) -> Option<Chapter> {
    Some(Chapter {
        title: String::new(),
        start: seconds(sample, rate.into())?,
    })
}

/// Where the tracks of a block that was made of a cue sheet begin, in samples. The last one is
/// what follows the music.
fn cue_sheet(block: &[u8]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut at = 128 + 8 + 1 + 258 + 1;
    while let (Some(offset), Some(number), Some(indices)) =
        (block.be64(at), block.u8_at(at + 8), block.u8_at(at + 35))
    {
        // 170 and 255 lead out.
        if !matches!(number, 170 | 255) {
            starts.push(offset);
        }
        at += 36 + usize::from(indices) * 12;
    }
    starts
}
