//! Compressed discs (CHD): the header and its metadata records. Sectors are not unpacked.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::Header;
use crate::formats::platforms::Platform;

/// Most metadata records that are read.
const MOST_RECORDS: usize = 128;
/// Bytes that are read of a record.
const LONGEST: usize = 256;

/// Reads the tracks and the type of disc, which may identify the platform.
pub fn read<R: Read + Seek>(
    file: &mut Source<R>,
    hint: Option<&'static Platform>,
) -> ReadResult<Header> {
    let bytes = file.read_vec_at(0, 124)?;
    let Some((version, mut at)) = start(&bytes) else {
        return Err(damaged("is not a compressed disc (CHD)"));
    };
    let mut header = Header::default();
    header.put("chd_version", version);
    let (mut count, mut songs, mut medium) = (0, 0, None);
    for _ in 0..MOST_RECORDS {
        let head = if at == 0 {
            Vec::new()
        } else {
            file.read_vec_at(at, 16)?
        };
        let Some((tag, length, next)) = record(&head) else {
            break;
        };
        match &tag {
            b"CHTR" | b"CHT2" | b"CHGT" | b"CHGD" => {
                let track = file.read_vec_at(at.saturating_add(16), length.min(LONGEST))?;
                let is_song = track.windows(10).any(|part| part == b"TYPE:AUDIO");
                count += 1;
                songs += u32::from(is_song);
                let is_gd = tag.starts_with(b"CHG");
                medium = Some(if is_gd { "GD-ROM" } else { "CD" });
            }
            b"DVD " => medium = Some("DVD"),
            _ => {}
        }
        at = next;
    }
    header.put_some("medium", medium);
    if count > 0 {
        header.put("tracks", count);
        header.put("audio_tracks", songs);
    }
    header.platform = match medium {
        // The extension alone would suggest a PlayStation, which has no DVDs.
        Some("DVD") if hint.is_none() => Some("ps2"),
        Some("GD-ROM") => Some("dreamcast"),
        _ => None,
    };
    Ok(header)
}

/// Returns the version and the offset of the first metadata record.
fn start(bytes: &[u8]) -> Option<(u32, u64)> {
    let version = bytes
        .strip_prefix(b"MComprHD")
        .and_then(|_| bytes.array_at(12))
        .map(u32::from_be_bytes)?;
    let records = match version {
        3 | 4 => u64::from_be_bytes(bytes.array_at(36)?),
        5 => u64::from_be_bytes(bytes.array_at(48)?),
        1 | 2 => 0,
        _ => return None,
    };
    Some((version, records))
}

/// Returns a record's tag, its length, and the offset of the next record.
fn record(head: &[u8]) -> Option<([u8; 4], usize, u64)> {
    let flags_and_length = u32::from_be_bytes(head.array_at(4)?);
    let length = usize::try_from(flags_and_length & 0x00ff_ffff).ok()?;
    Some((
        head.array_at(0)?,
        length,
        u64::from_be_bytes(head.array_at(8)?),
    ))
}
