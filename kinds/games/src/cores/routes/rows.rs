//! Cores, BIOS files and added files as clients see them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::cores::folder::{Folder, Known};
use crate::cores::{Bios, Core, Part, embedded, state_of};

/// A core as clients see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CoreRow {
    /// Identifier: `mgba`.
    id: &'static str,
    /// Identifiers of the platforms it runs.
    platforms: Vec<&'static str>,
    /// `embedded`, `added` or `missing`.
    state: &'static str,
    /// Address of its script; null while it is missing.
    script_url: Option<String>,
    /// Address of the core; null while it is missing.
    wasm_url: Option<String>,
    /// Bytes of the core; null while it is missing.
    wasm_size: Option<u64>,
    /// The terms it may be passed on under.
    licence: &'static str,
    /// Address of their text, where this server has it.
    licence_url: Option<String>,
    /// Where its sources are.
    source_url: &'static str,
    /// Whether these terms allow it inside the executable.
    free: bool,
    /// Files of a console's maker that it looks for.
    bios: Vec<BiosRow>,
    /// Its files in the data folder.
    files: Vec<AddedFile>,
}

/// A BIOS file as clients see it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BiosRow {
    /// The name the core looks for.
    name: &'static str,
    /// MD5 of the usual version.
    md5: &'static str,
    /// `added` or `missing`.
    state: &'static str,
    /// Address of the file; null while it is missing.
    url: Option<String>,
    /// Whether it is the usual version; null while it is missing.
    matches: Option<bool>,
    /// Identifiers of the platforms it is for.
    platforms: &'static [String],
    /// Whether games of these do not start without one such file.
    required: bool,
}

/// A file in the data folder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddedFile {
    /// Its name.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
}

impl CoreRow {
    pub(super) fn of(core: &'static Core, folder: &Folder) -> Self {
        let state = state_of(folder, core);
        let url = |part| match state {
            "added" => added_url(core, part, folder),
            "embedded" => embedded::url(core, part),
            _ => None,
        };
        let added = |part: Part| {
            let known = folder.part(core, part).known()?;
            Some(AddedFile {
                name: part.of(&core.id),
                size: known.size,
            })
        };
        Self {
            id: &core.id,
            platforms: core.platforms().map(|platform| platform.id).collect(),
            state,
            script_url: url(Part::Script),
            wasm_url: url(Part::Wasm),
            wasm_size: match state {
                "added" => folder
                    .part(core, Part::Wasm)
                    .known()
                    .map(|known| known.size),
                "embedded" => embedded::wasm_size(core),
                _ => None,
            },
            licence: &core.licence,
            licence_url: added_url(core, Part::Licence, folder)
                .or_else(|| embedded::url(core, Part::Licence)),
            source_url: &core.source,
            free: core.free,
            bios: core
                .bios
                .iter()
                .map(|bios| BiosRow::of(bios, folder))
                .collect(),
            files: Part::ALL.into_iter().filter_map(added).collect(),
        }
    }
}

fn added_url(core: &Core, part: Part, folder: &Folder) -> Option<String> {
    let Known { tag, .. } = folder.part(core, part).known()?;
    let name = part.of(&core.id);
    Some(format!("/api/v1/kinds/games/cores/{name}?v={tag}"))
}

impl BiosRow {
    fn of(bios: &'static Bios, folder: &Folder) -> Self {
        let place = folder.bios_file(&bios.name);
        let found = place.and_then(|place| Some((place.known()?, place)));
        let path = bios.name.replace(' ', "%20");
        Self {
            name: &bios.name,
            md5: &bios.md5,
            state: if found.is_some() { "added" } else { "missing" },
            url: found
                .as_ref()
                .map(|(known, _)| format!("/api/v1/kinds/games/bios/{path}?v={}", known.tag)),
            matches: found
                .and_then(|(known, place)| place.md5(&known))
                .map(|sum| sum == bios.md5),
            platforms: &bios.platforms,
            required: bios.required,
        }
    }
}
