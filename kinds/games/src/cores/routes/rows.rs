//! Response bodies for cores, BIOS files and added files.

use serde::Serialize;
use utoipa::ToSchema;

use crate::cores::folder::{FileVersion, Folder};
use crate::cores::{Bios, Core, Part, core_state, embedded};

/// Browser core.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CoreRow {
    /// Identifier, such as `mgba`
    id: &'static str,
    /// Identifiers of the platforms that the core runs
    platforms: Vec<&'static str>,
    /// State on this server: `embedded`, `added` or `missing`
    state: &'static str,
    /// URL of the script; null while the core is missing
    script_url: Option<String>,
    /// URL of the WebAssembly file; null while the core is missing
    wasm_url: Option<String>,
    /// Unpacked size of the WebAssembly file in bytes; null while the core is missing
    wasm_size: Option<u64>,
    /// Licence of the core
    licence: &'static str,
    /// URL of the licence text; null if this server does not have it
    licence_url: Option<String>,
    /// Address of the source code
    source_url: &'static str,
    /// True if the licence allows embedding the core in the executable
    free: bool,
    /// BIOS files that the core looks for
    bios: Vec<BiosRow>,
    /// Files of the core in the data folder
    files: Vec<AddedFile>,
}

/// BIOS file of a console.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BiosRow {
    /// File name that the core looks for
    name: &'static str,
    /// MD5 of the usual version, in hexadecimal
    md5: &'static str,
    /// State on this server: `added` or `missing`
    state: &'static str,
    /// URL of the file; null while it is missing
    url: Option<String>,
    /// True if the file is the usual version; null while it is missing
    matches: Option<bool>,
    /// Identifiers of the platforms that use the file
    platforms: &'static [String],
    /// True if games of these platforms do not start without such a file
    required: bool,
}

/// File in the data folder.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AddedFile {
    /// File name
    pub(super) name: String,
    /// Size in bytes
    pub(super) size: u64,
}

impl CoreRow {
    pub(super) fn new(core: &'static Core, folder: &Folder) -> Self {
        let state = core_state(folder, core);
        let url = |part| match state {
            "added" => added_url(core, part, folder),
            "embedded" => embedded::url(core, part),
            _ => None,
        };
        let added = |part: Part| {
            let version = folder.part(core, part).version()?;
            Some(AddedFile {
                name: part.file_name(&core.id),
                size: version.size,
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
                    .version()
                    .map(|version| version.size),
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
                .map(|bios| BiosRow::new(bios, folder))
                .collect(),
            files: Part::ALL.into_iter().filter_map(added).collect(),
        }
    }
}

fn added_url(core: &Core, part: Part, folder: &Folder) -> Option<String> {
    let FileVersion { tag, .. } = folder.part(core, part).version()?;
    let name = part.file_name(&core.id);
    Some(format!("/api/v1/kinds/games/cores/{name}?v={tag}"))
}

impl BiosRow {
    fn new(bios: &'static Bios, folder: &Folder) -> Self {
        let data_file = folder.bios_file(&bios.name);
        let found = data_file.and_then(|data_file| Some((data_file.version()?, data_file)));
        let path = bios.name.replace(' ', "%20");
        Self {
            name: &bios.name,
            md5: &bios.md5,
            state: if found.is_some() { "added" } else { "missing" },
            url: found
                .as_ref()
                .map(|(version, _)| format!("/api/v1/kinds/games/bios/{path}?v={}", version.tag)),
            matches: found
                .and_then(|(version, data_file)| data_file.md5(&version))
                .map(|sum| sum == bios.md5),
            platforms: &bios.platforms,
            required: bios.required,
        }
    }
}
