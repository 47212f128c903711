//! Files of the PlayStation Portable: settings (`PARAM.SFO`), and packages with settings and
//! pictures (`.pbp`).

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::Header;
use super::optical::{region_of_serial, sony_serial};
use crate::reading::text;

/// Most settings that are read.
const MAX_SETTINGS: usize = 64;
/// Largest settings file, in bytes.
const MAX_SETTINGS_BYTES: u32 = 16 << 10;
/// Largest icon that is extracted, in bytes.
const MAX_ICON_BYTES: u32 = 512 << 10;

/// Reads a package. Its settings identify games of the first PlayStation.
pub fn package<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Header> {
    let (start, end) = part(file, 0)?;
    let length = end.saturating_sub(start).min(MAX_SETTINGS_BYTES);
    let settings = file.read_vec_at(start.into(), usize::try_from(length).unwrap_or_default())?;
    let mut header = Header {
        platform: Some("psp"),
        ..Header::default()
    };
    describe(&settings, &mut header);
    Ok(header)
}

/// Returns the icon of a package. The bytes are those of the file.
pub fn icon<R: Read + Seek>(file: &mut Source<R>) -> ReadResult<Option<Vec<u8>>> {
    let (start, end) = part(file, 1)?;
    let length = end.saturating_sub(start);
    if length == 0 || length > MAX_ICON_BYTES {
        return Ok(None);
    }
    let bytes = file.read_vec_at(start.into(), usize::try_from(length).unwrap_or_default())?;
    Ok(Some(bytes).filter(|bytes| is_png(bytes)))
}

/// Returns true for the signature of a PNG.
pub(crate) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
}

/// Returns the start and end offset of a part of a package.
fn part<R: Read + Seek>(file: &mut Source<R>, number: usize) -> ReadResult<(u32, u32)> {
    let bytes = file.read_vec_at(0, 40)?;
    let at = |number: usize| bytes.le32(8 + 4 * number);
    match at(number).zip(at(number + 1)) {
        Some(range) if bytes.starts_with(b"\0PBP") => Ok(range),
        _ => Err(damaged("is not a package of the PlayStation Portable")),
    }
}

/// Adds the values of the settings to a header.
pub(crate) fn describe(bytes: &[u8], header: &mut Header) {
    let text = |name: &str| setting(bytes, name).and_then(|value| text::sanitize(&value));
    header.title = text("TITLE");
    let id = text("DISC_ID");
    header.serial = id.as_deref().and_then(sony_serial).or(id);
    header.regions = region_of_serial(header.serial.as_deref());
    header.version = text("DISC_VERSION").filter(|version| version != "1.00");
    // Category `ME` is a PlayStation disc with an emulator.
    if text("CATEGORY").as_deref() == Some("ME") {
        header.platform = Some("psx");
    }
}

/// Returns the text value of a setting.
fn setting(bytes: &[u8], name: &str) -> Option<String> {
    if !bytes.starts_with(b"\0PSF") {
        return None;
    }
    let number_at = |at: usize| usize::try_from(bytes.le32(at)?).ok();
    let (names, values) = (number_at(8)?, number_at(12)?);
    let count = number_at(16)?.min(MAX_SETTINGS);
    for number in 0..count {
        let entry = 20 + 16 * number;
        let key = names.checked_add(bytes.le16(entry)?.into())?;
        let key = bytes.get(key..)?.split(|byte| *byte == 0).next()?;
        if key != name.as_bytes() {
            continue;
        }
        let length = number_at(entry + 4)?;
        let at = values.checked_add(number_at(entry + 12)?)?;
        let value = bytes.get(at..at.checked_add(length)?)?;
        let value = value.split(|byte| *byte == 0).next()?;
        return Some(String::from_utf8_lossy(value).into_owned());
    }
    None
}
