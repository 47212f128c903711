//! What the PlayStation Portable keeps of a game: settings (`PARAM.SFO`), and the package they come
//! in with pictures (`.pbp`).

use std::io::{Read, Seek};

use super::Header;
use super::optical::{region_of_serial, sony_serial};
use crate::text;
use crate::windows::{ReadResult, Windows, damaged, le16, le32};

/// Most settings that are looked at.
const MOST: usize = 64;
/// Longest settings, in bytes.
const LONGEST: u32 = 16 << 10;
/// The largest picture that is taken out, in bytes.
const LARGEST_PICTURE: u32 = 512 << 10;

/// A package; its settings tell whether it is a game of the first PlayStation.
pub fn package<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Header> {
    let (start, end) = part(file, 0)?;
    let length = end.saturating_sub(start).min(LONGEST);
    let settings = file.read(start.into(), usize::try_from(length).unwrap_or_default())?;
    let mut header = Header {
        platform: Some("psp"),
        ..Header::default()
    };
    describe(&settings, &mut header);
    Ok(header)
}

/// The icon of a package, as it lies there.
pub fn icon<R: Read + Seek>(file: &mut Windows<R>) -> ReadResult<Option<Vec<u8>>> {
    let (start, end) = part(file, 1)?;
    let length = end.saturating_sub(start);
    if length == 0 || length > LARGEST_PICTURE {
        return Ok(None);
    }
    let bytes = file.read(start.into(), usize::try_from(length).unwrap_or_default())?;
    Ok(Some(bytes).filter(|bytes| is_png(bytes)))
}

/// Whether a picture is one at all.
pub(crate) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
}

/// Where a part of a package begins and ends.
fn part<R: Read + Seek>(file: &mut Windows<R>, number: usize) -> ReadResult<(u32, u32)> {
    let bytes = file.read(0, 40)?;
    let at = |number: usize| le32(&bytes, 8 + 4 * number);
    match at(number).zip(at(number + 1)) {
        Some(places) if bytes.starts_with(b"\0PBP") => Ok(places),
        _ => Err(damaged("is no package of the PlayStation Portable")),
    }
}

/// Adds what settings say.
pub(crate) fn describe(bytes: &[u8], header: &mut Header) {
    let text = |name: &str| setting(bytes, name).and_then(|value| text::tidy(&value));
    header.title = text("TITLE");
    let id = text("DISC_ID");
    header.serial = id.as_deref().and_then(sony_serial).or(id);
    header.regions = region_of_serial(header.serial.as_deref());
    header.version = text("DISC_VERSION").filter(|version| version != "1.00");
    // `ME`: an emulator, and the disc of a PlayStation behind it.
    if text("CATEGORY").as_deref() == Some("ME") {
        header.platform = Some("psx");
    }
}

/// The text of a setting.
fn setting(bytes: &[u8], name: &str) -> Option<String> {
    if !bytes.starts_with(b"\0PSF") {
        return None;
    }
    let place = |at: usize| usize::try_from(le32(bytes, at)?).ok();
    let (names, values) = (place(8)?, place(12)?);
    let count = place(16)?.min(MOST);
    for number in 0..count {
        let entry = 20 + 16 * number;
        let own = names.checked_add(le16(bytes, entry)?.into())?;
        let own = bytes.get(own..)?.split(|byte| *byte == 0).next()?;
        if own != name.as_bytes() {
            continue;
        }
        let length = place(entry + 4)?;
        let at = values.checked_add(place(entry + 12)?)?;
        let value = bytes.get(at..at.checked_add(length)?)?;
        let value = value.split(|byte| *byte == 0).next()?;
        return Some(String::from_utf8_lossy(value).into_owned());
    }
    None
}
