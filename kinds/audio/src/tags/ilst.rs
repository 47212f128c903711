//! Tags of MP4 files: an `ilst` box of items with values.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::{Key, MAX_PICTURE_SIZE, TagSelection, Tags, genre};
use crate::read::mp4::boxes::{Bounds, Boxes};
use crate::text;

/// Maximum size of a value other than a picture, in bytes.
const MAX_SIZE: usize = 1 << 20;

/// Reads the items of an `ilst` box.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    selection: TagSelection,
    tags: &mut Tags,
) -> ReadResult<()> {
    let mut items = Boxes::in_bounds(bounds);
    while let Some((name, inside)) = items.next(source)? {
        if &name == b"covr" {
            if selection == TagSelection::Picture {
                pictures(source, inside, tags)?;
            }
            continue;
        }
        if selection == TagSelection::Picture {
            continue;
        }
        let key = if &name == b"----" {
            own_name(source, inside)?
        } else {
            key_of(name)
        };
        if let Some(key) = key
            && selection.includes(key)
        {
            values(source, (name, key), inside, tags)?;
        }
    }
    Ok(())
}

fn key_of(name: [u8; 4]) -> Option<Key> {
    Some(match &name {
        b"\xa9nam" => Key::Title,
        b"\xa9alb" => Key::Album,
        b"\xa9ART" | b"\xa9art" => Key::Artist,
        b"aART" => Key::AlbumArtist,
        b"\xa9aut" => Key::Author,
        b"\xa9wrt" | b"\xa9com" => Key::Composer,
        b"\xa9nrt" => Key::Narrator,
        b"\xa9con" => Key::Conductor,
        b"trkn" => Key::Track,
        b"disk" => Key::Disc,
        b"\xa9day" => Key::Date,
        b"\xa9gen" | b"gnre" => Key::Genre,
        b"\xa9cmt" => Key::Comment,
        b"desc" | b"ldes" | b"\xa9des" => Key::Description,
        b"\xa9pub" => Key::Publisher,
        b"\xa9grp" => Key::Grouping,
        b"\xa9mvn" => Key::Movement,
        b"\xa9mvi" => Key::MovementNumber,
        b"\xa9lyr" => Key::Lyrics,
        b"\xa9st3" => Key::Subtitle,
        b"cpil" => Key::Compilation,
        b"tmpo" => Key::Bpm,
        b"stik" => Key::MediaType,
        b"cprt" | b"\xa9cpy" => Key::Copyright,
        b"asin" | b"CDEK" => Key::Asin,
        b"\xa9isb" => Key::Isbn,
        _ => return None,
    })
}

/// Returns the key of a free-form item, which contains its name.
fn own_name<R: Read + Seek>(source: &mut Source<R>, bounds: Bounds) -> ReadResult<Option<Key>> {
    let mut parts = Boxes::in_bounds(bounds);
    while let Some((name, inside)) = parts.next(source)? {
        if &name == b"name" {
            let bytes = inside.bytes(source, 256)?;
            return Ok(bytes
                .get(4..)
                .and_then(|name| Key::named(&text::utf8(name))));
        }
    }
    Ok(None)
}

fn values<R: Read + Seek>(
    source: &mut Source<R>,
    (name, key): ([u8; 4], Key),
    bounds: Bounds,
    tags: &mut Tags,
) -> ReadResult<()> {
    let mut parts = Boxes::in_bounds(bounds);
    while let Some((part, inside)) = parts.next(source)? {
        if &part != b"data" || inside.len() > MAX_SIZE as u64 {
            continue;
        }
        let bytes = inside.bytes(source, MAX_SIZE)?;
        let (Some(kind), Some(value)) = (bytes.be32(0), bytes.get(8..)) else {
            continue;
        };
        match (&name, kind & 0x00ff_ffff) {
            (b"trkn" | b"disk", _) => {
                let (number, of) = (value.be16(2).unwrap_or(0), value.be16(4).unwrap_or(0));
                let totals = if key == Key::Track {
                    Key::Tracks
                } else {
                    Key::Discs
                };
                add_number(tags, key, number);
                add_number(tags, totals, of);
            }
            (b"gnre", _) => {
                let number = value.be16(0).and_then(|number| number.checked_sub(1));
                if let Some(genre) = number.and_then(|number| genre::numbered(number.into())) {
                    tags.add(key, genre);
                }
            }
            (_, 2) => tags.add(key, &text::utf16(value, true)),
            (_, 0 | 21 | 22) if is_number(key) => {
                let number = value
                    .iter()
                    .take(8)
                    .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                tags.add(key, &number.to_string());
            }
            (_, 0 | 1) => tags.add(key, &text::utf8(value)),
            _ => {}
        }
    }
    Ok(())
}

fn is_number(key: Key) -> bool {
    matches!(
        key,
        Key::Compilation | Key::MediaType | Key::MovementNumber | Key::Bpm
    )
}

fn add_number(tags: &mut Tags, key: Key, number: u16) {
    if number > 0 {
        tags.add(key, &number.to_string());
    }
}

fn pictures<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    tags: &mut Tags,
) -> ReadResult<()> {
    let mut parts = Boxes::in_bounds(bounds);
    while let Some((part, inside)) = parts.next(source)? {
        let fits = inside.len() <= MAX_PICTURE_SIZE as u64 + 8;
        if &part == b"data" && fits && tags.wants_picture(false) {
            let bytes = inside.bytes(source, MAX_PICTURE_SIZE + 8)?;
            tags.add_picture(true, bytes.get(8..).unwrap_or_default().to_vec());
        }
    }
    Ok(())
}
