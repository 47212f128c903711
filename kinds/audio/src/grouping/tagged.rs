//! What the files of a folder say about where they belong: their albums and their numbers.

use std::collections::{BTreeMap, HashSet};

use ledge_core::registry::naming::{FileName, FolderListing};

use super::album::alike;
use crate::said::Belonging;
use crate::together::of_all_discs;

/// What each file of a folder said of that when it was read.
pub(super) struct Tagged(Vec<Option<Belonging>>);

/// One album among the files of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Album {
    pub(super) title: String,
    /// Tells it from its namesakes by others.
    pub(super) key: String,
    pub(super) files: Vec<usize>,
}

impl Tagged {
    pub(super) fn of(folder: &FolderListing<'_>) -> Self {
        let said = |file: &FileName| Belonging::read(file.said.as_deref()?);
        Self(folder.files.iter().map(said).collect())
    }

    fn get(&self, at: usize) -> Option<&Belonging> {
        self.0.get(at)?.as_ref()
    }

    fn album(&self, at: usize) -> Option<String> {
        self.get(at)?.album.as_deref().map(of_all_discs)
    }

    /// Disc and track of every file, where they tell the files apart. Where `is_enough` most of
    /// them may do, else all must have numbers.
    pub(super) fn numbers(
        &self,
        files: &[usize],
        is_enough: bool,
    ) -> Option<BTreeMap<usize, (Option<i64>, i64)>> {
        let number = |at: &usize| {
            let said = self.get(*at)?;
            Some((*at, (said.disc, said.track?)))
        };
        let numbers: BTreeMap<_, _> = files.iter().filter_map(number).collect();
        let distinct: HashSet<_> = numbers.values().collect();
        let suffices =
            numbers.len() == files.len() || (is_enough && numbers.len() * 2 > files.len());
        (suffices && !numbers.is_empty() && distinct.len() == numbers.len()).then_some(numbers)
    }

    /// Whether all the files say that they are of one album that bears this name.
    pub(super) fn is_album_called(&self, files: &[usize], name: &str) -> bool {
        !files.is_empty()
            && files
                .iter()
                .all(|at| self.album(*at).is_some_and(|album| alike(&album, name)))
    }

    /// The albums of some files, and the files that name none.
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

    /// Files of albums of one title by their album artists: several only where those are as many
    /// albums, and not one on which every track names its own.
    fn by_artist(&self, files: &[usize]) -> Vec<(String, Vec<usize>)> {
        let mut by_artist: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut unsaid = Vec::new();
        let mut is_compilation = false;
        for at in files {
            let said = self.get(*at);
            is_compilation |= said.is_some_and(|said| said.is_compilation);
            match said.map(|said| said.album_artists.as_slice()) {
                None | Some([]) => unsaid.push(*at),
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
            largest.extend(unsaid);
            largest.sort_unstable();
        }
        by_artist.into_iter().collect()
    }
}

/// Letters and digits alone, in lower case; of names without any the name itself.
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
