//! Attached files: their positions, and the cover picture among them.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use crate::reading::text;
use ledge_formats::ebml::{Element, Elements};

/// Maximum number of attachments that are read.
const MAX_COUNT: usize = 1_000;

/// Attached file. Its content is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    /// Media type that the file states.
    pub(crate) mime: String,
    /// Offset of the content.
    pub(crate) start: u64,
    /// Length of the content in bytes.
    pub(crate) length: u64,
}

/// Lists the attached files in their order. A file without content is included, with the length 0.
pub(crate) fn list<R: Read + Seek>(
    source: &mut Source<R>,
    attachments: Element,
) -> ReadResult<Vec<Attachment>> {
    let mut found = Vec::new();
    let mut files = Elements::inside(attachments);
    for _ in 0..MAX_COUNT {
        let Some(file) = files.next(source)? else {
            break;
        };
        if file.id == 0x61a7 {
            found.push(read(source, file)?);
        }
    }
    Ok(found)
}

fn read<R: Read + Seek>(source: &mut Source<R>, file: Element) -> ReadResult<Attachment> {
    let mut found = Attachment {
        name: String::new(),
        mime: String::new(),
        start: file.start,
        length: 0,
    };
    let mut parts = Elements::inside(file);
    while let Some(part) = parts.next(source)? {
        let mut word = |most| -> ReadResult<String> {
            Ok(text::from_bytes(part.content(source, most)?).unwrap_or_default())
        };
        match part.id {
            0x466e => found.name = word(1_000)?,
            0x4660 => found.mime = word(200)?,
            0x465c if part.length() > 0 => {
                (found.start, found.length) = (part.start, part.length());
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns offset and length of the best picture. A full-size portrait named `cover` ranks first.
pub(super) fn cover<R: Read + Seek>(
    source: &mut Source<R>,
    attachments: Element,
) -> ReadResult<Option<(u64, u64)>> {
    let files = list(source, attachments)?;
    let pictures = files.iter().filter(|file| file.is_picture());
    let best = pictures.min_by_key(|file| rank(&file.name.to_lowercase()));
    Ok(best.map(|file| (file.start, file.length)))
}

impl Attachment {
    fn is_picture(&self) -> bool {
        let name = self.name.to_lowercase();
        let is_named = [".jpg", ".jpeg", ".png", ".webp"]
            .iter()
            .any(|end| name.ends_with(end));
        self.length > 0 && (is_named || self.mime.to_lowercase().starts_with("image/"))
    }
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
