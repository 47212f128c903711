//! The browser cores: licences, the BIOS files they ask for, and where this server has them from.

mod answer;
mod embedded;
mod folder;
pub(crate) mod routes;
mod upload;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::platforms::{PLATFORMS, Platform};

pub use embedded::asset;
pub(crate) use folder::{Folder, state_of};

/// A core that plays games in the browser.
#[derive(Debug, Deserialize)]
pub struct Core {
    /// Its libretro name.
    pub id: String,
    /// The terms it may be passed on under.
    pub licence: String,
    /// Whether these allow it inside the executable. The others are add-ons.
    pub free: bool,
    /// Where its sources are.
    pub source: String,
    /// Files of a console's maker that it looks for.
    pub bios: Vec<Bios>,
}

/// A file of a console's maker.
#[derive(Debug, Deserialize)]
pub struct Bios {
    /// The name the core looks for.
    pub name: String,
    /// MD5 of the usual version, in hexadecimal.
    pub md5: String,
    /// The platforms it is for.
    pub platforms: Vec<String>,
    /// Whether games of these do not start without one such file.
    pub required: bool,
}

impl Core {
    /// The platforms it runs.
    pub fn platforms(&self) -> impl Iterator<Item = &'static Platform> {
        PLATFORMS
            .iter()
            .filter(|platform| platform.core == Some(self.id.as_str()))
    }
}

/// Every core of the platforms, in their order. The file also tells the build where to get them.
pub fn all() -> &'static [Core] {
    static CORES: LazyLock<Vec<Core>> = LazyLock::new(|| {
        #[derive(Deserialize)]
        struct Table {
            cores: Vec<Core>,
        }
        let table: Table = serde_json::from_str(include_str!("../cores.json"))
            .expect("the table is compiled in, and a test reads it");
        table.cores
    });
    &CORES
}

/// The BIOS file of a name.
fn bios(name: &str) -> Option<&'static Bios> {
    all()
        .iter()
        .flat_map(|core| &core.bios)
        .find(|bios| bios.name == name)
}

/// What a file of a core is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The script that loads the core.
    Script,
    /// The core.
    Wasm,
    /// The text of its licence.
    Licence,
}

impl Part {
    const ALL: [Self; 3] = [Self::Script, Self::Wasm, Self::Licence];

    /// The name of this part of a core.
    fn of(self, core: &str) -> String {
        let extension = match self {
            Self::Script => "js",
            Self::Wasm => "wasm",
            Self::Licence => "txt",
        };
        format!("{core}.{extension}")
    }

    /// What a name stands for; no other name is ever looked for in the folder.
    fn named(name: &str) -> Option<Self> {
        let is_it = |part: &Self| all().iter().any(|core| part.of(&core.id) == name);
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
    fn every_core_of_a_platform_has_its_row_and_no_other_core_has_one() {
        let named: BTreeSet<_> = PLATFORMS.iter().filter_map(|p| p.core).collect();
        let listed: BTreeSet<_> = all().iter().map(|core| core.id.as_str()).collect();
        assert_eq!(named, listed);
        assert_eq!(all().len(), listed.len());
    }

    #[test]
    fn a_bios_is_for_platforms_of_its_core_and_its_name_stays_in_the_folder() {
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
    fn what_may_not_be_sold_is_never_free() {
        for core in all() {
            let bound = core.licence.to_lowercase().contains("non-commercial");
            assert!(!(bound && core.free), "{}", core.id);
        }
        for id in ["snes9x", "genesis_plus_gx", "picodrive"] {
            assert!(all().iter().any(|core| core.id == id && !core.free), "{id}");
        }
    }

    #[test]
    fn only_the_files_of_cores_have_a_part() {
        assert_eq!(Part::named("mgba.js"), Some(Part::Script));
        assert_eq!(Part::named("mgba.wasm"), Some(Part::Wasm));
        assert_eq!(Part::named("mgba.txt"), Some(Part::Licence));
        for name in ["mgba", "mgba.html", "other.js", "../mgba.js", "MGBA.js", ""] {
            assert_eq!(Part::named(name), None, "{name}");
        }
    }
}
