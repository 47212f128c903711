//! Everything in a folder that is no episode: films, their pieces, versions and extras, and clips.

use std::collections::HashMap;

use ledge_core::names::clean;
use ledge_core::registry::naming::{FolderListing, ItemNames, Member, join};

use super::{Groups, extras_of};
use crate::extras;
use crate::film::{self, Film};
use crate::name::{self, is_generic, slug};

/// The films of a folder.
pub(super) struct Films<'a> {
    folder: &'a FolderListing<'a>,
    /// The film that the folder is called after.
    owner: Option<Film>,
    /// Whether the folder is of one film, and no other lies in it.
    alone: bool,
    /// Extras that lie beside their film.
    pub(super) bonus: Vec<usize>,
    /// All that are none.
    pub(super) mains: Vec<usize>,
    /// The pieces of films, by file: the name without the piece's number, and the number.
    pieces: HashMap<usize, (String, i64)>,
}

impl<'a> Films<'a> {
    /// Of these files.
    pub(super) fn of(folder: &'a FolderListing<'a>, files: Vec<usize>) -> Self {
        let owner = folder
            .name()
            .filter(|name| !is_generic(name))
            .map(film::parse);
        let owner = owner.filter(|film| film.year.is_some() && !film.title.is_empty());
        let (extra, mains): (Vec<usize>, Vec<usize>) = files.into_iter().partition(|at| {
            !folder.path.is_empty() && extras::without_suffix(stem(folder, *at)).is_some()
        });
        let pieces = pieces(&mains, |at| stem(folder, at));
        let alone = mains.len() == 1 || !pieces.is_empty() && pieces.len() == mains.len();
        // `Holidays 2019` is a folder of clips, `Title (2019)` and `Title.2019.1080p` are a film's.
        let alone = alone && folder.name().is_some_and(name::is_of_release);
        Self {
            folder,
            owner,
            alone,
            bonus: extra,
            mains,
            pieces,
        }
    }

    /// What the names say of one of the films.
    pub(super) fn film(&self, at: usize) -> Film {
        let piece = self.pieces.get(&at);
        let name = piece.map_or(stem(self.folder, at), |(base, _)| base.as_str());
        let mut film = film::parse(name);
        let owner = self.owner.as_ref();
        if let Some(owner) = owner.filter(|owner| belongs(&film, owner, self.alone)) {
            (film.title, film.year) = (owner.title.clone(), owner.year);
            let mut facts = owner.facts.clone();
            facts.append(&mut film.facts);
            film.facts = facts;
        }
        film
    }

    /// Key and title: files of one folder with the same title and year are versions of one film.
    pub(super) fn identity(&self, at: usize, film: &Film) -> (String, String) {
        identity(self.folder, at, film)
    }

    /// Adds a group for each film, and one for the extras beside them.
    pub(super) fn add_to(self, groups: &mut Groups) {
        for &at in &self.mains {
            let film = self.film(at);
            let (key, title) = self.identity(at, &film);
            let member = match self.pieces.get(&at) {
                Some((_, number)) => Member::part(at, *number),
                None => Member {
                    title: film.version.clone(),
                    ..Member::alternative(at)
                },
            };
            groups.add(key, member, || film_names(title, film));
        }
        finish_films(groups);
        if self.bonus.is_empty() {
            return;
        }
        let folder = self.folder;
        let owner = self
            .owner
            .or_else(|| folder.name().map(film::parse))
            .unwrap_or_default();
        let key = join(folder.path, extras::FOLDER);
        let group = extras_of(&owner, extras::FOLDER, key, folder, self.bonus);
        groups.0.insert(group.key.clone(), group);
    }
}

fn stem<'a>(folder: &FolderListing<'a>, at: usize) -> &'a str {
    folder.files.get(at).map_or("", |file| file.stem.as_str())
}

/// Whether a file in the folder `Title (Year)` is that film: it bears its name, or its name says
/// nothing else and it lies there alone.
fn belongs(film: &Film, owner: &Film, alone: bool) -> bool {
    let same_year = film.year.is_none() || film.year == owner.year;
    let (own, of_folder) = (slug(&film.title), slug(&owner.title));
    let rest = own.strip_prefix(of_folder.as_str());
    // `Alien 3` is not a version of `Alien`.
    let same =
        rest.is_some_and(|rest| !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    same_year && (alone || same || own.is_empty())
}

/// Key and title: files of one folder with the same title and year are versions of one film.
fn identity(folder: &FolderListing<'_>, at: usize, film: &Film) -> (String, String) {
    let name = folder.files.get(at).map_or("", |file| file.name.as_str());
    let stem = folder.files.get(at).map_or("", |file| file.stem.as_str());
    let title = [film.title.clone(), clean::plain(stem), clean::plain(name)]
        .into_iter()
        .find(|title| !title.is_empty())
        .unwrap_or_else(|| "Untitled".to_owned());
    let gap = if folder.path.is_empty() { "" } else { "/" };
    let year = film.year.map(|year| format!(" {year}")).unwrap_or_default();
    // No path has an empty part: these keys meet no other key.
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

/// An edition is a fact of the film only where there is no other version.
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

/// The pieces of films, by file: the name without the piece's number, and the number.
fn pieces<'a>(films: &[usize], stem: impl Fn(usize) -> &'a str) -> HashMap<usize, (String, i64)> {
    let mut stacks: HashMap<String, Vec<(usize, String, i64)>> = HashMap::new();
    for &at in films {
        if let Some((base, number)) = film::stacked(stem(at)) {
            stacks
                .entry(slug(&base))
                .or_default()
                .push((at, base, number));
        }
    }
    let sound = |stack: &Vec<(usize, String, i64)>| {
        let mut numbers: Vec<i64> = stack.iter().map(|(_, _, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        stack.len() > 1 && numbers.len() == stack.len()
    };
    stacks
        .into_values()
        .filter(sound)
        .flatten()
        .map(|(at, base, number)| (at, (base, number)))
        .collect()
}
