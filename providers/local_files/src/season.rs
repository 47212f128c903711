//! Posters of the seasons of a show: `season01-poster.jpg` in the folder of the show, or
//! `poster.jpg` in the folder of one season.
//!
//! Names: <https://kodi.wiki/view/Artwork_types>,
//! <https://jellyfin.org/docs/general/server/media/shows#images>.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ledge_core::registry::MediaKind;
use ledge_core::registry::provider::{Cover, DeliveredPicture, PictureSubject};
use ledge_core::text::names::natural;

use crate::pictures::{self, Budget, PHOTO_EXTENSIONS};
use crate::show::ListedFolder;

/// Most seasons of a show.
const MAX_SEASONS: usize = 100;
/// Most files in the folder of a show that are tried as posters.
const MAX_FILES: usize = 2 * MAX_SEASONS;
/// Names of a poster in the folder of a season, without extension.
const POSTERS: &[&str] = &["poster", "folder"];

/// Function that returns the number in the name of a folder.
pub(crate) type NumberOf = fn(&str) -> Option<i64>;

/// Returns the function with which a kind reads numbers in the names of folders.
pub(crate) fn number_of(kind: &str) -> NumberOf {
    MediaKind::linked(kind).map_or(|_| None, |kind| kind.number_of_folder)
}

/// Reads the posters of the seasons in the folders of a show, in order of the seasons. The first
/// folder is that of the show. The kind reads the numbers in the names of the others.
pub(crate) fn posters(
    kind: &str,
    folders: &[ListedFolder],
    budget: &mut Budget,
) -> Vec<DeliveredPicture> {
    let number_of = number_of(kind);
    let Some((show, seasons)) = folders.split_first() else {
        return Vec::new();
    };
    let mut found: BTreeMap<i64, Cover> = BTreeMap::new();
    let numbered = show.names.iter();
    let numbered = numbered.filter_map(|name| Some((of_poster(name)?, name)));
    for (season, name) in numbered.take(MAX_FILES) {
        if found.len() < MAX_SEASONS && !found.contains_key(&season) {
            let poster = budget.read(&show.folder, name);
            found.extend(poster.map(|poster| (season, poster)));
        }
    }
    for ListedFolder { folder, names } in seasons {
        let Some(season) = of_folder(&folder.folder, names, number_of) else {
            continue;
        };
        if found.len() < MAX_SEASONS && !found.contains_key(&season) {
            let mut stems = POSTERS.iter();
            let poster = stems.find_map(|stem| pictures::listed(folder, names, stem, budget));
            found.extend(poster.map(|poster| (season, poster)));
        }
    }
    let posters = found.into_iter().map(|(season, picture)| DeliveredPicture {
        of: PictureSubject::Season(season),
        picture,
    });
    posters.collect()
}

/// Returns the season of a poster in the folder of a show; 0 for specials.
fn of_poster(name: &OsStr) -> Option<i64> {
    let name = name.to_str()?.to_lowercase();
    let (stem, extension) = name.rsplit_once('.')?;
    if !PHOTO_EXTENSIONS.contains(&extension) {
        return None;
    }
    match stem.strip_prefix("season")?.strip_suffix("-poster")? {
        "-specials" => Some(0),
        number => whole(number),
    }
}

/// Returns the season to which the name of a folder and the numbers of all its files belong.
fn of_folder(folder: &Path, names: &BTreeSet<OsString>, number_of: NumberOf) -> Option<i64> {
    let mut seasons: BTreeSet<i64> = names.iter().filter_map(|name| of_file(name)).collect();
    let name = folder.file_name().and_then(OsStr::to_str);
    seasons.extend(name.and_then(number_of));
    let mut seasons = seasons.into_iter();
    seasons.next().filter(|_| seasons.next().is_none())
}

/// Returns the season of a file's name: `Show S01E02.mkv`.
fn of_file(name: &OsStr) -> Option<i64> {
    let name = name.to_str()?.to_lowercase();
    name.match_indices('s').find_map(|(at, _)| {
        let (before, after) = name.split_at_checked(at)?;
        let (season, rest) = natural::digits(after.strip_prefix('s')?);
        let episode = rest.strip_prefix('e')?;
        let is_code = !before.ends_with(char::is_alphanumeric)
            && episode.starts_with(|c: char| c.is_ascii_digit());
        whole(season).filter(|_| is_code)
    })
}

/// Parses a number of one to four digits.
fn whole(digits: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}
