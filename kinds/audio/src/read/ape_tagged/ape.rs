//! Monkey's Audio files.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use crate::read::{Recording, Sound, bitrate, seconds, tail};
use crate::tags::TagSelection;

/// Reads a file whose signature is at `begin`.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let head = source.read_at(begin, 128)?;
    let (sound, duration) = described(head).ok_or_else(|| damaged("has a broken header"))?;
    let tags = tail::read(source, selection)?.tags;
    Ok(Recording {
        container: Some("ape"),
        sound: Some(Sound {
            bitrate: bitrate(source.size().saturating_sub(begin), duration),
            ..sound
        }),
        duration,
        tags,
        ..Recording::default()
    })
}

fn described(head: &[u8]) -> Option<(Sound, Option<f64>)> {
    let version = head.le16(4)?;
    let (each, last, frames, bits, channels, rate) = if version >= 3980 {
        let header = head.get(usize::try_from(head.le32(8)?).ok()?..)?;
        (
            header.le32(4)?,
            header.le32(8)?,
            header.le32(12)?,
            header.le16(16)?,
            header.le16(18)?,
            header.le32(20)?,
        )
    } else {
        let (level, flags) = (head.le16(6)?, head.le16(8)?);
        let each = match (version, level) {
            (3950.., _) => 73_728 * 4,
            (3900.., _) | (3800.., 4000) => 73_728,
            _ => 9_216,
        };
        let bits = match flags {
            flags if flags & 1 != 0 => 8,
            flags if flags & 8 != 0 => 24,
            _ => 16,
        };
        (
            each,
            head.le32(28)?,
            head.le32(24)?,
            bits,
            head.le16(10)?,
            head.le32(12)?,
        )
    };
    let samples = match frames {
        0 => 0,
        frames => u64::from(frames - 1) * u64::from(each) + u64::from(last),
    };
    let sound = Sound {
        sample_rate: Some(rate),
        channels: Some(channels.into()),
        bits: Some(bits.into()),
        ..Sound::with_codec("ape")
    };
    Some((sound, seconds(samples, rate.into())))
}
