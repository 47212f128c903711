//! Cores that are embedded in the executable: the free ones, if it was built with the feature
//! `cores`.

use ledge_core::registry::PackedAsset;

use super::{Core, Part};

/// Prefix of the cores' names below `/assets/`.
const FOLDER: &str = "cores/";

/// Returns the compressed file for a name below `/assets/`, such as `cores/mgba.0123456789ab.wasm`.
pub fn asset(name: &str) -> Option<PackedAsset> {
    let file = name.strip_prefix(FOLDER)?;
    let [core, hash, extension] = file.split('.').collect::<Vec<_>>().try_into().ok()?;
    let plain = format!("{core}.{extension}");
    let part = Part::from_file_name(&plain)?;
    let packed = files::get(&plain)?;
    (packed.hash == hash).then_some(PackedAsset {
        gzip: packed.gzip,
        mime: part.mime(),
        hash: packed.hash,
    })
}

/// Returns the URL of an embedded part of a core.
pub(super) fn url(core: &Core, part: Part) -> Option<String> {
    let name = part.file_name(&core.id);
    let (stem, extension) = name.rsplit_once('.')?;
    let hash = files::get(&name)?.hash;
    Some(format!("/assets/{FOLDER}{stem}.{hash}.{extension}"))
}

/// Returns the unpacked size of an embedded core in bytes. It is in the last four bytes of the gzip
/// data.
pub(super) fn wasm_size(core: &Core) -> Option<u64> {
    let gzip = files::get(&Part::Wasm.file_name(&core.id))?.gzip;
    let length = gzip.last_chunk::<4>()?;
    Some(u32::from_le_bytes(*length).into())
}

struct Packed {
    gzip: &'static [u8],
    hash: String,
}

#[cfg(feature = "cores")]
mod files {
    use std::borrow::Cow;

    use rust_embed::RustEmbed;

    use super::Packed;

    /// Files that `make cores` downloaded and packed.
    #[derive(RustEmbed)]
    #[folder = "cores"]
    struct Files;

    pub(super) fn get(name: &str) -> Option<Packed> {
        let file = Files::get(&format!("{name}.gz"))?;
        let Cow::Borrowed(gzip) = file.data else {
            return None;
        };
        let hash = file.metadata.sha256_hash();
        // The first six bytes of the hash.
        let beginning = u64::from_be_bytes(*hash.first_chunk()?) >> 16;
        Some(Packed {
            gzip,
            hash: format!("{beginning:012x}"),
        })
    }
}

#[cfg(not(feature = "cores"))]
mod files {
    use super::Packed;

    pub(super) const fn get(_name: &str) -> Option<Packed> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asset_name_requires_core_hash_and_part() {
        for name in [
            "cores/mgba.js",
            "cores/mgba.000000000000.js",
            "cores/other.000000000000.js",
            "mgba.000000000000.js",
            "cores/../mgba.0.js",
        ] {
            assert!(asset(name).is_none(), "{name}");
        }
    }

    #[cfg(feature = "cores")]
    #[test]
    fn build_with_cores_embeds_exactly_the_free_ones() {
        for core in crate::cores::all() {
            let parts = [Part::Script, Part::Wasm].map(|part| url(core, part));
            assert_eq!(parts.iter().all(Option::is_some), core.free, "{}", core.id);
            for url in parts.into_iter().flatten() {
                assert!(asset(url.trim_start_matches("/assets/")).is_some(), "{url}");
            }
        }
    }
}
