//! Whether a file is a game at all: extensions that other trades use as well are looked into.

use std::collections::HashSet;
use std::path::Path;

use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::Candidate;

use crate::disc::DiscName;
use crate::platforms::{self, Platform};
use crate::{archive, inspect};

/// Audio beside a cue sheet or a playlist makes it one of music. Kinds do not know each other;
/// this is what audio files are called everywhere.
const AUDIO: &[&str] = &[
    "flac", "mp3", "ape", "wv", "m4a", "m4b", "ogg", "opus", "wav", "tak", "tta", "aac", "wma",
    "aiff", "dsf",
];
const DISC_IMAGES: &[&str] = &["bin", "img", "iso", "ecm", "chd"];
/// What a playlist of discs lists.
const LISTED: &[&str] = &["cue", "chd", "pbp", "ccd", "iso", "bin", "img"];
/// Platforms whose plain cartridge images have no header and are called `.bin`.
const PLAIN_BINS: &[&str] = &[
    "atari2600",
    "atari5200",
    "atari7800",
    "colecovision",
    "intellivision",
    "jaguar",
    "megadrive",
    "sega32x",
    "sg1000",
];
/// Folders above a file that may name its platform.
const DEPTH: usize = 3;
/// Cue sheets that are read to find the one a track belongs to.
const MAX_SHEETS: usize = 64;

/// The veto of the games kind. What cannot be read is none of its files.
pub fn accepts(candidate: &Candidate<'_>) -> bool {
    let name = file_name(candidate.path);
    if is_bios(&name) {
        return false;
    }
    match candidate.extension {
        "md" => inspect::head(candidate.path).is_ok_and(|head| inspect::is_mega_drive(&head)),
        "bin" => accepts_bin(candidate, &name),
        "cue" => !has(candidate, AUDIO) || has(candidate, DISC_IMAGES),
        "m3u" => has(candidate, LISTED) && !has(candidate, AUDIO),
        "iso" => accepts_iso(candidate),
        "zip" => archive::platform(candidate.path).is_ok_and(|platform| platform.is_some()),
        "7z" => accepts_sealed(candidate),
        _ => true,
    }
}

/// Firmware is no game: `[BIOS] PlayStation (USA)`.
fn is_bios(name: &str) -> bool {
    name.get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("[bios]"))
}

/// A track of a cue sheet beside it, a cartridge with a header, or one in its platform's folder.
fn accepts_bin(candidate: &Candidate<'_>, name: &str) -> bool {
    belongs_to_sheet(candidate, name)
        || inspect::head(candidate.path)
            .is_ok_and(|head| inspect::is_mega_drive(&head) || inspect::by_disc(&head).is_some())
        || hint(candidate.path).is_some_and(|platform| PLAIN_BINS.contains(&platform.id))
}

fn belongs_to_sheet(candidate: &Candidate<'_>, name: &str) -> bool {
    let sheets = candidate.notes.get_or_make(|| Sheets::of(candidate));
    if sheets.bases.contains(&base(name)) {
        return true;
    }
    let Some(folder) = candidate.path.parent() else {
        return false;
    };
    sheets.first.iter().any(|sheet| {
        inspect::head(&folder.join(sheet)).is_ok_and(|sheet| {
            inspect::cue_files(&String::from_utf8_lossy(&sheet))
                .any(|track| track.eq_ignore_ascii_case(name))
        })
    })
}

/// The extensions in a folder.
struct Extensions(HashSet<String>);

/// The cue sheets of a folder.
struct Sheets {
    /// Names of the first ones.
    first: Vec<String>,
    /// What the games of all of them are called.
    bases: HashSet<String>,
}

impl Sheets {
    fn of(candidate: &Candidate<'_>) -> Self {
        let names = candidate.names.iter();
        let sheets = || {
            names
                .clone()
                .filter(|name| FileName::new(name).extension == "cue")
        };
        Self {
            first: sheets().take(MAX_SHEETS).cloned().collect(),
            bases: sheets().map(|sheet| base(sheet)).collect(),
        }
    }
}

fn base(name: &str) -> String {
    DiscName::of(&FileName::new(name).stem).base
}

/// A disc that says which console it is for, or lies in a platform's folder: films and operating
/// systems come as `.iso` as well.
fn accepts_iso(candidate: &Candidate<'_>) -> bool {
    let iso = |platform: &Platform| platform.extensions.contains(&"iso");
    hint(candidate.path).is_some_and(iso)
        || inspect::head(candidate.path).is_ok_and(|head| inspect::by_disc(&head).is_some())
}

/// The directory of a 7z archive is itself packed; its surroundings must tell.
fn accepts_sealed(candidate: &Candidate<'_>) -> bool {
    let rom = |extension: &String| platforms::by_extension(extension).is_some();
    hint(candidate.path).is_some() || candidate.siblings.iter().any(rom)
}

fn has(candidate: &Candidate<'_>, extensions: &[&str]) -> bool {
    let all = candidate
        .notes
        .get_or_make(|| Extensions(candidate.siblings.iter().cloned().collect()));
    extensions
        .iter()
        .any(|extension| all.0.contains(*extension))
}

fn hint(path: &Path) -> Option<&'static Platform> {
    let folders = path.ancestors().skip(1).take(DEPTH);
    folders
        .filter_map(Path::file_name)
        .find_map(|name| platforms::by_folder(&name.to_string_lossy()))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
