//! Tags of a file (RFC 9559, section 21, and the Matroska tag registry).

use crate::container::media::{Media, Tags};
use crate::reading::text;
use ledge_formats::ebml::{children, unsigned};

/// Maximum number of values per tag.
const MAX_COUNT: usize = 200;

/// Parses a `Tags` element.
pub(super) fn read(content: &[u8], media: &mut Media) {
    for (_, tag) in children(content).filter(|(id, _)| *id == 0x7373) {
        let is_about_all = children(tag)
            .filter(|(id, _)| *id == 0x63c0)
            .all(|(_, targets)| is_whole(targets));
        if !is_about_all {
            continue;
        }
        for (_, simple) in children(tag).filter(|(id, _)| *id == 0x67c8) {
            put(simple, &mut media.tags);
        }
    }
}

/// Returns `true` if tags describe the film or episode, not a stream, chapter, attachment or
/// collection.
fn is_whole(targets: &[u8]) -> bool {
    children(targets).all(|(id, value)| match id {
        0x68ca => unsigned(value) == 50,
        0x63c4..=0x63c6 => unsigned(value) == 0,
        _ => true,
    })
}

fn put(simple: &[u8], tags: &mut Tags) {
    let (mut name, mut value) = (String::new(), None);
    for (id, content) in children(simple) {
        match id {
            0x45a3 => name = text::from_bytes(content).unwrap_or_default().to_uppercase(),
            0x4487 => value = Some(content),
            _ => {}
        }
    }
    let Some(value) = value else { return };
    let line = || text::from_bytes(value);
    match name.as_str() {
        "TITLE" => tags.title = tags.title.take().or_else(line),
        "DATE_RELEASED" => tags.date = line().or(tags.date.take()),
        "DATE_RELEASE" | "DATE" | "YEAR" => tags.date = tags.date.take().or_else(line),
        "SYNOPSIS" | "SUMMARY" | "DESCRIPTION" if tags.description.is_none() => {
            tags.description = text::lines(&String::from_utf8_lossy(
                value.get(..64 << 10).unwrap_or(value),
            ));
        }
        "GENRE" => tags
            .genres
            .extend(line().filter(|_| tags.genres.len() < MAX_COUNT)),
        "DIRECTOR" => tags
            .directors
            .extend(line().filter(|_| tags.directors.len() < MAX_COUNT)),
        "ACTOR" => tags
            .actors
            .extend(line().filter(|_| tags.actors.len() < MAX_COUNT)),
        _ => {}
    }
}
