//! Whether a file is a game at all: extensions that other trades use as well are looked into.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::{Candidate, Verdict};

use crate::archive::{Holding, seven};
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
const LISTED: &[&str] = &["cue", "gdi", "chd", "pbp", "ccd", "iso", "bin", "img"];
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
/// What lists the tracks of a disc.
const SHEETS: &[&str] = &["cue", "gdi"];
/// Sheets that are read to find the one a track belongs to.
const MAX_SHEETS: usize = 64;
/// How much of a file that may be Markdown is read, in bytes: that of a game has zeros there.
const MARKDOWN: u64 = 512;
/// How much of a sheet is read, in bytes.
const LONGEST_SHEET: u64 = 64 << 10;

/// The veto of the games kind. What the system refuses to let be read cannot be judged.
pub fn accepts(candidate: &Candidate<'_>) -> Verdict {
    match judged(candidate) {
        Ok(verdict) => verdict,
        Err(error) if is_refusal(&error) => Verdict::Unclear(error.to_string()),
        Err(_) => Verdict::Left,
    }
}

/// Whether the system refuses the file, which is there.
fn is_refusal(error: &io::Error) -> bool {
    error.raw_os_error().is_some() && error.kind() != io::ErrorKind::NotFound
}

fn judged(candidate: &Candidate<'_>) -> io::Result<Verdict> {
    let name = inspect::file_name(candidate.path);
    if is_bios(&name) {
        return Ok(Verdict::Left);
    }
    let is_taken = match candidate.extension {
        "md" => accepts_md(candidate)?,
        "bin" => accepts_bin(candidate, &name)?,
        "cue" => !has(candidate, AUDIO) || has(candidate, DISC_IMAGES),
        "m3u" => accepts_playlist(candidate)?,
        "iso" => accepts_iso(candidate)?,
        "zip" => return accepts_zip(candidate),
        "7z" => accepts_sealed(candidate),
        _ => true,
    };
    Ok(is_taken.into())
}

/// A cartridge with a header, or no text in its platform's folder: elsewhere it is Markdown.
fn accepts_md(candidate: &Candidate<'_>) -> io::Result<bool> {
    if inspect::confirmed(candidate)?.is_some() {
        return Ok(true);
    }
    let platform = platforms::above(candidate.path);
    let is_among_games = platform.is_some_and(|platform| platform.id == "megadrive");
    Ok(is_among_games && {
        let start = candidate.beginning(MARKDOWN)?;
        start.is_empty() || !is_text(&start)
    })
}

fn is_text(start: &[u8]) -> bool {
    let is_utf_16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let is_of_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t'..=b'\r' | 0x1b);
    is_utf_16 || start.iter().all(is_of_text)
}

/// One of discs, whether they lie beside it or elsewhere.
fn accepts_playlist(candidate: &Candidate<'_>) -> io::Result<bool> {
    if has(candidate, AUDIO) || has(candidate, LISTED) {
        return Ok(!has(candidate, AUDIO));
    }
    let text = candidate.beginning(LONGEST_SHEET)?;
    let text = String::from_utf8_lossy(&text);
    let listed: HashSet<String> = text
        .lines()
        .map(|line| FileName::new(line.trim()).extension)
        .collect();
    let lists = |extensions: &[&str]| extensions.iter().any(|one| listed.contains(*one));
    Ok(lists(LISTED) && !lists(AUDIO))
}

/// Firmware is no game: `[BIOS] PlayStation (USA)`.
fn is_bios(name: &str) -> bool {
    name.get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("[bios]"))
}

/// A track of a cue sheet beside it, a cartridge with a header, or one in its platform's folder.
fn accepts_bin(candidate: &Candidate<'_>, name: &str) -> io::Result<bool> {
    let plain = |platform: &Platform| PLAIN_BINS.contains(&platform.id);
    Ok(belongs_to_sheet(candidate, name)
        || platforms::above(candidate.path).is_some_and(plain)
        || inspect::confirmed(candidate)?.is_some())
}

