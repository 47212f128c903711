//! APE tags of versions 1 and 2, at the end of a file or before its ID3v1 tag.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::{Key, MAX_PICTURE_SIZE, TagSelection, Tags};
use crate::text;

const FOOTER: u64 = 32;
/// Maximum size of a tag without its pictures, in bytes.
const MAX_SIZE: u64 = 4 << 20;
const MAX_ITEMS: u32 = 5_000;

/// Reads the tag that ends at `end`. Returns it with its start offset.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    end: u64,
    selection: TagSelection,
) -> ReadResult<Option<(Tags, u64)>> {
    let Some(footer_at) = end.checked_sub(FOOTER) else {
        return Ok(None);
    };
    let footer = source.read_at(footer_at, 32)?;
    if !footer.starts_with(b"APETAGEX") {
        return Ok(None);
    }
    let (Some(size), Some(items), Some(flags)) =
        (footer.le32(12), footer.le32(16), footer.le32(20))
    else {
        return Ok(None);
    };
    // The size includes the footer, but not the header.
    let Some(items_at) = end
        .checked_sub(size.into())
        .filter(|_| u64::from(size) >= FOOTER)
    else {
        return Ok(None);
    };
    let header = if flags & 0x8000_0000 != 0 { FOOTER } else { 0 };
    let begin = items_at.saturating_sub(header);
    let most = if selection == TagSelection::Picture {
        MAX_SIZE + u64::try_from(MAX_PICTURE_SIZE).unwrap_or(0)
    } else {
        MAX_SIZE
    };
    let mut tags = Tags::default();
    let mut at = items_at;
    for _ in 0..items.min(MAX_ITEMS) {
        if at + 11 > footer_at || at - items_at > most {
            break;
        }
        match item(source, at, footer_at, selection, &mut tags)? {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(Some((tags, begin)))
}

/// Reads one item. Returns the offset of the next one.
fn item<R: Read + Seek>(
    source: &mut Source<R>,
    at: u64,
    end: u64,
    selection: TagSelection,
    tags: &mut Tags,
) -> ReadResult<Option<u64>> {
    let head = source.read_at(at, 8 + 256)?;
    let (Some(size), Some(flags)) = (head.le32(0), head.le32(4)) else {
        return Ok(None);
    };
    let key = head.get(8..).unwrap_or_default();
    let Some(key_len) = key.iter().position(|byte| *byte == 0) else {
        return Ok(None);
    };
    let name = text::utf8(key.get(..key_len).unwrap_or_default());
    let value_at = at + 8 + u64::try_from(key_len).unwrap_or(0) + 1;
    let next = value_at.saturating_add(size.into());
    if next > end {
        return Ok(None);
    }
    let len = usize::try_from(size).unwrap_or(usize::MAX);
    let is_text = flags & 0b110 == 0;
    if selection == TagSelection::Picture {
        if name.to_ascii_lowercase().starts_with("cover art") && len <= MAX_PICTURE_SIZE {
            let bytes = source.read_at(value_at, len)?;
            // A file name precedes the picture.
            let picture = bytes.iter().position(|byte| *byte == 0);
            let picture = picture
                .and_then(|end| bytes.get(end + 1..))
                .unwrap_or_default();
            let is_front = name.to_ascii_lowercase().contains("front");
            tags.add_picture(is_front, picture.to_vec());
        }
    } else if is_text
        && len <= 1 << 20
        && let Some(key) = Key::named(&name)
        && selection.includes(key)
    {
        for value in text::utf8(source.read_at(value_at, len)?).split('\0') {
            tags.add(key, value);
        }
    }
    Ok(Some(next))
}
