//! Tags of Windows Media files: five fixed texts and named attributes.

use ledge_formats::bytes::BytesAt;

use super::{Key, TagSelection, Tags, genre};
use crate::text;

/// Maximum number of attributes that are read.
const MAX_COUNT: u16 = 10_000;

/// Reads the content description object: title, author, copyright and description.
pub(crate) fn description(body: &[u8], tags: &mut Tags) {
    let mut at = 10;
    for (index, key) in [Key::Title, Key::Artist, Key::Copyright, Key::Comment]
        .iter()
        .enumerate()
    {
        let len = usize::from(body.le16(index * 2).unwrap_or(0));
        let value = body.get(at..at + len).unwrap_or_default();
        tags.add(*key, &utf16(value));
        at += len;
    }
}

/// Reads the extended content description object, whose attributes describe the whole file.
pub(crate) fn extended(body: &[u8], selection: TagSelection, tags: &mut Tags) {
    let mut at = 2;
    for _ in 0..body.le16(0).unwrap_or(0).min(MAX_COUNT) {
        let Some(name_len) = body.le16(at).map(usize::from) else {
            return;
        };
        let name_at = at + 2;
        let value_at = name_at + name_len + 4;
        let (Some(kind), Some(len)) = (body.le16(name_at + name_len), body.le16(value_at - 2))
        else {
            return;
        };
        let name = utf16(body.get(name_at..name_at + name_len).unwrap_or_default());
        let end = value_at + usize::from(len);
        attribute(
            &name,
            kind,
            body.get(value_at..end).unwrap_or_default(),
            selection,
            tags,
        );
        at = end;
    }
}

/// Reads a metadata library object, whose attributes may be long and may belong to one stream.
pub(crate) fn library(body: &[u8], selection: TagSelection, tags: &mut Tags) {
    let mut at = 2;
    for _ in 0..body.le16(0).unwrap_or(0).min(MAX_COUNT) {
        let (Some(name_len), Some(kind), Some(len)) =
            (body.le16(at + 4), body.le16(at + 6), body.le32(at + 8))
        else {
            return;
        };
        let name_at = at + 12;
        let value_at = name_at + usize::from(name_len);
        let Some(end) = usize::try_from(len)
            .ok()
            .and_then(|len| value_at.checked_add(len))
        else {
            return;
        };
        let name = utf16(body.get(name_at..value_at).unwrap_or_default());
        attribute(
            &name,
            kind,
            body.get(value_at..end).unwrap_or_default(),
            selection,
            tags,
        );
        at = end;
    }
}

fn attribute(name: &str, kind: u16, value: &[u8], selection: TagSelection, tags: &mut Tags) {
    if name.eq_ignore_ascii_case("WM/Picture") {
        if selection == TagSelection::Picture
            && let Some((is_front, bytes)) = picture(value)
        {
            tags.add_picture(is_front, bytes.to_vec());
        }
        return;
    }
    let Some(key) = key_of(name).filter(|_| selection != TagSelection::Picture) else {
        return;
    };
    if key == Key::Lyrics && selection != TagSelection::Lyrics {
        return;
    }
    let value = match kind {
        0 => utf16(value),
        2 | 3 => value.le32(0).unwrap_or(0).to_string(),
        4 => value.le64(0).unwrap_or(0).to_string(),
        5 => value.le16(0).unwrap_or(0).to_string(),
        _ => return,
    };
    if key == Key::Genre {
        for genre in genre::in_frame(&value) {
            tags.add(key, &genre);
        }
    } else {
        tags.add(key, &value);
    }
}

fn key_of(name: &str) -> Option<Key> {
    let short_name = name.strip_prefix("WM/").unwrap_or(name);
    Some(match short_name {
        "AlbumTitle" => Key::Album,
        "AlbumArtist" => Key::AlbumArtist,
        "Author" => Key::Artist,
        "TrackNumber" => Key::Track,
        "PartOfSet" => Key::Disc,
        "Year" => Key::Date,
        "OriginalReleaseYear" | "OriginalReleaseTime" => Key::OriginalDate,
        "Writer" => Key::Lyricist,
        "SubTitle" => Key::Subtitle,
        "ContentGroupDescription" => Key::Grouping,
        "IsCompilation" => Key::Compilation,
        other => return Key::named(other),
    })
}

fn picture(value: &[u8]) -> Option<(bool, &[u8])> {
    let (kind, len) = (value.u8_at(0)?, usize::try_from(value.le32(1)?).ok()?);
    // Two texts precede the picture: its media type and its description.
    let mut at = 5;
    for _ in 0..2 {
        let rest = value.get(at..)?;
        let end = rest.chunks_exact(2).position(|unit| unit == [0, 0])?;
        at += end * 2 + 2;
    }
    let bytes = value.get(at..at.checked_add(len)?)?;
    Some((kind == 3, bytes))
}

fn utf16(value: &[u8]) -> String {
    let text = text::utf16(value, false);
    text.trim_end_matches('\0').to_owned()
}
