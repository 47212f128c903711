//! The platforms: their file extensions, folder names and browser cores.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

/// One game platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// Identifier in facts and in the API.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Extensions of its files. Those of discs stand with several platforms; the folder's name or
    /// the disc's header then decides, and the first platform of the table is the guess.
    pub extensions: &'static [&'static str],
    /// The libretro core that runs it in a browser.
    pub core: Option<&'static str>,
    /// Other names of its folders, as [`fold`] makes them.
    folders: &'static [&'static str],
}

impl Platform {
    /// Whether a browser core runs it at all.
    pub const fn playable(&self) -> bool {
        self.core.is_some()
    }

    /// What an item's facts say about its platform.
    pub fn facts(&self) -> [(String, Value); 4] {
        [
            ("platform".to_owned(), json!(self.id)),
            ("platform_name".to_owned(), json!(self.name)),
            ("core".to_owned(), json!(self.core)),
            ("playable".to_owned(), json!(self.playable())),
        ]
    }
}

/// Extensions that say nothing about the platform.
pub const SHARED: &[&str] = &["bin", "cue", "iso", "chd", "m3u", "ecm", "zip", "7z"];

const DISC: &[&str] = &["cue", "chd", "iso", "bin", "m3u"];

/// Every platform that is recognised.
pub const PLATFORMS: &[Platform] = &[
    row(
        "nes",
        "NES",
        &["nes", "unf", "unif"],
        Some("fceumm"),
        &[
            "famicom",
            "nintendoentertainmentsystem",
            "familycomputer",
            "fc",
        ],
    ),
    row(
        "fds",
        "Famicom Disk System",
        &["fds"],
        Some("fceumm"),
        &[
            "famicomdisk",
            "disksystem",
            "familycomputerdisksystem",
            "familycomputernetworksystem",
        ],
    ),
    row(
        "snes",
        "SNES",
        &["sfc", "smc", "fig", "swc"],
        Some("snes9x"),
        &[
            "supernintendo",
            "supernes",
            "superfamicom",
            "sfc",
            "supernintendoentertainmentsystem",
        ],
    ),
    row(
        "n64",
        "Nintendo 64",
        &["n64", "z64", "v64"],
        Some("mupen64plus_next"),
        &["n64"],
    ),
    row("gb", "Game Boy", &["gb"], Some("mgba"), &["dmg"]),
    row(
        "gbc",
        "Game Boy Color",
        &["gbc"],
        Some("mgba"),
        &["gameboycolour"],
    ),
    row("gba", "Game Boy Advance", &["gba"], Some("mgba"), &[]),
    row("nds", "Nintendo DS", &["nds"], Some("melonds"), &["ds"]),
    row(
        "virtualboy",
        "Virtual Boy",
        &["vb", "vboy"],
        Some("beetle_vb"),
        &["vb"],
    ),
    row(
        "megadrive",
        "Mega Drive / Genesis",
        &["md", "gen", "smd", "bin"],
        Some("genesis_plus_gx"),
        &[
            "megadrive",
            "genesis",
            "megadrivegenesis",
            "smd",
            "md",
            "gen",
        ],
    ),
    row(
        "sega32x",
        "Sega 32X",
        &["32x"],
        Some("picodrive"),
        &["32x", "megadrive32x", "super32x", "genesis32x"],
    ),
    row(
        "mastersystem",
        "Master System",
        &["sms"],
        Some("smsplus"),
        &["sms", "markiii", "mastersystemmarkiii"],
    ),
    row("gamegear", "Game Gear", &["gg"], Some("smsplus"), &["gg"]),
    row("sg1000", "SG-1000", &["sg"], Some("smsplus"), &["sc3000"]),
    row(
        "pcengine",
        "PC Engine",
        &["pce"],
        Some("mednafen_pce"),
        &[
            "pce",
            "turbografx16",
            "tg16",
            "turbografx",
            "pcengineturbografx16",
            "turbografx16pcengine",
        ],
    ),
    row(
        "supergrafx",
        "SuperGrafx",
        &["sgx"],
        Some("mednafen_pce"),
        &["pcenginesupergrafx", "sgx"],
    ),
    row("ngp", "Neo Geo Pocket", &["ngp"], Some("mednafen_ngp"), &[]),
    row(
        "ngpc",
        "Neo Geo Pocket Color",
        &["ngc"],
        Some("mednafen_ngp"),
        &["neogeopocketcolour"],
    ),
    row(
        "wonderswan",
        "WonderSwan",
        &["ws"],
        Some("mednafen_wswan"),
        &["ws"],
    ),
    row(
        "wonderswancolor",
        "WonderSwan Color",
        &["wsc"],
        Some("mednafen_wswan"),
        &["wsc", "wonderswancolour"],
    ),
    row(
        "atari2600",
        "Atari 2600",
        &["a26"],
        Some("stella2014"),
        &["2600", "vcs", "a2600"],
    ),
    row(
        "atari5200",
        "Atari 5200",
        &["a52"],
        Some("a5200"),
        &["5200"],
    ),
    row(
        "atari7800",
        "Atari 7800",
        &["a78"],
        Some("prosystem"),
        &["7800", "a7800"],
    ),
    row("lynx", "Atari Lynx", &["lnx"], Some("handy"), &["lynx"]),
    row(
        "jaguar",
        "Atari Jaguar",
        &["j64", "jag"],
        Some("virtualjaguar"),
        &["jaguar"],
    ),
    row(
        "colecovision",
        "ColecoVision",
        &["col"],
        Some("gearcoleco"),
        &["coleco"],
    ),
    row("intellivision", "Intellivision", &["int"], None, &["intv"]),
    row(
        "psx",
        "PlayStation",
        &["cue", "chd", "pbp", "m3u", "bin", "iso", "ecm"],
        Some("pcsx_rearmed"),
        &["ps1", "ps", "psone", "playstation1"],
    ),
    row(
        "segacd",
        "Sega CD",
        DISC,
        Some("genesis_plus_gx"),
        &["megacd", "megacdsegacd", "segamegacd", "mcd", "scd"],
    ),
    row(
        "pcenginecd",
        "PC Engine CD",
        DISC,
        Some("mednafen_pce"),
        &[
            "pcecd",
            "turbografxcd",
            "tgcd",
            "turboduo",
            "pcengineduo",
            "pcenginecdturbografxcd",
        ],
    ),
    // Discs that look like those above but need a core no browser has.
    row("saturn", "Sega Saturn", DISC, None, &["saturn"]),
    row(
        "dreamcast",
        "Dreamcast",
        &["gdi", "cue", "chd", "iso", "bin", "m3u"],
        None,
        &["dc"],
    ),
    row("ps2", "PlayStation 2", DISC, None, &["ps2"]),
    row(
        "psp",
        "PlayStation Portable",
        &["iso", "pbp"],
        None,
        &["psp"],
    ),
    row(
        "3do",
        "3DO",
        DISC,
        None,
        &["3dointeractivemultiplayer", "panasonic3do"],
    ),
    row("neogeocd", "Neo Geo CD", DISC, None, &["ngcd"]),
];

