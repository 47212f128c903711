//! Tags in the forms of iTunes, classic QuickTime, and QuickTime metadata keys.

use std::io::{Read, Seek};

use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use crate::container::media::{Media, Tags};
use crate::reading::text;
use ledge_formats::bmff::{Atom, Atoms, in_memory};

/// Maximum length of a text, in bytes.
const MAX_SIZE: usize = 64 << 10;
/// Maximum number of metadata keys.
const MAX_KEYS: usize = 1_000;

/// Reads the tags of a `udta` box.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    udta: Atom,
    media: &mut Media,
) -> ReadResult<()> {
    let mut atoms = Atoms::inside(udta);
    while let Some(atom) = atoms.next(source)? {
        match &atom.kind {
            b"meta" => read_meta(source, atom, media)?,
            [0xa9, ..] => {
                let bytes = atom.content(source, 0, MAX_SIZE)?;
                if let Some(value) = quicktime_text(bytes) {
                    put(&mut media.tags, kind_of(atom.kind), &value);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a `meta` box. In MP4, a version precedes its children; in QuickTime, none does.
pub(super) fn read_meta<R: Read + Seek>(
    source: &mut Source<R>,
    meta: Atom,
    media: &mut Media,
) -> ReadResult<()> {
    let is_plain = meta.content(source, 4, 4)? == b"hdlr";
    let inside = if is_plain { meta } else { meta.after(4) };
    let mut keys = Vec::new();
    let mut atoms = Atoms::inside(inside);
    while let Some(atom) = atoms.next(source)? {
        match &atom.kind {
            b"keys" => keys = key_names(atom.content(source, 4, 256 << 10)?),
            b"ilst" => read_list(source, atom, &keys, media)?,
            _ => {}
        }
    }
    Ok(())
}

/// Returns the names of the metadata keys, in order.
fn key_names(bytes: &[u8]) -> Vec<String> {
    let names = in_memory(bytes.get(4..).unwrap_or_default());
    names
        .take(MAX_KEYS)
        .map(|(_, name)| {
            String::from_utf8_lossy(name.get(..name.len().min(200)).unwrap_or(name)).into_owned()
        })
        .collect()
}

fn read_list<R: Read + Seek>(
    source: &mut Source<R>,
    list: Atom,
    keys: &[String],
    media: &mut Media,
) -> ReadResult<()> {
    let mut atoms = Atoms::inside(list);
    while let Some(atom) = atoms.next(source)? {
        let Some(data) = Atoms::inside(atom).find(source, *b"data")? else {
            continue;
        };
        if atom.kind == *b"covr" {
            // The first picture is the cover. Type and locale precede the data.
            let picture = data.after(8);
            if media.cover.is_none() && picture.length() > 0 {
                media.cover = Some((picture.start, picture.length()));
            }
            continue;
        }
        let number = u32::from_be_bytes(atom.kind);
        let key = keys.get(usize::try_from(number).unwrap_or(0).wrapping_sub(1));
        let bytes = data.content(source, 8, MAX_SIZE)?;
        let value = String::from_utf8_lossy(bytes).into_owned();
        let name = key.map_or_else(|| kind_of(atom.kind), |key| key_of(key));
        put(&mut media.tags, name, &value);
    }
    Ok(())
}

/// Meaning of a tag.
#[derive(Clone, Copy)]
enum TagKind {
    Title,
    Date,
    Short,
    Long,
    Genre,
    Director,
    Other,
}

fn kind_of(kind: [u8; 4]) -> TagKind {
    match &kind {
        b"\xa9nam" => TagKind::Title,
        b"\xa9day" => TagKind::Date,
        b"desc" | b"\xa9des" => TagKind::Short,
        b"ldes" => TagKind::Long,
        b"\xa9gen" => TagKind::Genre,
        b"\xa9dir" => TagKind::Director,
        _ => TagKind::Other,
    }
}

fn key_of(key: &str) -> TagKind {
    match key.rsplit('.').next().unwrap_or_default() {
        "title" | "displayname" => TagKind::Title,
        "creationdate" | "year" => TagKind::Date,
        "description" => TagKind::Short,
        "genre" => TagKind::Genre,
        "director" => TagKind::Director,
        _ => TagKind::Other,
    }
}

fn put(tags: &mut Tags, name: TagKind, value: &str) {
    match name {
        TagKind::Title => tags.title = tags.title.take().or_else(|| text::line(value)),
        TagKind::Date => tags.date = tags.date.take().or_else(|| text::line(value)),
        TagKind::Short => tags.description = tags.description.take().or_else(|| text::lines(value)),
        // The long description usually includes the short one.
        TagKind::Long => tags.description = text::lines(value).or(tags.description.take()),
        TagKind::Genre => tags
            .genres
            .extend(text::line(value).filter(|_| tags.genres.len() < 50)),
        TagKind::Director => tags
            .directors
            .extend(text::line(value).filter(|_| tags.directors.len() < 50)),
        TagKind::Other => {}
    }
}

/// Decodes a QuickTime text of length, language and characters. Some MP4 writers omit the first
/// two.
fn quicktime_text(bytes: &[u8]) -> Option<String> {
    let mut rest = ByteReader(bytes);
    let length = usize::from(rest.u16()?);
    rest.skip(2)?;
    let content = if length <= rest.0.len() {
        rest.take(length)?
    } else {
        bytes
    };
    Some(String::from_utf8_lossy(content).into_owned())
}

/// Reads the title of a track.
pub(super) fn track_name<R: Read + Seek>(
    source: &mut Source<R>,
    udta: Atom,
) -> ReadResult<Option<String>> {
    let mut atoms = Atoms::inside(udta);
    while let Some(atom) = atoms.next(source)? {
        let bytes = match &atom.kind {
            b"name" | b"\xa9nam" => atom.content(source, 0, MAX_SIZE)?,
            _ => continue,
        };
        let title = if atom.kind == *b"name" {
            text::from_bytes(bytes)
        } else {
            quicktime_text(bytes).and_then(|title| text::line(&title))
        };
        if title.is_some() {
            return Ok(title);
        }
    }
    Ok(None)
}
