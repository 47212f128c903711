//! Pictures next to media: the background, the title as a picture, seasons, episodes, and people.
//! Covers are not read here, because scans find them.
//!
//! Names: <https://kodi.wiki/view/Artwork_types>, <https://kodi.wiki/view/Actors_artwork>,
//! <https://jellyfin.org/docs/general/server/media/movies#images>.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ledge_core::fs::list_inside;
use ledge_core::registry::provider::{
    Cover, DeliveredPicture, ItemFolder, MAX_DELIVERED_PICTURES, PersonCredit, PictureSubject,
};
use ledge_core::text::fold;

/// Largest picture that is read, in bytes.
pub(crate) const MAX_PICTURE_BYTES: u64 = 16 << 20;
/// Most file stems of an item for which pictures are tried.
const MAX_STEMS: usize = 3;

/// Largest picture of a season, an episode or a person, in bytes.
const MAX_SMALL_BYTES: u64 = 4 << 20;
/// Most bytes of all pictures of seasons, episodes and people of one item.
const MAX_TOTAL_BYTES: u64 = 64 << 20;
/// Most names in the folder of portraits.
const MAX_NAMES: usize = 5_000;
/// Folder with the portraits of the cast.
const ACTORS: &str = ".actors";

const BACKDROPS: &[&str] = &["fanart", "backdrop", "background"];
const LOGOS: &[&str] = &["clearlogo", "logo"];
pub(crate) const PHOTO_EXTENSIONS: &[&str] = &["jpg", "jpeg", "png", "webp"];
/// A logo needs a transparent background.
const LOGO_EXTENSIONS: &[&str] = &["png", "webp"];

/// Returns the background for an item in this folder.
pub(crate) fn backdrop(place: &ItemFolder) -> Option<Cover> {
    first(place, BACKDROPS, PHOTO_EXTENSIONS)
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

/// Rest of the pictures of seasons, episodes and people of one item, and of their bytes.
#[derive(Debug)]
pub(crate) struct Budget {
    pictures: usize,
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            pictures: MAX_DELIVERED_PICTURES,
            bytes: MAX_TOTAL_BYTES,
        }
    }
}

impl Budget {
    /// Reads a picture. A picture that cannot be read counts as absent.
    pub(crate) fn read(&mut self, place: &ItemFolder, name: &OsStr) -> Option<Cover> {
        if self.pictures == 0 || self.bytes == 0 {
            return None;
        }
        let limit = MAX_SMALL_BYTES.min(self.bytes);
        let Ok(read) = place.read(name, limit) else {
            // A file that is too large was read up to the limit.
            self.bytes -= limit;
            return None;
        };
        let bytes = read?;
        self.bytes -= limit.min(bytes.len() as u64);
        if bytes.is_empty() {
            return None;
        }
        self.pictures -= 1;
        Some(Cover::Bytes(bytes))
    }
}

/// Reads the picture with this stem if it is among the names of the folder.
pub(crate) fn listed(
    place: &ItemFolder,
    names: &BTreeSet<OsString>,
    stem: &str,
    budget: &mut Budget,
) -> Option<Cover> {
    let mut wanted = PHOTO_EXTENSIONS
        .iter()
        .map(|end| OsString::from(format!("{stem}.{end}")));
    let name = wanted.find(|name| names.contains(name))?;
    budget.read(place, &name)
}

/// Reads the portraits in the folder `.actors`. Kodi writes underscores for spaces.
pub(crate) fn portraits(
    place: &ItemFolder,
    people: &[PersonCredit],
    budget: &mut Budget,
) -> Vec<DeliveredPicture> {
    let actors = ItemFolder {
        folder: place.folder.join(ACTORS),
        ..place.clone()
    };
    let listed_files = list_inside(&actors.root, &actors.root.join(&actors.folder), MAX_NAMES);
    let files = listed_files.unwrap_or_default().into_iter();
    let names: BTreeSet<OsString> = files.map(|file| file.name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let people = people.iter().map(|person| person.name.as_str());
    let distinct: Vec<&str> = people.filter(|name| known.insert(name)).collect();
    let mut portrait = |name: &str| {
        listed(&actors, &names, &name.replace(' ', "_"), budget)
            .or_else(|| listed(&actors, &names, name, budget))
    };
    let found = distinct
        .into_iter()
        .filter_map(|name| Some(of_person(name, portrait(name)?)));
    found.collect()
}

/// Reads the picture of the artist of an album: `artist.jpg` in the folder of the album or of the
/// artist, or the cover of a folder above with the name of the artist.
pub(crate) fn artist(
    album: &ItemFolder,
    artist: &str,
    budget: &mut Budget,
) -> Option<DeliveredPicture> {
    let mut read = |folder: &Path, stem: &str| {
        let place = ItemFolder {
            folder: folder.to_owned(),
            ..album.clone()
        };
        let mut names = PHOTO_EXTENSIONS
            .iter()
            .map(|end| OsString::from(format!("{stem}.{end}")));
        names.find_map(|name| budget.read(&place, &name))
    };
    let above = album.folder.parent();
    let is_named = |folder: &&Path| {
        let name = folder.file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| fold(name) == fold(artist))
    };
    let above = above.filter(is_named);
    let picture = read(&album.folder, "artist")
        .or_else(|| above.and_then(|above| read(above, "artist")))
        .or_else(|| above.and_then(|above| read(above, "folder")))?;
    Some(of_person(artist, picture))
}

fn of_person(name: &str, picture: Cover) -> DeliveredPicture {
    DeliveredPicture {
        of: PictureSubject::Person(name.to_owned()),
        picture,
    }
}
