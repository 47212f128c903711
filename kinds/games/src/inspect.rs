//! The platform of a file whose extension several platforms share, from what lies in it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ledge_core::registry::reading::{Inspection, ReadError, ReadTools};

use crate::archive;
use crate::platforms::{self, Platform};

/// How much of a disc or ROM is looked at: the system area and the volume descriptor behind it.
const HEAD: u64 = 64 * 1024;

/// The marks discs bear in their first sectors.
const DISC_MARKS: &[(&[u8], &str)] = &[
    (b"SEGADISCSYSTEM", "segacd"),
    (b"SEGABOOTDISC", "segacd"),
    (b"SEGA SEGASATURN", "saturn"),
    (b"SEGA SEGAKATANA", "dreamcast"),
    (b"PC Engine CD-ROM SYSTEM", "pcenginecd"),
];

/// The platform's facts, where the content says more than the name; else nothing.
pub fn inspect(path: &Path, _tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let facts = platform(path)?.map(Platform::facts).into_iter().flatten();
    Ok(Inspection {
        facts: facts.collect(),
        ..Inspection::default()
    })
}

/// The platform by name alone: the extension's own, else the folder's, else the usual one.
pub fn platform_of(extension: &str, hint: Option<&'static Platform>) -> Option<&'static Platform> {
    platforms::by_extension(extension)
        .or(hint)
        .or_else(|| platforms::by_id("psx").filter(|psx| psx.extensions.contains(&extension)))
}

fn platform(path: &Path) -> Result<Option<&'static Platform>, ReadError> {
    let found = match extension(path).as_str() {
        "zip" => archive::platform(path)?,
        "bin" => by_head(&head(path)?),
        "iso" => by_disc(&head(path)?),
        "cue" => match first_track(path)? {
            // A sheet without its track is catalogued as the name says.
            Some(track) => head(&track).map_or(None, |head| by_disc(&head)),
            None => None,
        },
        _ => None,
    };
    Ok(found)
}

/// A cartridge or a disc track.
fn by_head(head: &[u8]) -> Option<&'static Platform> {
    if is_mega_drive(head) {
        return platforms::by_id("megadrive");
    }
    by_disc(head)
}

/// The platform of a disc image, raw or with 2048 bytes a sector.
pub(crate) fn by_disc(head: &[u8]) -> Option<&'static Platform> {
    for (mark, id) in DISC_MARKS {
        if head.windows(mark.len()).any(|window| window == *mark) {
            return platforms::by_id(id);
        }
    }
    // The volume descriptor's system identifier, in sector 16 (ECMA-119 8.4.5).
    let sectors = [16 * 2048, 16 * 2352 + 16, 16 * 2352 + 24];
    let playstation = sectors.iter().any(|sector| {
        head.get(sector + 8..)
            .is_some_and(|id| id.starts_with(b"PLAYSTATION"))
    });
    playstation.then(|| platforms::by_id("psx")).flatten()
}

/// The console's name in a Mega Drive cartridge's header, which some games begin one byte late.
pub(crate) fn is_mega_drive(head: &[u8]) -> bool {
    [0x100, 0x101].iter().any(|at| {
        head.get(*at..)
            .is_some_and(|header| header.starts_with(b"SEGA"))
    })
}

/// The first bytes of a file.
pub(crate) fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// The file of a cue sheet's first track, in the sheet's own folder.
fn first_track(cue: &Path) -> io::Result<Option<PathBuf>> {
    let sheet = head(cue)?;
    let sheet = String::from_utf8_lossy(&sheet);
    let named = cue_files(&sheet).next();
    Ok(named
        .zip(cue.parent())
        .map(|(name, folder)| folder.join(name)))
}

/// The plain file names in a cue sheet; a path that leads elsewhere is left out.
pub(crate) fn cue_files(sheet: &str) -> impl Iterator<Item = &str> {
    sheet.lines().filter_map(|line| {
        let line = line.trim();
        let rest = line
            .strip_prefix("FILE ")
            .or_else(|| line.strip_prefix("file "))?;
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.rsplit_once(' ').map(|(name, _)| name),
        };
        name.map(str::trim)
            .filter(|name| !name.is_empty() && !name.contains(['/', '\\']) && *name != "..")
    })
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}
