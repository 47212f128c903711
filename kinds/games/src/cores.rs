//! Browser cores: licences, required BIOS files, and the sources from which this server provides
//! them.

mod embedded;
mod folder;
mod response;
pub(crate) mod routes;
mod upload;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::formats::platforms::{PLATFORMS, Platform};

pub use embedded::asset;
pub(crate) use folder::{Folder, core_state};

/// Browser core of one or more platforms.
#[derive(Debug, Deserialize)]
pub struct Core {
    /// Identifier of the core in libretro.
    pub id: String,
    /// Licence of the core.
    pub licence: String,
    /// True if the licence allows embedding the core in the executable. Other cores are add-ons.
    pub free: bool,
    /// Address of the source code.
    pub source: String,
    /// BIOS files that the core looks for.
    pub bios: Vec<Bios>,
}

/// BIOS file of a console.
#[derive(Debug, Deserialize)]
pub struct Bios {
    /// File name that the core looks for.
    pub name: String,
    /// MD5 of the usual version, in hexadecimal.
    pub md5: String,
    /// Identifiers of the platforms that use the file.
    pub platforms: Vec<String>,
    /// True if games of these platforms do not start without such a file.
    pub required: bool,
}

impl Core {
    /// Returns the platforms that the core runs.
    pub fn platforms(&self) -> impl Iterator<Item = &'static Platform> {
        PLATFORMS
            .iter()
            .filter(|platform| platform.core == Some(self.id.as_str()))
    }
}

/// Returns the cores of all platforms in table order. The build reads the download addresses from
/// the same file.
pub fn all() -> &'static [Core] {
    static CORES: LazyLock<Vec<Core>> = LazyLock::new(|| {
        #[derive(Deserialize)]
        struct Table {
            cores: Vec<Core>,
        }
        let table: Table = serde_json::from_str(include_str!("../cores.json"))
            .expect("the table is compiled in, and a test parses it");
        table.cores
    });
    &CORES
}

/// Returns the BIOS file with this name.
fn bios(name: &str) -> Option<&'static Bios> {
    all()
        .iter()
        .flat_map(|core| &core.bios)
        .find(|bios| bios.name == name)
}

/// Type of a core's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The script that loads the core.
    Script,
    /// The core.
    Wasm,
    /// Licence text.
    Licence,
}

impl Part {
    const ALL: [Self; 3] = [Self::Script, Self::Wasm, Self::Licence];

    /// Returns the file name of this part of a core.
    fn file_name(self, core: &str) -> String {
        let extension = match self {
            Self::Script => "js",
            Self::Wasm => "wasm",
            Self::Licence => "txt",
        };
        format!("{core}.{extension}")
    }

    /// Returns the part with this file name. Only names accepted here are opened in the data
    /// folder.
    fn from_file_name(name: &str) -> Option<Self> {
        let is_it = |part: &Self| all().iter().any(|core| part.file_name(&core.id) == name);
        Self::ALL.into_iter().find(is_it)
    }

    fn mime(self) -> &'static str {
        match self {
            Self::Script => "text/javascript; charset=utf-8",
            Self::Wasm => "application/wasm",
            Self::Licence => "text/plain; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn core_table_lists_exactly_the_cores_of_platforms() {
        let named: BTreeSet<_> = PLATFORMS.iter().filter_map(|p| p.core).collect();
        let listed: BTreeSet<_> = all().iter().map(|core| core.id.as_str()).collect();
        assert_eq!(named, listed);
        assert_eq!(all().len(), listed.len());
    }

    #[test]
    fn bios_names_platforms_of_its_core_and_is_a_plain_file_name() {
        for core in all() {
            for bios in &core.bios {
                let runs = |id: &String| core.platforms().any(|platform| platform.id == id);
                assert!(bios.platforms.iter().all(runs), "{}", bios.name);
                assert_eq!(bios.md5.len(), 32);
                let path = std::path::Path::new(&bios.name);
                assert_eq!(path.file_name(), Some(path.as_os_str()));
            }
        }
    }

    #[test]
    fn non_commercial_cores_are_not_free() {
        for core in all() {
            let bound = core.licence.to_lowercase().contains("non-commercial");
            assert!(!(bound && core.free), "{}", core.id);
        }
        for id in ["snes9x", "genesis_plus_gx", "picodrive"] {
            assert!(all().iter().any(|core| core.id == id && !core.free), "{id}");
        }
    }

    #[test]
    fn part_exists_only_for_files_of_cores() {
        assert_eq!(Part::from_file_name("mgba.js"), Some(Part::Script));
        assert_eq!(Part::from_file_name("mgba.wasm"), Some(Part::Wasm));
        assert_eq!(Part::from_file_name("mgba.txt"), Some(Part::Licence));
        for name in ["mgba", "mgba.html", "other.js", "../mgba.js", "MGBA.js", ""] {
            assert_eq!(Part::from_file_name(name), None, "{name}");
        }
    }
}
