//! What a game's file says: its header, and the platform where the extension is shared.

#[cfg(test)]
mod tests;

use std::io::{self, Read, Seek};
use std::path::Path;

use ledge_core::registry::Notes;
use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::{Candidate, Inspection, ReadError, ReadTools};

use crate::archive;
use crate::disc::DiscName;
use crate::header::{self, Header};
use crate::platforms::{self, Platform};
use crate::release::Release;
use crate::sectors::Image;
use crate::windows::{ReadResult, Windows};

/// What lies beside a game and is read with it: the image behind a sheet.
pub const NOTES: Notes = Notes {
    of_file: &["img"],
    ..Notes::NONE
};

/// The facts of the header, and those of the platform where the content says more than the name.
pub fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let name = FileName::new(&file_name(path));
    let hint = platforms::above(path);
    let header = match name.extension.as_str() {
        // The image of this very name, which is no game of its own.
        "cue" => of_image(&path.with_extension("img"), tools)?,
        extension if !has_header(extension) => return Ok(Inspection::default()),
        extension => read(extension, hint, tools.open(path)?)?,
    };
    let named = Release::of(&DiscName::of(&name.stem).base);
    let is_code = is_no_title(&name.stem, header.serial.as_deref());
    let title = header.title.clone().filter(|_| is_code);
    Ok(Inspection {
        title,
        ..header.into_inspection(&named)
    })
}

/// The header of a disc image beside its sheet; links are not followed.
fn of_image(path: &Path, tools: &ReadTools<'_>) -> ReadResult<Header> {
    match std::fs::symlink_metadata(path) {
        Ok(look) if look.is_file() => read("iso", None, tools.open(path)?),
        _ => Ok(Header::default()),
    }
}

/// The picture in a game's file, as it lies there: the icon of a game for the PlayStation Portable.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    let name = FileName::new(&file_name(path));
    match name.extension.as_str() {
        extension @ ("pbp" | "iso") => picture(extension, tools.open(path)?),
        _ => Ok(None),
    }
}

/// The picture in a file with this extension.
pub fn picture<R: Read + Seek>(extension: &str, file: R) -> ReadResult<Option<Vec<u8>>> {
    let mut file = Windows::of(file)?;
    match extension {
        "pbp" => header::sfo::icon(&mut file),
        _ => header::optical::icon(&mut Image::of(&mut file)?),
    }
}

/// Playlists, sheets and packed tracks say nothing of their own: what they name is inspected where
/// it lies.
fn has_header(extension: &str) -> bool {
    !matches!(extension, "gdi" | "m3u" | "ecm")
}

/// Whether a name is but a code that the header explains: `EBOOT`, `SLUS-00594`.
fn is_no_title(stem: &str, serial: Option<&str>) -> bool {
    let letters = |text: &str| -> String {
        let plain = text.chars().filter(char::is_ascii_alphanumeric);
        plain.map(|c| c.to_ascii_uppercase()).collect()
    };
    stem.eq_ignore_ascii_case("eboot") || serial.is_some_and(|code| letters(code) == letters(stem))
}

/// The header of a file with this extension, in a folder of that platform.
pub fn read<R: Read + Seek>(
    extension: &str,
    hint: Option<&'static Platform>,
    mut file: R,
) -> ReadResult<Header> {
    match extension {
        "zip" => {
            let Some(rom) = archive::rom(&mut file)? else {
                return Ok(Header::default());
            };
            let mut inside = rom.windows(&mut file)?;
            Ok(of_packed(rom.platform, &mut inside))
        }
        "7z" => {
            let rom = archive::seven::rom(file)?;
            Ok(rom.map_or_else(Header::default, |(platform, mut inside)| {
                of_packed(platform, &mut inside)
            }))
        }
        "pbp" => header::sfo::package(&mut Windows::of(file)?),
        "chd" => header::chd::read(&mut Windows::of(file)?, hint),
        "iso" => header::optical::read(&mut Image::of(&mut Windows::of(file)?)?),
        "bin" => plain(&mut Windows::of(file)?, hint),
        extension => {
            let Some(platform) = platforms::by_extension(extension) else {
                return Ok(Header::default());
            };
            Ok(Header {
                // The extension has said it.
                platform: None,
                ..header::cartridge(platform.id, &mut Windows::of(file)?)?
            })
        }
    }
}

/// What the beginning of a packed ROM says. Without its header it is one all the same, and its
/// platform is known.
fn of_packed<R: Read + Seek>(platform: &'static Platform, inside: &mut Windows<R>) -> Header {
    Header {
        platform: Some(platform.id),
        ..header::cartridge(platform.id, inside).unwrap_or_default()
    }
}

/// What is called `.bin`: a disc's track, a cartridge of the Mega Drive, or one of its folder's
/// platform.
fn plain<R: Read + Seek>(
    file: &mut Windows<R>,
    hint: Option<&'static Platform>,
) -> ReadResult<Header> {
    let disc = header::optical::read(&mut Image::of(file)?)?;
    if disc.platform.is_some() {
        return Ok(disc);
    }
    let header = header::megadrive::read(file)?;
    match hint {
        Some(platform) if header.platform.is_none() => header::cartridge(platform.id, file),
        _ => Ok(header),
    }
}

/// The platform that the content of a `.bin`, `.iso` or `.md` file itself tells; `None` also where
/// it is damaged. The error is the system's.
pub(crate) fn confirmed(candidate: &Candidate<'_>) -> io::Result<Option<&'static Platform>> {
    let file = candidate.open(candidate.path)?;
    match Windows::of(file).and_then(|mut file| plain(&mut file, None)) {
        Ok(header) => Ok(header.platform.and_then(platforms::by_id)),
        Err(ReadError::Io(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// The platform by name alone: the extension's own, else the folder's, else the usual one.
pub fn platform_of(extension: &str, hint: Option<&'static Platform>) -> Option<&'static Platform> {
    platforms::by_extension(extension)
        .or(hint)
        .or_else(|| platforms::by_id("psx").filter(|psx| psx.extensions.contains(&extension)))
}
/// The plain file names in the sheet of a disc; a path that leads elsewhere is left out.
pub(crate) fn sheet_files(extension: &str, sheet: &str) -> Vec<String> {
    let files = sheet.lines().filter_map(|line| match extension {
        "gdi" => gdi_file(line.trim()),
        _ => cue_file(line.trim()),
    });
    files
        .map(str::trim)
        .filter(|name| !name.is_empty() && !name.contains(['/', '\\']) && *name != "..")
        .map(str::to_owned)
        .collect()
}

/// `FILE "Game (Track 1).bin" BINARY`.
fn cue_file(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("FILE ")
        .or_else(|| line.strip_prefix("file "))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.rsplit_once(' ').map(|(name, _)| name),
    }
}

/// `3 45000 4 2352 track03.bin 0`: number, place, type and sector, then the file.
fn gdi_file(line: &str) -> Option<&str> {
    if let Some((_, quoted)) = line.split_once('"') {
        return quoted.split('"').next();
    }
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.get(..4)?.iter().all(is_number);
    words.get(4).copied().filter(|_| numbers)
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
