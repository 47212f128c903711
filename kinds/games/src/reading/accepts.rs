//! Veto against files that are not games: shared file extensions require a look at the content.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::{Candidate, Verdict};

use crate::formats::platforms::{self, Platform};
use crate::naming::disc::DiscName;
use crate::reading::archive::{ArchiveContent, sevenz};
use crate::reading::{archive, inspect};

/// Audio in the folder of a cue sheet or a playlist makes the sheet one of music. Kinds do not know
/// each other, so this list repeats the common audio extensions.
const AUDIO: &[&str] = &[
    "flac", "mp3", "ape", "wv", "m4a", "m4b", "ogg", "opus", "wav", "tak", "tta", "aac", "wma",
    "aiff", "dsf",
];
const DISC_IMAGES: &[&str] = &["bin", "img", "iso", "ecm", "chd"];
/// Extensions of files that a playlist of discs lists.
const DISC_FILES: &[&str] = &["cue", "gdi", "chd", "pbp", "ccd", "iso", "bin", "img"];
/// Platforms whose cartridge images may be called `.bin` and have no header.
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
/// Extensions of sheets that list the tracks of a disc.
const SHEETS: &[&str] = &["cue", "gdi"];
/// Most sheets of a folder that are read to find the one that lists a track.
const MAX_SHEETS: usize = 64;
/// Bytes that are read of a file that may be Markdown. A cartridge image has control bytes there.
const MARKDOWN_HEAD_BYTES: u64 = 512;
/// Bytes that are read of a sheet.
const MAX_SHEET_BYTES: u64 = 64 << 10;

/// Decides whether a file is a game. The verdict is unclear if the system refuses to read the file.
pub fn accepts(candidate: &Candidate<'_>) -> Verdict {
    match decide(candidate) {
        Ok(verdict) => verdict,
        Err(error) if is_refusal(&error) => Verdict::RetryLater(error.to_string()),
        Err(_) => Verdict::Ignore,
    }
}

/// Returns true if the system refuses to read an existing file.
fn is_refusal(error: &io::Error) -> bool {
    error.raw_os_error().is_some() && error.kind() != io::ErrorKind::NotFound
}

fn decide(candidate: &Candidate<'_>) -> io::Result<Verdict> {
    let name = inspect::file_name(candidate.path);
    if is_bios(&name) {
        return Ok(Verdict::Ignore);
    }
    let is_taken = match candidate.extension {
        "md" => accepts_md(candidate)?,
        "bin" => accepts_bin(candidate, &name)?,
        "cue" => !has(candidate, AUDIO) || has(candidate, DISC_IMAGES),
        "m3u" => accepts_playlist(candidate)?,
        "iso" => accepts_iso(candidate)?,
        "zip" => return accepts_zip(candidate),
        "7z" => accepts_7z(candidate),
        _ => true,
    };
    Ok(is_taken.into())
}

/// Accepts a cartridge with a header. Without one, accepts content that is not text in a folder of
/// the platform; other files are Markdown.
fn accepts_md(candidate: &Candidate<'_>) -> io::Result<bool> {
    if inspect::detected_platform(candidate)?.is_some() {
        return Ok(true);
    }
    let platform = platforms::above(candidate.path);
    let is_in_platform_folder = platform.is_some_and(|platform| platform.id == "megadrive");
    Ok(is_in_platform_folder && {
        let start = candidate.beginning(MARKDOWN_HEAD_BYTES)?;
        start.is_empty() || !is_text(&start)
    })
}

fn is_text(start: &[u8]) -> bool {
    let is_utf_16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let is_of_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t'..=b'\r' | 0x1b);
    is_utf_16 || start.iter().all(is_of_text)
}

