//! The cores inside the executable: the free ones, where it was built with the feature `cores`.

use ledge_core::registry::PackedAsset;

use super::{Core, Part};

/// Where their addresses begin, below `/assets/`.
const FOLDER: &str = "cores/";

/// The compressed file of an address below `/assets/`: `cores/mgba.0123456789ab.wasm`.
pub fn asset(name: &str) -> Option<PackedAsset> {
    let file = name.strip_prefix(FOLDER)?;
    let [core, hash, extension] = file.split('.').collect::<Vec<_>>().try_into().ok()?;
    let plain = format!("{core}.{extension}");
    let part = Part::named(&plain)?;
    let packed = files::get(&plain)?;
    (packed.hash == hash).then_some(PackedAsset {
        gzip: packed.gzip,
        mime: part.mime(),
        hash: packed.hash,
    })
}

/// The address of a part of a core that is in the executable.
pub(super) fn url(core: &Core, part: Part) -> Option<String> {
    let name = part.of(&core.id);
    let (stem, extension) = name.rsplit_once('.')?;
    let hash = files::get(&name)?.hash;
    Some(format!("/assets/{FOLDER}{stem}.{hash}.{extension}"))
}

/// Bytes of a core that is in the executable, unpacked: gzip ends with that number.
pub(super) fn wasm_size(core: &Core) -> Option<u64> {
    let gzip = files::get(&Part::Wasm.of(&core.id))?.gzip;
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

    /// What `make cores` unpacked.
    #[derive(RustEmbed)]
    #[folder = "cores"]
    struct Files;

    pub(super) fn get(name: &str) -> Option<Packed> {
        let file = Files::get(&format!("{name}.gz"))?;
        let Cow::Borrowed(gzip) = file.data else {
            return None;
        };
        let hash = file.metadata.sha256_hash();
        // Its first six bytes.
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
    fn an_address_names_a_core_its_state_and_a_part() {
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
    fn a_release_has_the_free_cores_inside_and_no_other() {
        for core in crate::cores::all() {
            let parts = [Part::Script, Part::Wasm].map(|part| url(core, part));
            assert_eq!(parts.iter().all(Option::is_some), core.free, "{}", core.id);
            for url in parts.into_iter().flatten() {
                assert!(asset(url.trim_start_matches("/assets/")).is_some(), "{url}");
            }
        }
    }
}
