//! Vorbis comments in FLAC and Ogg files.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ledge_core::registry::reading::Chapter;
use ledge_formats::bytes::BytesAt;

use super::{Key, MAX_CHAPTERS, TagSelection, Tags};
use crate::chapters::clock;
use crate::text;

/// Maximum number of comments that are read.
const MAX_COMMENTS: u32 = 50_000;

/// Reads a comment block. A truncated comment is ignored.
pub(crate) fn read(block: &[u8], selection: TagSelection) -> Tags {
    let mut tags = Tags::default();
    let mut chapters = BTreeMap::new();
    let mut at = 0;
    // The first text is the vendor string.
    if next(block, &mut at).is_none() {
        return tags;
    }
    let count = block.le32(at).unwrap_or(0).min(MAX_COMMENTS);
    at = at.saturating_add(4);
    for _ in 0..count {
        let Some(comment) = next(block, &mut at) else {
            break;
        };
        let Some(equals) = comment.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let (name, value) = comment.split_at(equals);
        let value = value.get(1..).unwrap_or_default();
        read_comment(&mut tags, &mut chapters, (name, value), selection);
    }
    tags.chapters = chapters
        .into_values()
        .filter_map(|(start, title)| {
            Some(Chapter {
                title,
                start: start?,
            })
        })
        .collect();
    tags
}

type Chapters = BTreeMap<u32, (Option<f64>, String)>;

fn read_comment(
    tags: &mut Tags,
    chapters: &mut Chapters,
    (name, value): (&[u8], &[u8]),
    selection: TagSelection,
) {
    let name = name.to_ascii_uppercase();
    match name.as_slice() {
        b"METADATA_BLOCK_PICTURE" => {
            if selection == TagSelection::Picture
                && let Ok(block) = STANDARD.decode(value.trim_ascii())
            {
                picture(tags, &block);
            }
        }
        b"COVERART" => {
            if selection == TagSelection::Picture
                && let Ok(bytes) = STANDARD.decode(value.trim_ascii())
            {
                tags.add_picture(false, bytes);
            }
        }
        _ if selection == TagSelection::Picture => {}
        _ => match chapter_number(&name) {
            Some((number, is_title)) if chapters.len() < MAX_CHAPTERS => {
                let chapter = chapters.entry(number).or_default();
                let value = text::utf8(value);
                if is_title {
                    chapter.1 = text::line(&value).unwrap_or_default();
                } else {
                    chapter.0 = clock::parse(&value);
                }
            }
            Some(_) => {}
            None => {
                let name = text::utf8(&name);
                let key = Key::named(&name);
                if let Some(key) = key.filter(|key| selection.includes(*key)) {
                    tags.add(key, &text::utf8(value));
                }
            }
        },
    }
}

/// Parses `CHAPTER001` and `CHAPTER001NAME`. The flag marks a title.
fn chapter_number(name: &[u8]) -> Option<(u32, bool)> {
    let rest = name.strip_prefix(b"CHAPTER")?;
    let (digits, is_title) = match rest.strip_suffix(b"NAME") {
        Some(digits) => (digits, true),
        None => (rest, false),
    };
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((number, is_title))
}

/// Stores the picture of a FLAC picture block.
pub(crate) fn picture(tags: &mut Tags, block: &[u8]) {
    if let Some((is_front, bytes)) = picture_in(block) {
        tags.add_picture(is_front, bytes.to_vec());
    }
}

fn picture_in(block: &[u8]) -> Option<(bool, &[u8])> {
    let kind = block.be32(0)?;
    let mut at = 4;
    let mut field = || {
        let len = usize::try_from(block.be32(at)?).ok()?;
        let start = at.checked_add(4)?;
        at = start.checked_add(len)?;
        block.get(start..at)
    };
    let (media_type, _description) = (field()?, field()?);
    // Width, height, depth and number of colours.
    let at = at.checked_add(16)?;
    let len = usize::try_from(block.be32(at)?).ok()?;
    let bytes = block.get(at.checked_add(4)?..)?;
    // The media type `-->` means a URL instead of a picture. It is never fetched.
    (media_type != b"-->").then(|| (kind == 3, bytes.get(..len).unwrap_or(bytes)))
}

/// Returns the next length-prefixed text.
fn next<'a>(block: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let len = usize::try_from(block.le32(*at)?).ok()?;
    let start = at.checked_add(4)?;
    let end = start.checked_add(len)?;
    *at = end;
    block.get(start..end)
}
