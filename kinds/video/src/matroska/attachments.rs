//! Files in the file: fonts, and the picture of its cover.

use std::io::{Read, Seek};

use super::element::{Element, Elements};
use crate::input::{Input, ReadResult};
use crate::text;

/// Most files that are looked at.
const MOST: usize = 1_000;

/// Where the best picture lies: one that is called `cover`, the upright one of full size first.
pub(super) fn cover<R: Read + Seek>(
    input: &mut Input<R>,
    attachments: Element,
) -> ReadResult<Option<(u64, u64)>> {
    let mut best: Option<(u32, (u64, u64))> = None;
    let mut files = Elements::inside(attachments);
    for _ in 0..MOST {
        let Some(file) = files.next(input)? else {
            break;
        };
        if file.id != 0x61a7 {
            continue;
        }
        let Some((rank, place)) = picture(input, file)? else {
            continue;
        };
        if best.is_none_or(|(known, _)| rank < known) {
            best = Some((rank, place));
        }
    }
    Ok(best.map(|(_, place)| place))
}

fn picture<R: Read + Seek>(
    input: &mut Input<R>,
    file: Element,
) -> ReadResult<Option<(u32, (u64, u64))>> {
    let (mut name, mut mime, mut place) = (String::new(), String::new(), None);
    let mut parts = Elements::inside(file);
    while let Some(part) = parts.next(input)? {
        match part.id {
            0x466e => name = text::of_bytes(part.content(input, 1_000)?).unwrap_or_default(),
            0x4660 => mime = text::of_bytes(part.content(input, 200)?).unwrap_or_default(),
            0x465c if part.length() > 0 => place = Some((part.start, part.length())),
            _ => {}
        }
    }
    let name = name.to_lowercase();
    let is_picture = mime.to_lowercase().starts_with("image/")
        || [".jpg", ".jpeg", ".png", ".webp"]
            .iter()
            .any(|end| name.ends_with(end));
    Ok(place
        .filter(|_| is_picture)
        .map(|place| (rank(&name), place)))
}

/// RFC 9559, 21.2: `cover` upright, `cover_land` across, `small_…` thumbnails.
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
