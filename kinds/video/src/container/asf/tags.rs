//! Tags of ASF files: the content description and named attributes.

use super::utf16;
use ledge_formats::bytes::ByteReader;

use crate::container::media::{Media, Tags};
use crate::reading::text;

/// Reads the content description object: five lengths, then title, author, copyright, description
/// and rating.
pub(super) fn content(mut bytes: ByteReader<'_>, tags: &mut Tags) -> Option<()> {
    let lengths = [
        bytes.u16_le()?,
        bytes.u16_le()?,
        bytes.u16_le()?,
        bytes.u16_le()?,
        bytes.u16_le()?,
    ];
    for (index, length) in lengths.iter().enumerate() {
        let value = utf16(bytes.take(usize::from(*length))?);
        match index {
            0 => tags.title = text::line(&value),
            3 => tags.description = text::lines(&value),
            _ => {}
        }
    }
    Some(())
}

/// Reads the extended content description object. A picture is recorded by its position in the
/// file.
pub(super) fn extended(mut bytes: ByteReader<'_>, start: u64, media: &mut Media) -> Option<()> {
    let whole = bytes.0.len();
    for _ in 0..bytes.u16_le()? {
        let length = bytes.u16_le()?;
        let name = utf16(bytes.take(length.into())?);
        let kind = bytes.u16_le()?;
        let length = bytes.u16_le()?;
        let at = whole - bytes.0.len();
        let value = bytes.take(length.into())?;
        let line = || (kind == 0).then(|| text::line(&utf16(value)))?;
        let tags = &mut media.tags;
        match name.as_str() {
            "WM/Year" => tags.date = line(),
            "WM/Genre" => tags
                .genres
                .extend(line().filter(|_| tags.genres.len() < 50)),
            "WM/Director" => tags
                .directors
                .extend(line().filter(|_| tags.directors.len() < 50)),
            "WM/SubTitleDescription" if tags.description.is_none() => tags.description = line(),
            "WM/Picture" if kind == 1 && media.cover.is_none() => {
                media.cover = picture(value).map(|(offset, length)| {
                    (start.saturating_add((at + offset) as u64), length as u64)
                });
            }
            _ => {}
        }
    }
    Some(())
}

/// Returns the offset and the length of the image data, which follow type, length, media type and
/// description.
fn picture(value: &[u8]) -> Option<(usize, usize)> {
    let mut bytes = ByteReader(value);
    bytes.skip(1)?;
    let length = bytes.u32_le()? as usize;
    for _ in 0..2 {
        while bytes.u16_le()? != 0 {}
    }
    (length > 0 && length <= bytes.0.len()).then(|| (value.len() - bytes.0.len(), length))
}
