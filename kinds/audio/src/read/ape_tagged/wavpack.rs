//! WavPack files: the first block contains the total length.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::TagSelection;

/// Sample rates by their index in the block flags.
const RATES: [u32; 15] = [
    6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000,
    88_200, 96_000, 192_000,
];

/// Maximum number of blocks that are read. Several blocks are needed for more than two channels,
/// and empty blocks may come first.
const MAX_BLOCKS: usize = 64;

/// Reads a file whose first block is at `begin`.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let mut recording = Recording {
        container: Some("wv"),
        ..Recording::default()
    };
    let mut sound: Option<Sound> = None;
    let mut at = begin;
    for _ in 0..MAX_BLOCKS {
        let block = source.read_at(at, 4096)?;
        let Some((size, samples, flags)) = header(block) else {
            break;
        };
        let is_first = flags & 0x800 != 0;
        let is_last = flags & 0x1000 != 0;
        let channels = if flags & 4 != 0 { 1 } else { 2 };
        let block_len = usize::try_from(size)
            .unwrap_or(usize::MAX)
            .saturating_add(8);
        let extra = extra(block.get(..block_len).unwrap_or(block));
        match &mut sound {
            None if block.le32(20).unwrap_or(0) > 0 && is_first => {
                let index = usize::try_from(flags >> 23 & 15).unwrap_or(15);
                let rate = RATES.get(index).copied().or(extra.rate);
                recording.duration = match samples {
                    u64::MAX => None,
                    samples => seconds(samples, rate.unwrap_or(0).into()),
                };
                sound = Some(Sound {
                    sample_rate: rate,
                    channels: Some(extra.channels.unwrap_or(channels)),
                    bits: Some((flags & 3) * 8 + 8),
                    ..Sound::with_codec("wavpack")
                });
            }
            Some(sound) if extra.channels.is_none() => {
                sound.channels = sound.channels.map(|count| count + channels);
            }
            _ => {}
        }
        if sound.is_some() && is_last {
            break;
        }
        at += u64::from(size) + 8;
    }
    let mut sound = sound.ok_or_else(|| damaged("contains no audio block"))?;
    sound.bitrate = bitrate(source.size().saturating_sub(begin), recording.duration);
    recording.sound = Some(sound);
    recording.tags = tail::read(source, selection)?.tags;
    Ok(recording)
}

/// Parses block size, samples of the whole file, and flags.
fn header(block: &[u8]) -> Option<(u32, u64, u32)> {
    if !block.starts_with(b"wvpk") {
        return None;
    }
    let samples = match block.le32(12)? {
        u32::MAX => u64::MAX,
        // The header stores the upper eight bits separately.
        low => u64::from(low) | u64::from(block.u8_at(11)?) << 32,
    };
    Some((block.le32(4)?, samples, block.le32(24)?))
}

/// Metadata of a block that does not fit into its header.
#[derive(Default)]
struct Extra {
    rate: Option<u32>,
    channels: Option<u32>,
}

fn extra(block: &[u8]) -> Extra {
    let mut extra = Extra::default();
    let mut at = 32;
    while let (Some(id), Some(words)) = (block.u8_at(at), block.u8_at(at + 1)) {
        let is_large = id & 0x80 != 0;
        let (start, words) = if is_large {
            let more = block.le16(at + 2).unwrap_or(0);
            (at + 4, usize::from(words) | usize::from(more) << 8)
        } else {
            (at + 2, usize::from(words))
        };
        let Some(content) = block.get(start..start + words * 2) else {
            break;
        };
        match id & 0x3f {
            0x27 => {
                let rate = content.array_at::<3>(0);
                extra.rate = rate.map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]));
            }
            0x0d => extra.channels = content.u8_at(0).map(u32::from),
            _ => {}
        }
        at = start + words * 2;
    }
    extra
}
