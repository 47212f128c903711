//! Fonts that are attached to a Matroska film, for the styles of its subtitles.
//!
//! They are located on request: a scan reads none of their bytes.

use std::io::{Read, Seek};

use ledge_formats::{ReadLimits, ReadResult, Source};

use crate::container::matroska::{self, Parts, attachments};

/// Limits of locating the fonts of a film. Each font needs a few small reads.
const READ_LIMITS: ReadLimits = ReadLimits {
    chunk: 512,
    ..ReadLimits::with_bytes(16 << 20)
};
/// Maximum number of fonts per film.
const MAX_COUNT: usize = 200;
/// Maximum size of a font, in bytes. The largest fonts with all Chinese characters have 40 MiB.
const MAX_SIZE: u64 = 64 << 20;

/// Media types by the first bytes of a font.
const TYPES: &[(&[u8], &str)] = &[
    (b"\0\x01\0\0", "font/ttf"),
    (b"true", "font/ttf"),
    (b"OTTO", "font/otf"),
    (b"ttcf", "font/collection"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
];

/// Font inside a film.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Font {
    /// Index in the film's list of attachments.
    pub index: usize,
    /// File name, which can be empty.
    pub name: String,
    /// Media type by the first bytes. The stated type is ignored.
    pub mime: &'static str,
    /// Offset of the font in the film.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
}

/// Lists the fonts of a film. Attachments that do not begin like a font or are too large are
/// excluded. A font that exceeds its parent or the film ends there.
pub fn list(reader: impl Read + Seek) -> ReadResult<Vec<Font>> {
    let mut source = Source::new(reader, READ_LIMITS)?;
    if !source.read_at(0, 16)?.starts_with(matroska::MAGIC) {
        return Ok(Vec::new());
    }
    let parts = Parts::find(&mut source)?;
    let Some(element) = parts.get(matroska::ATTACHMENTS) else {
        return Ok(Vec::new());
    };
    let mut fonts = Vec::new();
    let files = attachments::list(&mut source, element)?;
    for (index, file) in files.into_iter().enumerate() {
        if file.length > MAX_SIZE {
            continue;
        }
        let head = usize::try_from(file.length).unwrap_or(4).min(4);
        let head = source.read_at(file.start, head)?;
        let Some((_, mime)) = TYPES.iter().find(|(magic, _)| head.starts_with(magic)) else {
            continue;
        };
        fonts.push(Font {
            index,
            name: file.name,
            mime,
            start: file.start,
            size: file.length,
        });
        if fonts.len() == MAX_COUNT {
            break;
        }
    }
    Ok(fonts)
}

#[cfg(test)]
mod tests;
