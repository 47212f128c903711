//! What a film is called: iTunes' list of tags, QuickTime's own, and its keys.

use std::io::{Read, Seek};

use super::atom::{Atom, Atoms, in_memory};
use crate::input::{Bytes, Input, ReadResult};
use crate::media::{Media, Tags};
use crate::text;

/// Longest text, in bytes.
const LONGEST: usize = 64 << 10;
/// Most keys.
const MOST_KEYS: usize = 1_000;

/// Reads the tags in a `udta`.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    udta: Atom,
    media: &mut Media,
) -> ReadResult<()> {
    let mut atoms = Atoms::inside(udta);
    while let Some(atom) = atoms.next(input)? {
        match &atom.kind {
            b"meta" => read_meta(input, atom, media)?,
            [0xa9, ..] => {
                let bytes = atom.content(input, 0, LONGEST)?;
                if let Some(value) = quicktime_text(bytes) {
                    put(&mut media.tags, name_of(atom.kind), &value);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a `meta`: in MP4 a version stands in front of its boxes, in QuickTime none.
pub(super) fn read_meta<R: Read + Seek>(
    input: &mut Input<R>,
    meta: Atom,
    media: &mut Media,
) -> ReadResult<()> {
    let is_plain = meta.content(input, 4, 4)? == b"hdlr";
    let inside = if is_plain { meta } else { meta.after(4) };
    let mut keys = Vec::new();
    let mut atoms = Atoms::inside(inside);
    while let Some(atom) = atoms.next(input)? {
        match &atom.kind {
            b"keys" => keys = key_names(atom.content(input, 4, 256 << 10)?),
            b"ilst" => read_list(input, atom, &keys, media)?,
            _ => {}
        }
    }
    Ok(())
}

/// Names of keys, in their order.
fn key_names(bytes: &[u8]) -> Vec<String> {
    let names = in_memory(bytes.get(4..).unwrap_or_default());
    names
        .take(MOST_KEYS)
        .map(|(_, name)| {
            String::from_utf8_lossy(name.get(..name.len().min(200)).unwrap_or(name)).into_owned()
        })
        .collect()
}

fn read_list<R: Read + Seek>(
    input: &mut Input<R>,
    list: Atom,
    keys: &[String],
    media: &mut Media,
) -> ReadResult<()> {
    let mut atoms = Atoms::inside(list);
    while let Some(atom) = atoms.next(input)? {
        let Some(data) = Atoms::inside(atom).find(input, *b"data")? else {
            continue;
        };
        if atom.kind == *b"covr" {
            // The first picture is the cover; type and locale stand in front of it.
            let picture = data.after(8);
            if media.cover.is_none() && picture.length() > 0 {
                media.cover = Some((picture.start, picture.length()));
            }
            continue;
        }
        let number = u32::from_be_bytes(atom.kind);
        let key = keys.get(usize::try_from(number).unwrap_or(0).wrapping_sub(1));
        let bytes = data.content(input, 8, LONGEST)?;
        let value = String::from_utf8_lossy(bytes).into_owned();
        let name = key.map_or_else(|| name_of(atom.kind), |key| key_of(key));
        put(&mut media.tags, name, &value);
    }
    Ok(())
}

/// What a tag tells.
#[derive(Clone, Copy)]
enum Name {
    Title,
    Date,
    Short,
    Long,
    Genre,
    Director,
    Other,
}

fn name_of(kind: [u8; 4]) -> Name {
    match &kind {
        b"\xa9nam" => Name::Title,
        b"\xa9day" => Name::Date,
        b"desc" | b"\xa9des" => Name::Short,
        b"ldes" => Name::Long,
        b"\xa9gen" => Name::Genre,
        b"\xa9dir" => Name::Director,
        _ => Name::Other,
    }
}

fn key_of(key: &str) -> Name {
    match key.rsplit('.').next().unwrap_or_default() {
        "title" | "displayname" => Name::Title,
        "creationdate" | "year" => Name::Date,
        "description" => Name::Short,
        "genre" => Name::Genre,
        "director" => Name::Director,
        _ => Name::Other,
    }
}

fn put(tags: &mut Tags, name: Name, value: &str) {
    match name {
        Name::Title => tags.title = tags.title.take().or_else(|| text::line(value)),
        Name::Date => tags.date = tags.date.take().or_else(|| text::line(value)),
        Name::Short => tags.description = tags.description.take().or_else(|| text::lines(value)),
        // The longer one holds the shorter.
        Name::Long => tags.description = text::lines(value).or(tags.description.take()),
        Name::Genre => tags
            .genres
            .extend(text::line(value).filter(|_| tags.genres.len() < 50)),
        Name::Director => tags
            .directors
            .extend(text::line(value).filter(|_| tags.directors.len() < 50)),
        Name::Other => {}
    }
}

/// QuickTime's text: length, language, characters. Writers of MP4 leave the first two out.
fn quicktime_text(bytes: &[u8]) -> Option<String> {
    let mut rest = Bytes(bytes);
    let length = usize::from(rest.u16()?);
    rest.skip(2)?;
    let content = if length <= rest.0.len() {
        rest.take(length)?
    } else {
        bytes
    };
    Some(String::from_utf8_lossy(content).into_owned())
}

/// A stream's own title.
pub(super) fn track_name<R: Read + Seek>(
    input: &mut Input<R>,
    udta: Atom,
) -> ReadResult<Option<String>> {
    let mut atoms = Atoms::inside(udta);
    while let Some(atom) = atoms.next(input)? {
        let bytes = match &atom.kind {
            b"name" | b"\xa9nam" => atom.content(input, 0, LONGEST)?,
            _ => continue,
        };
        let title = if atom.kind == *b"name" {
            text::of_bytes(bytes)
        } else {
            quicktime_text(bytes).and_then(|title| text::line(&title))
        };
        if title.is_some() {
            return Ok(title);
        }
    }
    Ok(None)
}
