//! Grouping data from the tags of a folder's files: albums, discs and track numbers.

use std::collections::{BTreeMap, HashSet};

use ledge_core::registry::naming::{FileName, FolderListing};

use super::album::same_name;
use crate::summary::without_disc;
use crate::tags::stored::AlbumTags;

/// Album data of each file, in folder order. `None` for files without stored tags.
pub(super) struct FolderTags(Vec<Option<AlbumTags>>);

/// Album within a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Album {
    pub(super) title: String,
    /// Key that distinguishes albums of the same title.
    pub(super) key: String,
    pub(super) files: Vec<usize>,
}

impl FolderTags {
    pub(super) fn new(folder: &FolderListing<'_>) -> Self {
        let parse = |file: &FileName| AlbumTags::parse(file.kind_data.as_deref()?);
        Self(folder.files.iter().map(parse).collect())
    }

    fn get(&self, at: usize) -> Option<&AlbumTags> {
        self.0.get(at)?.as_ref()
    }

    fn album(&self, at: usize) -> Option<String> {
        self.get(at)?.album.as_deref().map(without_disc)
    }

    /// Returns disc and track of the files if these numbers are distinct. With `is_enough`, more
    /// than half of the files must have a number; otherwise all of them.
    pub(super) fn numbers(
        &self,
        files: &[usize],
        is_enough: bool,
    ) -> Option<BTreeMap<usize, (Option<i64>, i64)>> {
        let number = |at: &usize| {
            let tags = self.get(*at)?;
            Some((*at, (tags.disc, tags.track?)))
        };
        let numbers: BTreeMap<_, _> = files.iter().filter_map(number).collect();
        let distinct: HashSet<_> = numbers.values().collect();
        let suffices =
            numbers.len() == files.len() || (is_enough && numbers.len() * 2 > files.len());
        (suffices && !numbers.is_empty() && distinct.len() == numbers.len()).then_some(numbers)
    }

    /// Returns `true` if the tags of all files name one album with this name.
    pub(super) fn is_album_named(&self, files: &[usize], name: &str) -> bool {
        !files.is_empty()
            && files
                .iter()
                .all(|at| self.album(*at).is_some_and(|album| same_name(&album, name)))
    }

    /// Returns the albums of some files, and the files without an album.
    pub(super) fn albums(&self, files: &[usize]) -> (Vec<Album>, Vec<usize>) {
        let mut by_title: BTreeMap<String, (String, Vec<usize>)> = BTreeMap::new();
        let mut others = Vec::new();
        for at in files {
            match self.album(*at) {
                Some(album) => {
                    let entry = by_title.entry(folded(&album));
                    entry.or_insert_with(|| (album, Vec::new())).1.push(*at);
                }
                None => others.push(*at),
            }
        }
        let albums = by_title.into_iter().flat_map(|(key, (title, files))| {
            self.by_artist(&files)
                .into_iter()
                .map(move |(artist, files)| Album {
                    title: title.clone(),
                    key: format!("{key}//{artist}"),
                    files,
                })
        });
        (albums.collect(), others)
    }

    /// Splits files of one album title by album artist.
    ///
    /// They stay one album if it is a compilation, or if most tracks name an artist of their own.
    fn by_artist(&self, files: &[usize]) -> Vec<(String, Vec<usize>)> {
        let mut by_artist: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut untagged = Vec::new();
        let mut is_compilation = false;
        for at in files {
            let tags = self.get(*at);
            is_compilation |= tags.is_some_and(|tags| tags.is_compilation);
            match tags.map(|tags| tags.album_artists.as_slice()) {
                None | Some([]) => untagged.push(*at),
                Some(names) => by_artist
                    .entry(folded(&names.join(" ")))
                    .or_default()
                    .push(*at),
            }
        }
        let is_one = by_artist.len() < 2
            || is_compilation
            || (by_artist.len() * 2 > files.len() && self.numbers(files, false).is_some());
        if is_one {
            return vec![(String::new(), files.to_vec())];
        }
        if let Some(largest) = by_artist.values_mut().max_by_key(|files| files.len()) {
            largest.extend(untagged);
            largest.sort_unstable();
        }
        by_artist.into_iter().collect()
    }
}

/// Returns the letters and digits in lower case. A name without any is returned unchanged.
fn folded(name: &str) -> String {
    let letters: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if letters.is_empty() {
        name.to_owned()
    } else {
        letters
    }
}
