//! The INFO list of WAV files, and decoding of RIFF and AIFF texts.

use ledge_formats::bytes::BytesAt;

use super::{Key, Tags};
use crate::text;

/// Reads the content of an INFO list.
pub(crate) fn info(list: &[u8], tags: &mut Tags) {
    let mut at = 0;
    while let (Some(id), Some(size)) = (list.array_at::<4>(at), list.le32(at + 4)) {
        let start = at + 8;
        let Some(end) = usize::try_from(size)
            .ok()
            .and_then(|size| start.checked_add(size))
        else {
            return;
        };
        let value = list.get(start..end.min(list.len())).unwrap_or_default();
        if let Some(key) = key_of(id) {
            tags.add(key, &plain(value));
        }
        // Chunks are aligned to even offsets.
        at = end.saturating_add(end % 2);
    }
}

/// Decodes a null-terminated text. Older programs wrote Windows-1252, newer ones UTF-8.
pub(crate) fn plain(value: &[u8]) -> String {
    let end = value
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(value.len());
    text::latin1(value.get(..end).unwrap_or_default())
}

fn key_of(id: [u8; 4]) -> Option<Key> {
    Some(match &id {
        b"INAM" => Key::Title,
        b"IPRD" | b"IALB" => Key::Album,
        b"IART" => Key::Artist,
        b"IAAR" => Key::AlbumArtist,
        b"ICRD" | b"IDIT" | b"YEAR" => Key::Date,
        b"IPRT" | b"ITRK" | b"TRCK" => Key::Track,
        b"IFRM" => Key::Tracks,
        b"IGNR" | b"GENR" => Key::Genre,
        b"ICMT" => Key::Comment,
        b"IMUS" | b"IWRI" => Key::Composer,
        b"IPUB" => Key::Publisher,
        b"ILNG" => Key::Language,
        b"ICOP" => Key::Copyright,
        _ => return None,
    })
}
