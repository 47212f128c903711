//! Partition of a large folder into sets of files that can be grouped independently.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ledge_core::registry::naming::{FileName, FolderListing};

use super::films::Films;
use super::{EpisodeStyleCount, style_key};
use crate::naming::episode;
use crate::naming::film;
use crate::naming::name::{is_of_release, slug};
use crate::naming::show::{self, ShowContext};

/// Returns a partition id per file. Files of one item share an id, and so do files that influence
/// each other's grouping.
pub(crate) fn partition(folder: &FolderListing<'_>) -> Vec<u64> {
    let context = ShowContext::from_folder(folder);
    let is_one = show::owner_of_extras(folder).is_some()
        // The position of a file without a number depends on all other files.
        || context.season.is_some()
        // All files together decide whether the folder contains a single film.
        || folder.name().is_some_and(is_of_release);
    if is_one {
        return vec![0; folder.files.len()];
    }
    let parse = |file: &FileName| episode::parse(&file.stem);
    let style_counts = EpisodeStyleCount::new(folder.files.iter().filter_map(parse));
    let mut sets = UnionFind::new(folder.files.len());
    let mut others = Vec::new();
    for (at, file) in folder.files.iter().enumerate() {
        let episode = parse(file);
        if let Some(key) = episode.as_ref().and_then(style_key) {
            sets.link(at, &LinkKey::Style(key.0, &key.1));
        }
        match episode.filter(|episode| style_counts.accepts(&context, file, episode)) {
            Some(episode) => sets.link(at, &LinkKey::Item(&context.show_for(&episode.show).0)),
            None => others.push(at),
        }
    }
    link_films(&mut sets, &Films::new(folder, others), folder);
    sets.partition_ids()
}

fn link_films(sets: &mut UnionFind, films: &Films<'_>, folder: &FolderListing<'_>) {
    for &at in &films.extras_files {
        sets.link(at, &LinkKey::Extras);
    }
    for &at in &films.main_files {
        let numbered_part = folder
            .files
            .get(at)
            .and_then(|file| film::numbered_part(&file.stem));
        if let Some((base, _)) = numbered_part {
            sets.link(at, &LinkKey::Stack(&slug(&base)));
        }
        sets.link(at, &LinkKey::Item(&films.identity(at, &films.film(at)).0));
    }
}

/// Relations that force files into one partition.
#[derive(Hash)]
enum LinkKey<'a> {
    /// Key of the common item.
    Item(&'a str),
    /// Style and show: the number of such names decides whether they are episodes.
    Style(bool, &'a str),
    /// Name of a film in parts: all part numbers together decide whether these are parts.
    Stack(&'a str),
    /// Extras next to their film.
    Extras,
}

/// Union-find structure over files. Each entry refers to an earlier file of the same set, or to
/// itself.
struct UnionFind {
    parents: Vec<usize>,
    /// First file of each relation, by the relation's hash. A hash collision merges two sets, which
    /// is harmless.
    first: HashMap<u64, usize>,
}

impl UnionFind {
    fn new(files: usize) -> Self {
        Self {
            parents: (0..files).collect(),
            first: HashMap::new(),
        }
    }

    fn link(&mut self, at: usize, key: &LinkKey<'_>) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let other = *self.first.entry(hasher.finish()).or_insert(at);
        self.join(at, other);
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(parent) = self.parents.get_mut(one.max(other)) {
            *parent = one.min(other);
        }
    }

    /// Returns the first file of a set, with path halving.
    fn root(&mut self, mut at: usize) -> usize {
        loop {
            let parent = self.parents.get(at).copied().unwrap_or(at);
            if parent == at {
                return at;
            }
            let next = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(parent) = self.parents.get_mut(at) {
                *parent = next;
            }
            at = next;
        }
    }

    fn partition_ids(mut self) -> Vec<u64> {
        let files = 0..self.parents.len();
        files.map(|at| self.root(at) as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ledge_core::registry::naming::ItemNames;
    use proptest::prelude::*;

    use super::super::group;
    use super::*;

    /// Group with the names of its files instead of their indices.
    type Named = (ItemNames, Vec<(String, Option<i64>, Option<String>)>);

    fn grouped(path: &str, names: &[String]) -> BTreeMap<String, Named> {
        let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
        let groups = group(&listing(path, &files)).into_iter().map(|group| {
            let members = group.members.iter().map(|member| {
                let name = files[member.file].name.clone();
                (name, member.sequence, member.title.clone())
            });
            (group.key, (group.names, members.collect()))
        });
        groups.collect()
    }

    fn listing<'a>(path: &'a str, files: &'a [FileName]) -> FolderListing<'a> {
        FolderListing {
            library: "Library",
            path,
            files,
            folders: &[],
        }
    }

    fn in_parts(path: &str, names: &[String], count: u64) -> BTreeMap<String, Named> {
        let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
        let partition = partition(&listing(path, &files));
        assert_eq!(partition.len(), files.len());
        let part = |number: u64| -> Vec<String> {
            let of_part = names.iter().zip(&partition);
            let of_part = of_part.filter(|(_, family)| *family % count == number);
            of_part.map(|(name, _)| name.clone()).collect()
        };
        (0..count)
            .flat_map(|number| grouped(path, &part(number)))
            .collect()
    }

    fn name() -> impl Strategy<Value = String> {
        let title = prop::sample::select(vec!["Alien", "Alien 3", "Show", "Blue", "Holidays", ""]);
        let marks = vec![
            "",
            " (1979)",
            " 1979",
            " (1986)",
            " - 12",
            " - 13",
            " S01E02",
            " 1x03",
            " Episode 5",
            " - 2021-03-04",
            " - 2021-03-05",
            " cd1",
            " cd2",
            " part 1",
            "-trailer",
            "-featurette",
            " 1080p",
            " Director's Cut",
            "105",
            "05 - Title",
        ];
        let mark = prop::sample::select(marks);
        let group = prop::sample::select(vec!["", "[Group] "]);
        let extension = prop::sample::select(vec!["mkv", "mp4"]);
        (group, title, mark.clone(), mark, extension)
            .prop_map(|(group, title, a, b, extension)| format!("{group}{title}{a}{b}.{extension}"))
    }

    proptest! {
        #[test]
        fn partitions_group_like_the_whole_folder(
            mut names in prop::collection::vec(name(), 1..40),
            path in prop::sample::select(vec![
                "", "Movies", "Show", "Alien (1979)", "Holidays 2019", "Show/Season 1",
                "Alien (1979)/Extras", "TV/Show S01E02",
            ]),
            count in 1..6_u64,
        ) {
            names.sort();
            names.dedup();
            prop_assert_eq!(in_parts(path, &names, count), grouped(path, &names));
        }
    }

    #[test]
    fn unrelated_films_have_different_partitions() {
        let names: Vec<String> = (0..50)
            .map(|number| format!("Film number {number} (1990).mkv"))
            .collect();
        let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
        let mut partition = partition(&listing("Movies", &files));
        partition.sort_unstable();
        partition.dedup();
        assert!(partition.len() > 40, "{partition:?}");
    }
}