const fn row(
    id: &'static str,
    name: &'static str,
    extensions: &'static [&'static str],
    core: Option<&'static str>,
    folders: &'static [&'static str],
) -> Platform {
    Platform {
        id,
        name,
        extensions,
        core,
        folders,
    }
}

/// A platform by its identifier.
pub fn by_id(id: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.id == id)
}

/// The platform an extension alone tells; `None` for those of [`SHARED`].
pub fn by_extension(extension: &str) -> Option<&'static Platform> {
    if SHARED.contains(&extension) {
        return None;
    }
    PLATFORMS
        .iter()
        .find(|platform| platform.extensions.contains(&extension))
}

/// The platform a folder is named after: `SNES`, `Nintendo - Game Boy Advance`, `Sony PlayStation`.
pub fn by_folder(name: &str) -> Option<&'static Platform> {
    static FOLDERS: LazyLock<HashMap<String, &'static Platform>> = LazyLock::new(folders);
    let folded = fold(name);
    FOLDERS
        .get(&folded)
        .or_else(|| FOLDERS.get(without_maker(&folded)))
        .copied()
}

/// The platform of the innermost folder that names one.
pub fn by_path<'a>(parts: impl DoubleEndedIterator<Item = &'a str>) -> Option<&'static Platform> {
    parts.rev().find_map(by_folder)
}

/// The platform of the innermost folder above a file that names one.
pub fn above(file: &Path) -> Option<&'static Platform> {
    /// Folders further up name something else.
    const DEPTH: usize = 3;
    let folders = file.ancestors().skip(1).take(DEPTH);
    folders
        .filter_map(Path::file_name)
        .find_map(|name| by_folder(&name.to_string_lossy()))
}

fn folders() -> HashMap<String, &'static Platform> {
    let mut folders = HashMap::new();
    for platform in PLATFORMS {
        let own = [fold(platform.id), fold(platform.name)];
        let others = platform.folders.iter().map(|name| (*name).to_owned());
        for name in own.into_iter().chain(others) {
            folders.entry(name).or_insert(platform);
        }
    }
    folders
}

/// Letters and digits in lower case, brackets left out: `Nintendo - Game Boy (No-Intro)` is
/// `nintendogameboy`.
fn fold(name: &str) -> String {
    let outside = name.split(['(', '[']).next().unwrap_or(name);
    outside
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A folded name without the company in front: the collections of No-Intro and Redump have one.
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
    fn every_format_but_the_archives_belongs_to_a_platform() {
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
    fn identifiers_are_unique_and_an_extension_of_its_own_names_one_platform() {
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
    fn a_format_opens_as_a_game_where_its_platform_has_a_core() {
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
    fn folders_name_platforms() {
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
