//! Compressed discs (CHD): what the header and the records behind it say. The discs' own sectors
//! stay packed.

use std::io::{Read, Seek};

use super::Header;
use crate::platforms::Platform;
use crate::windows::{ReadResult, Windows, array, damaged};

/// Records that are looked at.
const MOST_RECORDS: usize = 128;
/// What is read of a record.
const LONGEST: usize = 256;

/// The tracks and the kind of disc, which may tell its platform.
pub fn read<R: Read + Seek>(
    file: &mut Windows<R>,
    hint: Option<&'static Platform>,
) -> ReadResult<Header> {
    let bytes = file.read(0, 124)?;
    let Some((version, mut at)) = start(&bytes) else {
        return Err(damaged("is no compressed disc (CHD)"));
    };
    let mut header = Header::default();
    header.put("chd_version", version);
    let (mut count, mut songs, mut medium) = (0, 0, None);
    for _ in 0..MOST_RECORDS {
        let head = if at == 0 {
            Vec::new()
        } else {
            file.read(at, 16)?
        };
        let Some((tag, length, next)) = record(&head) else {
            break;
        };
        match &tag {
            b"CHTR" | b"CHT2" | b"CHGT" | b"CHGD" => {
                let track = file.read(at.saturating_add(16), length.min(LONGEST))?;
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
    header.put_known("medium", medium);
    if count > 0 {
        header.put("tracks", count);
        header.put("audio_tracks", songs);
    }
    header.platform = match medium {
        // Its name would have it a PlayStation's, which has no such discs.
        Some("DVD") if hint.is_none() => Some("ps2"),
        Some("GD-ROM") => Some("dreamcast"),
        _ => None,
    };
    Ok(header)
}

/// The version, and where the first record is.
fn start(bytes: &[u8]) -> Option<(u32, u64)> {
    let version = bytes
        .strip_prefix(b"MComprHD")
        .and_then(|_| array(bytes, 12))
        .map(u32::from_be_bytes)?;
    let records = match version {
        3 | 4 => u64::from_be_bytes(array(bytes, 36)?),
        5 => u64::from_be_bytes(array(bytes, 48)?),
        1 | 2 => 0,
        _ => return None,
    };
    Some((version, records))
}

/// A record's tag and length, and where the next one is.
fn record(head: &[u8]) -> Option<([u8; 4], usize, u64)> {
    let flags_and_length = u32::from_be_bytes(array(head, 4)?);
    let length = usize::try_from(flags_and_length & 0x00ff_ffff).ok()?;
    Some((array(head, 0)?, length, u64::from_be_bytes(array(head, 8)?)))
}