fn belongs_to_sheet(candidate: &Candidate<'_>, name: &str) -> bool {
    let sheets = candidate.notes.get_or_make(|| Sheets::of(candidate));
    sheets.bases.contains(&base(name)) || sheets.tracks(candidate).contains(&name.to_lowercase())
}

/// The extensions in a folder.
struct Extensions(HashSet<String>);

/// The cue sheets of a folder, and those of GD-ROMs.
struct Sheets {
    /// Names of the first ones.
    first: Vec<FileName>,
    /// What the games of all of them are called.
    bases: HashSet<String>,
    /// The names in the first ones, in lower case, once somebody asks.
    tracks: OnceCell<HashSet<String>>,
}

impl Sheets {
    fn of(candidate: &Candidate<'_>) -> Self {
        let names = candidate.names.iter().map(|name| FileName::new(name));
        let sheets: Vec<FileName> = names
            .filter(|name| SHEETS.contains(&name.extension.as_str()))
            .collect();
        let cues = sheets.iter().filter(|sheet| sheet.extension == "cue");
        Self {
            bases: cues.map(|sheet| base(&sheet.name)).collect(),
            first: sheets.into_iter().take(MAX_SHEETS).collect(),
            tracks: OnceCell::new(),
        }
    }

    fn tracks(&self, candidate: &Candidate<'_>) -> &HashSet<String> {
        self.tracks.get_or_init(|| {
            let Some(folder) = candidate.path.parent() else {
                return HashSet::new();
            };
            let listed = |sheet: &FileName| {
                // What cannot be read names nothing.
                let text = beginning(candidate, &folder.join(&sheet.name)).unwrap_or_default();
                inspect::sheet_files(&sheet.extension, &String::from_utf8_lossy(&text))
            };
            let names = self.first.iter().flat_map(listed);
            names.map(|name| name.to_lowercase()).collect()
        })
    }
}

/// The beginning of a sheet in the folder; links are not followed.
fn beginning(candidate: &Candidate<'_>, sheet: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(sheet)?.is_file() {
        return Ok(Vec::new());
    }
    let mut text = Vec::new();
    let file = candidate.open(sheet)?;
    file.take(LONGEST_SHEET).read_to_end(&mut text)?;
    Ok(text)
}

fn base(name: &str) -> String {
    DiscName::of(&FileName::new(name).stem).base
}

/// A disc that says which console it is for, or lies in a platform's folder: films and operating
/// systems come as `.iso` as well.
fn accepts_iso(candidate: &Candidate<'_>) -> io::Result<bool> {
    let iso = |platform: &Platform| platform.extensions.contains(&"iso");
    let is_among_games = platforms::above(candidate.path).is_some_and(iso);
    Ok(is_among_games || inspect::confirmed(candidate)?.is_some())
}

/// ROMs inside, of one platform.
fn accepts_zip(candidate: &Candidate<'_>) -> io::Result<Verdict> {
    let mut file = candidate.open(candidate.path)?;
    Ok(match archive::holding(&mut file)? {
        Holding::Rom => Verdict::Taken,
        Holding::Nothing(why) => Verdict::Refused(why.to_owned()),
        Holding::Else => Verdict::Left,
    })
}

/// ROMs inside, or a platform's folder above; where its directory cannot be read, its company
/// tells as well.
fn accepts_sealed(candidate: &Candidate<'_>) -> bool {
    let is_hinted = || platforms::above(candidate.path).is_some();
    let rom = |extension: &String| platforms::by_extension(extension).is_some();
    match candidate.open(candidate.path).map(seven::platform) {
        Ok(Ok(platform)) => platform.is_some() || is_hinted(),
        _ => is_hinted() || candidate.siblings.iter().any(rom),
    }
}

fn has(candidate: &Candidate<'_>, extensions: &[&str]) -> bool {
    let all = candidate
        .notes
        .get_or_make(|| Extensions(candidate.siblings.iter().cloned().collect()));
    extensions
        .iter()
        .any(|extension| all.0.contains(*extension))
}
