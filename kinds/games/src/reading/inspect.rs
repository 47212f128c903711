//! Facts of a game's file: its header, and the platform if the extension is shared.

#[cfg(test)]
mod tests;

use std::io::{self, Read, Seek};
use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::registry::MetadataSidecars;
use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::{Candidate, Inspection, ReadTools};
use ledge_formats::{ReadResult, Source};

use crate::formats::platforms::{self, Platform};
use crate::naming::disc::DiscName;
use crate::naming::release::Release;
use crate::reading::archive;
use crate::reading::header::{self, Header, READ_LIMITS};
use crate::reading::sectors::Image;

/// Sidecar files that are read together with a game: the image of a sheet.
pub const METADATA_SIDECARS: MetadataSidecars = MetadataSidecars {
    of_file: &["img"],
    ..MetadataSidecars::NONE
};

/// Reads the facts of the header, and those of the platform if the content identifies it.
pub fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let name = FileName::new(&file_name(path));
    let hint = platforms::above(path);
    let header = match name.extension.as_str() {
        // The image with the sheet's name is not a separate game.
        "cue" => image_header(&path.with_extension("img"), tools)?,
        extension if !has_header(extension) => return Ok(Inspection::default()),
        extension => read(extension, hint, tools.open(path)?)?,
    };
    let named = Release::parse(&DiscName::parse(&name.stem).base);
    let has_code_name = is_code(&name.stem, header.serial.as_deref());
    let title = header.title.clone().filter(|_| has_code_name);
    Ok(Inspection {
        title,
        ..header.into_inspection(&named)
    })
}

/// Reads the header of a sheet's disc image, without following symbolic links.
fn image_header(path: &Path, tools: &ReadTools<'_>) -> ReadResult<Header> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => read("iso", None, tools.open(path)?),
        _ => Ok(Header::default()),
    }
}

/// Returns the icon of a PlayStation Portable game. The bytes are those of the file.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    let name = FileName::new(&file_name(path));
    match name.extension.as_str() {
        extension @ ("pbp" | "iso") => picture(extension, tools.open(path)?),
        _ => Ok(None),
    }
}

/// Returns the icon of a file with this extension.
pub fn picture<R: Read + Seek>(extension: &str, file: R) -> ReadResult<Option<Vec<u8>>> {
    let mut file = Source::new(file, READ_LIMITS)?;
    match extension {
        "pbp" => header::sfo::icon(&mut file),
        _ => header::optical::icon(&mut Image::open(&mut file)?),
    }
}

/// Returns false for playlists, GDI sheets and packed tracks, which have no header. The files they
/// list are inspected separately.
fn has_header(extension: &str) -> bool {
    !matches!(extension, "gdi" | "m3u" | "ecm")
}

/// Returns true if a name is only a code that the header explains: `EBOOT`, `SLUS-00594`.
fn is_code(stem: &str, serial: Option<&str>) -> bool {
    let letters = |text: &str| -> String {
        let plain = text.chars().filter(char::is_ascii_alphanumeric);
        plain.map(|c| c.to_ascii_uppercase()).collect()
    };
    stem.eq_ignore_ascii_case("eboot") || serial.is_some_and(|code| letters(code) == letters(stem))
}

/// Reads the header of a file with this extension. `hint` is the platform of its folder.
pub fn read<R: Read + Seek>(
    extension: &str,
    hint: Option<&'static Platform>,
    file: R,
) -> ReadResult<Header> {
    match extension {
        "zip" | "7z" => {
            let rom = if extension == "zip" {
                archive::rom(file)?
            } else {
                archive::sevenz::rom(file)?
            };
            Ok(rom.map_or_else(Header::default, |(platform, mut inside)| {
                packed_header(platform, &mut inside)
            }))
        }
        "pbp" => header::sfo::package(&mut Source::new(file, READ_LIMITS)?),
        "chd" => header::chd::read(&mut Source::new(file, READ_LIMITS)?, hint),
        "iso" => header::optical::read(&mut Image::open(&mut Source::new(file, READ_LIMITS)?)?),
        "bin" => read_bin(&mut Source::new(file, READ_LIMITS)?, hint),
        extension => {
            let Some(platform) = platforms::by_extension(extension) else {
                return Ok(Header::default());
            };
            Ok(Header {
                // The extension already determines the platform.
                platform: None,
                ..header::cartridge(platform.id, &mut Source::new(file, READ_LIMITS)?)?
            })
        }
    }
}

/// Reads the header of a packed ROM. Its platform is known even without a readable header.
fn packed_header<R: Read + Seek>(platform: &'static Platform, inside: &mut Source<R>) -> Header {
    Header {
        platform: Some(platform.id),
        ..header::cartridge(platform.id, inside).unwrap_or_default()
    }
}

/// Reads a `.bin` file: a disc's track, a Mega Drive cartridge, or a cartridge of the folder's
/// platform.
fn read_bin<R: Read + Seek>(
    file: &mut Source<R>,
    hint: Option<&'static Platform>,
) -> ReadResult<Header> {
    let disc = header::optical::read(&mut Image::open(file)?)?;
    if disc.platform.is_some() {
        return Ok(disc);
    }
    let header = header::megadrive::read(file)?;
    match hint {
        Some(platform) if header.platform.is_none() => header::cartridge(platform.id, file),
        _ => Ok(header),
    }
}

/// Returns the platform that the content of a `.bin`, `.iso` or `.md` file identifies, or `None` if
/// it is unknown or damaged. Only I/O errors are returned.
pub(crate) fn detected_platform(
    candidate: &Candidate<'_>,
) -> io::Result<Option<&'static Platform>> {
    let file = candidate.open(candidate.path)?;
    match Source::new(file, READ_LIMITS).and_then(|mut file| read_bin(&mut file, None)) {
        Ok(header) => Ok(header.platform.and_then(platforms::by_id)),
        Err(ReadError::Io(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the platform by name alone: that of the extension, otherwise of the folder, otherwise
/// PlayStation for disc extensions.
pub fn platform_of(extension: &str, hint: Option<&'static Platform>) -> Option<&'static Platform> {
    platforms::by_extension(extension)
        .or(hint)
        .or_else(|| platforms::by_id("psx").filter(|psx| psx.extensions.contains(&extension)))
}
/// Returns the plain file names in a disc's sheet. Paths to other folders are left out.
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

/// Parses a line such as `FILE "Game (Track 1).bin" BINARY`.
fn cue_file(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("FILE ")
        .or_else(|| line.strip_prefix("file "))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.rsplit_once(' ').map(|(name, _)| name),
    }
}

/// Parses a line such as `3 45000 4 2352 track03.bin 0`: number, position, type, sector size, file.
fn gdi_file(line: &str) -> Option<&str> {
    if let Some((_, quoted)) = line.split_once('"') {
        return quoted.split('"').next();
    }
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.get(..4)?.iter().all(is_number);
    words.get(4).copied().filter(|_| numbers)
}

/// Returns the last part of a path. Bytes that are not UTF-8 are replaced.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
