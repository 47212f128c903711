//! Attached files: position of the cover picture.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use crate::reading::text;
use ledge_formats::ebml::{Element, Elements};

/// Maximum number of attachments that are read.
const MAX_COUNT: usize = 1_000;

/// Returns offset and length of the best picture. A full-size portrait named `cover` ranks first.
pub(super) fn cover<R: Read + Seek>(
    source: &mut Source<R>,
    attachments: Element,
) -> ReadResult<Option<(u64, u64)>> {
    let mut best: Option<(u32, (u64, u64))> = None;
    let mut files = Elements::inside(attachments);
    for _ in 0..MAX_COUNT {
        let Some(file) = files.next(source)? else {
            break;
        };
        if file.id != 0x61a7 {
            continue;
        }
        let Some((rank, range)) = picture(source, file)? else {
            continue;
        };
        if best.is_none_or(|(best_rank, _)| rank < best_rank) {
            best = Some((rank, range));
        }
    }
    Ok(best.map(|(_, range)| range))
}

fn picture<R: Read + Seek>(
    source: &mut Source<R>,
    file: Element,
) -> ReadResult<Option<(u32, (u64, u64))>> {
    let (mut name, mut mime, mut range) = (String::new(), String::new(), None);
    let mut parts = Elements::inside(file);
    while let Some(part) = parts.next(source)? {
        match part.id {
            0x466e => name = text::from_bytes(part.content(source, 1_000)?).unwrap_or_default(),
            0x4660 => mime = text::from_bytes(part.content(source, 200)?).unwrap_or_default(),
            0x465c if part.length() > 0 => range = Some((part.start, part.length())),
            _ => {}
        }
    }
    let name = name.to_lowercase();
    let is_picture = mime.to_lowercase().starts_with("image/")
        || [".jpg", ".jpeg", ".png", ".webp"]
            .iter()
            .any(|end| name.ends_with(end));
    Ok(range
        .filter(|_| is_picture)
        .map(|range| (rank(&name), range)))
}

/// Ranks picture names (RFC 9559, 21.2): `cover` is a portrait, `cover_land` a landscape, `small_…`
/// a thumbnail.
fn rank(name: &str) -> u32 {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem {
        "cover" => 0,
        "poster" | "folder" => 1,
        "small_cover" => 2,
        "cover_land" => 3,
        "small_cover_land" => 5,
        _ => 4,
    }
}
