//! Grouping of the files that are not episodes: films with parts, versions and extras, and clips.

use std::collections::HashMap;

use ledge_core::registry::naming::{FolderListing, ItemNames, Member, join};
use ledge_core::text::names::clean;

use super::{Groups, extras_group};
use crate::naming::extras;
use crate::naming::film::{self, Film};
use crate::naming::name::{self, is_generic, slug};

/// Films of a folder.
pub(super) struct Films<'a> {
    folder: &'a FolderListing<'a>,
    /// Film after which the folder is named.
    owner: Option<Film>,
    /// `true` if the folder contains a single film and its name looks like that of a film.
    is_only_film: bool,
    /// Extras in the folder of their film.
    pub(super) extras_files: Vec<usize>,
    /// Files that are not extras.
    pub(super) main_files: Vec<usize>,
    /// Parts of films by file: the name without the part number, and the number.
    parts: HashMap<usize, (String, i64)>,
}

impl<'a> Films<'a> {
    /// Sorts these files of the folder into films, parts and extras.
    pub(super) fn new(folder: &'a FolderListing<'a>, files: Vec<usize>) -> Self {
        let owner = folder
            .name()
            .filter(|name| !is_generic(name))
            .map(film::parse);
        let owner = owner.filter(|film| film.year.is_some() && !film.title.is_empty());
        let (extras_files, main_files): (Vec<usize>, Vec<usize>) =
            files.into_iter().partition(|at| {
                !folder.path.is_empty() && extras::without_suffix(stem(folder, *at)).is_some()
            });
        let parts = parts(&main_files, |at| stem(folder, at));
        let is_only_film =
            main_files.len() == 1 || !parts.is_empty() && parts.len() == main_files.len();
        // `Holidays 2019` is a folder of clips. `Title (2019)` and `Title.2019.1080p` are folders
        // of a film.
        let is_only_film = is_only_film && folder.name().is_some_and(name::is_of_release);
        Self {
            folder,
            owner,
            is_only_film,
            extras_files,
            main_files,
            parts,
        }
    }

    /// Returns the parsed name of a film, completed from the folder's name.
    pub(super) fn film(&self, at: usize) -> Film {
        let part = self.parts.get(&at);
        let name = part.map_or(stem(self.folder, at), |(base, _)| base.as_str());
        let mut film = film::parse(name);
        let owner = self.owner.as_ref();
        if let Some(owner) = owner.filter(|owner| is_owner_film(&film, owner, self.is_only_film)) {
            (film.title, film.year) = (owner.title.clone(), owner.year);
            let mut facts = owner.facts.clone();
            facts.append(&mut film.facts);
            film.facts = facts;
        }
        film
    }

    /// Returns key and title. Files of one folder with equal title and year are versions of one
    /// film.
    pub(super) fn identity(&self, at: usize, film: &Film) -> (String, String) {
        identity(self.folder, at, film)
    }

    /// Adds one group per film, and one for the extras.
    pub(super) fn add_to(self, groups: &mut Groups) {
        for &at in &self.main_files {
            let film = self.film(at);
            let (key, title) = self.identity(at, &film);
            let member = match self.parts.get(&at) {
                Some((_, number)) => Member::part(at, *number),
                None => Member {
                    title: film.version.clone(),
                    ..Member::alternative(at)
                },
            };
            groups.add(key, member, || film_names(title, film));
        }
        finish_films(groups);
        if self.extras_files.is_empty() {
            return;
        }
        let folder = self.folder;
        let owner = self
            .owner
            .or_else(|| folder.name().map(film::parse))
            .unwrap_or_default();
        let key = join(folder.path, extras::FOLDER);
        let group = extras_group(&owner, extras::FOLDER, key, folder, self.extras_files);
        groups.0.insert(group.key.clone(), group);
    }
}

fn stem<'a>(folder: &FolderListing<'a>, at: usize) -> &'a str {
    folder.files.get(at).map_or("", |file| file.stem.as_str())
}

/// Returns `true` if a file in the folder `Title (Year)` is that film. Either it has the folder's
/// title, or it is the only film there.
fn is_owner_film(film: &Film, owner: &Film, is_only_film: bool) -> bool {
    let same_year = film.year.is_none() || film.year == owner.year;
    let (film_slug, folder_slug) = (slug(&film.title), slug(&owner.title));
    let rest = film_slug.strip_prefix(folder_slug.as_str());
    // `Alien 3` is not a version of `Alien`.
    let same =
        rest.is_some_and(|rest| !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    same_year && (is_only_film || same || film_slug.is_empty())
}

/// Returns key and title. Files of one folder with equal title and year are versions of one film.
fn identity(folder: &FolderListing<'_>, at: usize, film: &Film) -> (String, String) {
    let name = folder.files.get(at).map_or("", |file| file.name.as_str());
    let stem = folder.files.get(at).map_or("", |file| file.stem.as_str());
    let title = [film.title.clone(), clean::plain(stem), clean::plain(name)]
        .into_iter()
        .find(|title| !title.is_empty())
        .unwrap_or_else(|| "Untitled".to_owned());
    let gap = if folder.path.is_empty() { "" } else { "/" };
    let year = film.year.map(|year| format!(" {year}")).unwrap_or_default();
    // Paths have no empty components, so these keys cannot collide with other keys.
    let key = format!("{}{gap}/film/{}{year}", folder.path, slug(&title));
    (key, title)
}

fn film_names(title: String, film: Film) -> ItemNames {
    let mut names = ItemNames {
        title,
        year: film.year,
        facts: film.facts,
        ..ItemNames::default()
    };
    if let Some(edition) = film.edition {
        names.facts.insert("edition".to_owned(), edition.into());
    }
    names
}

/// Keeps the edition as a fact of the film only if there is a single version.
fn finish_films(groups: &mut Groups) {
    for group in groups.0.values_mut() {
        let versions = group
            .members
            .iter()
            .filter(|member| member.sequence.is_none())
            .count();
        if versions > 1 {
            group.names.facts.remove("edition");
        } else if versions == 1 {
            for member in &mut group.members {
                member.title = None;
            }
        }
    }
}

/// Collects the parts of films by file: the name without the part number, and the number.
fn parts<'a>(films: &[usize], stem: impl Fn(usize) -> &'a str) -> HashMap<usize, (String, i64)> {
    let mut stacks: HashMap<String, Vec<(usize, String, i64)>> = HashMap::new();
    for &at in films {
        if let Some((base, number)) = film::numbered_part(stem(at)) {
            stacks
                .entry(slug(&base))
                .or_default()
                .push((at, base, number));
        }
    }
    let has_distinct_numbers = |stack: &Vec<(usize, String, i64)>| {
        let mut numbers: Vec<i64> = stack.iter().map(|(_, _, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        stack.len() > 1 && numbers.len() == stack.len()
    };
    stacks
        .into_values()
        .filter(has_distinct_numbers)
        .flatten()
        .map(|(at, base, number)| (at, (base, number)))
        .collect()
}
