//! Game platforms: file extensions, folder names and browser cores.

mod table;

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

pub use self::table::PLATFORMS;
use serde_json::{Value, json};

/// Game platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// Identifier in facts and in the API.
    pub id: &'static str,
    /// Display name.
    pub name: &'static str,
    /// File extensions. Several platforms share the extensions of discs. The folder's name or the
    /// disc's header then determines the platform; the first one in the table is the default.
    pub extensions: &'static [&'static str],
    /// Identifier of the libretro core that runs its games in a browser.
    pub core: Option<&'static str>,
    /// Additional folder names, in the form of [`fold`].
    folders: &'static [&'static str],
}

impl Platform {
    /// Returns true if a browser core exists for the platform.
    pub const fn playable(&self) -> bool {
        self.core.is_some()
    }

    /// Returns the platform's facts for an item.
    pub fn facts(&self) -> [(String, Value); 4] {
        [
            ("platform".to_owned(), json!(self.id)),
            ("platform_name".to_owned(), json!(self.name)),
            ("core".to_owned(), json!(self.core)),
            ("playable".to_owned(), json!(self.playable())),
        ]
    }
}

/// Extensions that several platforms share.
pub const SHARED: &[&str] = &["bin", "cue", "iso", "chd", "m3u", "ecm", "zip", "7z"];

/// Returns a platform by its identifier.
pub fn by_id(id: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.id == id)
}

/// Returns the platform of an extension, or `None` for those of [`SHARED`].
pub fn by_extension(extension: &str) -> Option<&'static Platform> {
    if SHARED.contains(&extension) {
        return None;
    }
    PLATFORMS
        .iter()
        .find(|platform| platform.extensions.contains(&extension))
}

/// Returns the platform that a folder is named after: `SNES`, `Nintendo - Game Boy Advance`, `Sony
/// PlayStation`.
pub fn by_folder(name: &str) -> Option<&'static Platform> {
    static FOLDERS: LazyLock<HashMap<String, &'static Platform>> = LazyLock::new(folders);
    let folded = fold(name);
    FOLDERS
        .get(&folded)
        .or_else(|| FOLDERS.get(without_maker(&folded)))
        .copied()
}

/// Returns the platform of the innermost folder that is named after one.
pub fn by_path<'a>(parts: impl DoubleEndedIterator<Item = &'a str>) -> Option<&'static Platform> {
    parts.rev().find_map(by_folder)
}

/// Returns the platform of the innermost folder above a file that is named after one.
pub fn above(file: &Path) -> Option<&'static Platform> {
    /// Number of folders above the file that are checked.
    const DEPTH: usize = 3;
    let folders = file.ancestors().skip(1).take(DEPTH);
    folders
        .filter_map(Path::file_name)
        .find_map(|name| by_folder(&name.to_string_lossy()))
}

fn folders() -> HashMap<String, &'static Platform> {
    let mut folders = HashMap::new();
    for platform in PLATFORMS {
        let own_names = [fold(platform.id), fold(platform.name)];
        let others = platform.folders.iter().map(|name| (*name).to_owned());
        for name in own_names.into_iter().chain(others) {
            folders.entry(name).or_insert(platform);
        }
    }
    folders
}

/// Returns the letters and digits in lower case, up to the first bracket: `Nintendo - Game Boy
/// (No-Intro)` becomes `nintendogameboy`.
fn fold(name: &str) -> String {
    let outside = name.split(['(', '[']).next().unwrap_or(name);
    outside
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Removes the company at the start of a folded name, which No-Intro and Redump use.
fn without_maker(folded: &str) -> &str {
    const MAKERS: &[&str] = &[
        "nintendo",
        "sega",
        "sony",
        "nec",
        "snk",
        "bandai",
        "atari",
        "coleco",
        "mattel",
        "panasonic",
    ];
    MAKERS
        .iter()
        .find_map(|maker| folded.strip_prefix(maker))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(folded)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::formats::FORMATS;

    #[test]
    fn every_format_except_archives_belongs_to_a_platform() {
        let platforms: BTreeSet<_> = PLATFORMS
            .iter()
            .flat_map(|p| p.extensions)
            .copied()
            .collect();
        let formats: BTreeSet<_> = FORMATS.iter().map(|f| f.extension).collect();
        let archives = BTreeSet::from(["zip", "7z"]);
        assert_eq!(
            formats
                .difference(&platforms)
                .copied()
                .collect::<BTreeSet<_>>(),
            archives
        );
        assert_eq!(platforms.difference(&formats).count(), 0);
    }

    #[test]
    fn identifiers_are_unique_and_unshared_extensions_have_one_platform() {
        let ids: BTreeSet<_> = PLATFORMS.iter().map(|p| p.id).collect();
        assert_eq!(ids.len(), PLATFORMS.len());
        for format in FORMATS
            .iter()
            .filter(|f| !SHARED.contains(&f.extension) && f.extension != "pbp")
        {
            let owners = PLATFORMS
                .iter()
                .filter(|p| p.extensions.contains(&format.extension));
            assert_eq!(owners.count(), 1, "{}", format.extension);
        }
    }

    #[test]
    fn format_has_game_viewer_if_its_platform_has_a_core() {
        for format in FORMATS {
            if let Some(platform) = by_extension(format.extension) {
                let expected = if platform.playable() {
                    "game"
                } else {
                    "download"
                };
                assert_eq!(format.viewer, expected, "{}", format.extension);
            }
        }
    }

    #[test]
    fn folder_names_identify_platforms() {
        for (folder, id) in [
            ("SNES", "snes"),
            ("Nintendo - Super Nintendo Entertainment System", "snes"),
            ("Nintendo - Game Boy Advance (No-Intro)", "gba"),
            ("Game Boy", "gb"),
            ("Sega - Mega Drive - Genesis", "megadrive"),
            ("Sony - PlayStation", "psx"),
            ("PSX", "psx"),
            ("Sega CD", "segacd"),
            ("Sega - Mega-CD & Sega CD", "segacd"),
            ("NEC - PC Engine CD & TurboGrafx CD", "pcenginecd"),
            ("NEC - PC Engine - TurboGrafx 16", "pcengine"),
            ("Atari - Lynx", "lynx"),
            ("Atari 2600", "atari2600"),
            ("Famicom Disk", "fds"),
            ("Sega Saturn", "saturn"),
            ("SNK - Neo Geo Pocket Color", "ngpc"),
        ] {
            assert_eq!(by_folder(folder).map(|p| p.id), Some(id), "{folder}");
        }
        assert_eq!(by_folder("Roms"), None);
        assert_eq!(by_folder("Nintendo"), None);
    }
}
