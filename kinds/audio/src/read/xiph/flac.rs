//! FLAC files: metadata blocks, then frames.

use std::io::{Read, Seek};

use ledge_core::registry::reading::Chapter;
use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::{MAX_PICTURE_SIZE, TagSelection, Tags, vorbis};

/// Maximum number of blocks that are read.
const MAX_BLOCKS: usize = 10_000;
/// Maximum size of a comment block, in bytes.
const MAX_COMMENTS_SIZE: usize = 8 << 20;

/// Fields of the `STREAMINFO` block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Info {
    rate: u32,
    channels: u32,
    bits: u32,
    samples: u64,
}

impl Info {
    /// Parses the content of a `STREAMINFO` block.
    pub(crate) fn read(block: &[u8]) -> Option<Self> {
        let packed = block.be64(10)?;
        let bits = |shift: u32, mask: u64| u32::try_from(packed >> shift & mask).unwrap_or(0);
        Some(Self {
            rate: bits(44, 0xf_ffff),
            channels: bits(41, 7) + 1,
            bits: bits(36, 31) + 1,
            samples: packed & 0xf_ffff_ffff,
        })
    }

    pub(crate) fn duration(self) -> Option<f64> {
        // Zero means an unknown length.
        seconds(self.samples, self.rate.into()).filter(|duration| *duration > 0.0)
    }

    pub(crate) fn sound(self) -> Sound {
        Sound {
            sample_rate: Some(self.rate),
            channels: Some(self.channels),
            bits: Some(self.bits),
            ..Sound::with_codec("flac")
        }
    }
}

/// Reads a FLAC file whose signature is at `begin`.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut tags = Tags::default();
    let mut info = None;
    let mut untitled_chapters = Vec::new();
    let mut at = begin + 4;
    for _ in 0..MAX_BLOCKS {
        let head: [u8; 4] = source.read_array(at)?;
        let [kind, a, b, c] = head;
        let size = u32::from_be_bytes([0, a, b, c]);
        let len = usize::try_from(size).unwrap_or(usize::MAX);
        at += 4;
        match kind & 0x7f {
            0 => info = Info::read(source.read_exact_at(at, len.min(64))?),
            4 if selection != TagSelection::Picture => {
                let block = source.read_at(at, len.min(MAX_COMMENTS_SIZE))?;
                tags.merge_missing(vorbis::read(block, selection));
            }
            5 if selection != TagSelection::Picture => {
                untitled_chapters = cue_sheet(source.read_at(at, len.min(MAX_COMMENTS_SIZE))?);
            }
            6 if selection == TagSelection::Picture && len <= MAX_PICTURE_SIZE => {
                vorbis::picture(&mut tags, source.read_at(at, len)?);
            }
            _ => {}
        }
        at += u64::from(size);
        if kind & 0x80 != 0 {
            break;
        }
    }
    let info: Info = info.ok_or_else(|| damaged("is a FLAC file without a STREAMINFO block"))?;
    let untitled_chapters = untitled_chapters
        .into_iter()
        .filter_map(|sample| chapter(sample, info.rate));
    let duration = info.duration();
    let mut sound = info.sound();
    sound.bitrate = bitrate(source.size().saturating_sub(at), duration);
    tags.merge_missing(tail::read(source, selection)?.tags);
    Ok(Recording {
        container: Some("flac"),
        sound: Some(sound),
        duration,
        untitled_chapters: untitled_chapters.collect(),
        tags,
        ..Recording::default()
    })
}

fn chapter(sample: u64, rate: u32) -> Option<Chapter> {
    Some(Chapter {
        title: String::new(),
        start: seconds(sample, rate.into())?,
    })
}

/// Returns the track starts of a `CUESHEET` block, in samples. The lead-out track is skipped.
fn cue_sheet(block: &[u8]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut at = 128 + 8 + 1 + 258 + 1;
    while let (Some(offset), Some(number), Some(indices)) =
        (block.be64(at), block.u8_at(at + 8), block.u8_at(at + 35))
    {
        // Track numbers 170 (CD) and 255 are the lead-out.
        if !matches!(number, 170 | 255) {
            starts.push(offset);
        }
        at += 36 + usize::from(indices) * 12;
    }
    starts
}
