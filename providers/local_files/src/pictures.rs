//! Pictures next to media: the background and the title as a picture. Covers are not read here,
//! because scans find them.
//!
//! Names: <https://kodi.wiki/view/Artwork_types>,
//! <https://jellyfin.org/docs/general/server/media/movies#images>.

use std::path::Path;

use ledge_core::registry::provider::{Cover, ItemFolder};

/// Largest picture that is read, in bytes.
pub(crate) const MAX_PICTURE_BYTES: u64 = 16 << 20;
/// Most file stems of an item for which pictures are tried.
const MAX_STEMS: usize = 3;

const BACKDROPS: &[&str] = &["fanart", "backdrop", "background"];
const LOGOS: &[&str] = &["clearlogo", "logo"];
const BACKDROP_EXTENSIONS: &[&str] = &["jpg", "jpeg", "png", "webp"];
/// A logo needs a transparent background.
const LOGO_EXTENSIONS: &[&str] = &["png", "webp"];

/// Returns the background for an item in this folder.
pub(crate) fn backdrop(place: &ItemFolder) -> Option<Cover> {
    first(place, BACKDROPS, BACKDROP_EXTENSIONS)
}

/// Returns the title of an item in this folder as a picture.
pub(crate) fn logo(place: &ItemFolder) -> Option<Cover> {
    first(place, LOGOS, LOGO_EXTENSIONS)
}

/// Returns the first picture: one of the item's file, such as `Film-fanart.jpg`, then one of the
/// folder if it contains no other item.
fn first(place: &ItemFolder, names: &[&str], extensions: &[&str]) -> Option<Cover> {
    let stems = place.stems.iter().take(MAX_STEMS);
    let mut bases: Vec<String> = Vec::new();
    for stem in stems.filter_map(|stem| stem.to_str()) {
        bases.extend(names.iter().map(|name| format!("{stem}-{name}")));
    }
    if place.is_alone {
        bases.extend(names.iter().map(|name| (*name).to_owned()));
    }
    let mut files = bases
        .iter()
        .flat_map(|base| extensions.iter().map(move |end| format!("{base}.{end}")));
    files.find_map(|name| read(place, name))
}

/// Reads a picture. A picture that cannot be read counts as absent.
pub(crate) fn read(place: &ItemFolder, name: impl AsRef<Path>) -> Option<Cover> {
    let bytes = place.read(name, MAX_PICTURE_BYTES).ok().flatten()?;
    (!bytes.is_empty()).then_some(Cover::Bytes(bytes))
}