/// Accepts a playlist of discs, wherever these are stored.
fn accepts_playlist(candidate: &Candidate<'_>) -> io::Result<bool> {
    if has(candidate, AUDIO) || has(candidate, DISC_FILES) {
        return Ok(!has(candidate, AUDIO));
    }
    let text = candidate.beginning(MAX_SHEET_BYTES)?;
    let text = String::from_utf8_lossy(&text);
    let listed: HashSet<String> = text
        .lines()
        .map(|line| FileName::new(line.trim()).extension)
        .collect();
    let lists = |extensions: &[&str]| extensions.iter().any(|one| listed.contains(*one));
    Ok(lists(DISC_FILES) && !lists(AUDIO))
}

/// Returns true for names of firmware, such as `[BIOS] PlayStation (USA)`.
fn is_bios(name: &str) -> bool {
    name.get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("[bios]"))
}

/// Accepts a track of a sheet in the folder and a cartridge with a header. In the folder of a
/// platform that uses plain images, accepts any file.
fn accepts_bin(candidate: &Candidate<'_>, name: &str) -> io::Result<bool> {
    let plain = |platform: &Platform| PLAIN_BINS.contains(&platform.id);
    Ok(belongs_to_sheet(candidate, name)
        || platforms::above(candidate.path).is_some_and(plain)
        || inspect::detected_platform(candidate)?.is_some())
}

fn belongs_to_sheet(candidate: &Candidate<'_>, name: &str) -> bool {
    let sheets = candidate
        .notes
        .get_or_make(|| Sheets::from_folder(candidate));
    sheets.bases.contains(&base(name)) || sheets.tracks(candidate).contains(&name.to_lowercase())
}

/// Cached set of the extensions in a folder.
struct Extensions(HashSet<String>);

/// Cached cue and GDI sheets of a folder.
struct Sheets {
    /// Names of the sheets that may be read, at most [`MAX_SHEETS`].
    first: Vec<FileName>,
    /// Base names of the games of all cue sheets.
    bases: HashSet<String>,
    /// Lower-case file names in the sheets, read on first use.
    tracks: OnceCell<HashSet<String>>,
}

impl Sheets {
    fn from_folder(candidate: &Candidate<'_>) -> Self {
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
                // A sheet that cannot be read lists nothing.
                let text = read_sheet(candidate, &folder.join(&sheet.name)).unwrap_or_default();
                inspect::sheet_files(&sheet.extension, &String::from_utf8_lossy(&text))
            };
            let names = self.first.iter().flat_map(listed);
            names.map(|name| name.to_lowercase()).collect()
        })
    }
}

/// Reads the start of a sheet in the folder, without following symbolic links.
fn read_sheet(candidate: &Candidate<'_>, sheet: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(sheet)?.is_file() {
        return Ok(Vec::new());
    }
    let mut text = Vec::new();
    let file = candidate.open(sheet)?;
    file.take(MAX_SHEET_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

fn base(name: &str) -> String {
    DiscName::parse(&FileName::new(name).stem).base
}

/// Accepts a disc of a known console, or one in a platform's folder. Films and operating systems
/// use `.iso` as well.
fn accepts_iso(candidate: &Candidate<'_>) -> io::Result<bool> {
    let iso = |platform: &Platform| platform.extensions.contains(&"iso");
    let is_in_platform_folder = platforms::above(candidate.path).is_some_and(iso);
    Ok(is_in_platform_folder || inspect::detected_platform(candidate)?.is_some())
}

/// Accepts an archive with ROMs of one platform.
fn accepts_zip(candidate: &Candidate<'_>) -> io::Result<Verdict> {
    let file = candidate.open(candidate.path)?;
    Ok(match archive::classify(file)? {
        ArchiveContent::Rom => Verdict::Accept,
        ArchiveContent::Unusable(reason) => Verdict::Reject(reason.to_owned()),
        ArchiveContent::Other => Verdict::Ignore,
    })
}

/// Accepts an archive with ROMs, or one in a platform's folder. If its directory cannot be read, a
/// ROM in the same folder is sufficient.
fn accepts_7z(candidate: &Candidate<'_>) -> bool {
    let is_hinted = || platforms::above(candidate.path).is_some();
    let rom = |extension: &String| platforms::by_extension(extension).is_some();
    match candidate.open(candidate.path).map(sevenz::platform) {
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
