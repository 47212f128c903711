//! Families: which files of a folder of very many have to be grouped together, so that the others
//! can be grouped without them.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ledge_core::registry::naming::{FileName, FolderListing};

use super::films::Films;
use super::{Alike, sort_of};
use crate::episode;
use crate::film;
use crate::name::{is_of_release, slug};
use crate::show::{self, Setting};

/// Files of one item are of one family, and so are those that bear on whether they are.
pub(crate) fn families(folder: &FolderListing<'_>) -> Vec<u64> {
    let setting = Setting::of(folder);
    let is_one = show::owner_of_extras(folder).is_some()
        // A name without a number has its place by all the others'.
        || setting.season.is_some()
        // Whether a film lies alone in its folder, all of them tell.
        || folder.name().is_some_and(is_of_release);
    if is_one {
        return vec![0; folder.files.len()];
    }
    let parse = |file: &FileName| episode::parse(&file.stem);
    let alike = Alike::count(folder.files.iter().filter_map(parse));
    let mut kin = Kin::new(folder.files.len());
    let mut others = Vec::new();
    for (at, file) in folder.files.iter().enumerate() {
        let episode = parse(file);
        if let Some(sort) = episode.as_ref().and_then(sort_of) {
            kin.bind(at, &Bond::Sort(sort.0, &sort.1));
        }
        match episode.filter(|episode| alike.admits(&setting, file, episode)) {
            Some(episode) => kin.bind(at, &Bond::Item(&setting.show_of(&episode.show).0)),
            None => others.push(at),
        }
    }
    bind_films(&mut kin, &Films::of(folder, others), folder);
    kin.families()
}

fn bind_films(kin: &mut Kin, films: &Films<'_>, folder: &FolderListing<'_>) {
    for &at in &films.bonus {
        kin.bind(at, &Bond::Bonus);
    }
    for &at in &films.mains {
        let stacked = folder
            .files
            .get(at)
            .and_then(|file| film::stacked(&file.stem));
        if let Some((base, _)) = stacked {
            kin.bind(at, &Bond::Stack(&slug(&base)));
        }
        kin.bind(at, &Bond::Item(&films.identity(at, &films.film(at)).0));
    }
}

/// What binds files to each other.
#[derive(Hash)]
enum Bond<'a> {
    /// The key of the item that they are of.
    Item(&'a str),
    /// How many there are of a sort decides whether they are episodes.
    Sort(bool, &'a str),
    /// The numbers of all that may be pieces decide whether they are.
    Stack(&'a str),
    /// Extras beside their film.
    Bonus,
}

/// Files bound to each other, also through others: each leads to one that was bound before it.
struct Kin {
    leads: Vec<usize>,
    /// The first file of each bond, by the bond's hash: two that meet make one family of two.
    first: HashMap<u64, usize>,
}

impl Kin {
    fn new(files: usize) -> Self {
        Self {
            leads: (0..files).collect(),
            first: HashMap::new(),
        }
    }

    fn bind(&mut self, at: usize, bond: &Bond<'_>) {
        let mut hasher = DefaultHasher::new();
        bond.hash(&mut hasher);
        let other = *self.first.entry(hasher.finish()).or_insert(at);
        self.join(at, other);
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.head(one), self.head(other));
        if let Some(lead) = self.leads.get_mut(one.max(other)) {
            *lead = one.min(other);
        }
    }

    /// The first of a file's family; the way there is halved as it is gone.
    fn head(&mut self, mut at: usize) -> usize {
        loop {
            let lead = self.leads.get(at).copied().unwrap_or(at);
            if lead == at {
                return at;
            }
            let next = self.leads.get(lead).copied().unwrap_or(lead);
            if let Some(lead) = self.leads.get_mut(at) {
                *lead = next;
            }
            at = next;
        }
    }

    fn families(mut self) -> Vec<u64> {
        let files = 0..self.leads.len();
        files.map(|at| self.head(at) as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ledge_core::registry::naming::ItemNames;
    use proptest::prelude::*;

    use super::super::group;
    use super::*;

    /// A group with the names of its files for their places.
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
        let families = families(&listing(path, &files));
        assert_eq!(families.len(), files.len());
        let part = |number: u64| -> Vec<String> {
            let of_part = names.iter().zip(&families);
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
        fn families_are_grouped_alone_as_they_are_among_all(
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
    fn what_has_nothing_to_do_with_each_other_is_of_many_families() {
        let names: Vec<String> = (0..50)
            .map(|number| format!("Film number {number} (1990).mkv"))
            .collect();
        let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
        let mut families = families(&listing("Movies", &files));
        families.sort_unstable();
        families.dedup();
        assert!(families.len() > 40, "{families:?}");
    }
}
