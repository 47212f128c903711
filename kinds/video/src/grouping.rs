//! How the videos of one folder form items.
//!
//! The episodes of a show are one item, wherever its seasons lie. The versions and the pieces of a
//! film are one item. Extras are one item beside their film or show.

use std::collections::{BTreeMap, HashMap};

use ledge_core::names::{clean, natural};
use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member, join};

use crate::episode::{self, Episode, Form};
use crate::extras;
use crate::film::{self, Film};
use crate::name::{self, is_generic, slug};
use crate::show::{self, Setting};

/// A season's episodes lie between its number times this and the next one's.
const SEASON: i64 = 1_000_000;
/// Files of a season without a number follow its episodes.
const UNNUMBERED: i64 = 500_000;

/// The groups of a folder.
pub(crate) fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    if folder.files.is_empty() {
        return Vec::new();
    }
    if let Some(owner) = show::owner_of_extras(folder) {
        let all = (0..folder.files.len()).collect();
        let name = folder.name().unwrap_or(extras::FOLDER);
        return vec![extras_of(&owner, name, folder.path.to_owned(), folder, all)];
    }
    let mut groups = Groups::default();
    let mut films = Vec::new();
    let setting = Setting::of(folder);
    let episodes: Vec<Option<Episode>> = folder
        .files
        .iter()
        .map(|file| episode::parse(&file.stem))
        .collect();
    let alike = count_alike(&episodes);
    for (at, file) in folder.files.iter().enumerate() {
        let episode = episodes.get(at).and_then(Option::as_ref).filter(|episode| {
            let others = sort_of(episode).and_then(|sort| alike.get(&sort).copied());
            let has_year = || film::parse(&file.stem).year.is_some();
            setting.admits(episode, others.unwrap_or(0), has_year)
        });
        match episode {
            Some(episode) => groups.add_episode(&setting, at, episode),
            None if setting.season.is_some() => groups.add_to_season(&setting, at, file),
            None => films.push(at),
        }
    }
    add_films(&mut groups, folder, films);
    groups.0.into_values().collect()
}

/// Form and show of names that are episodes only beside others of their sort.
fn sort_of(episode: &Episode) -> Option<(bool, String)> {
    match episode.form {
        Form::Dated => Some((true, slug(&episode.show))),
        Form::Counted | Form::Released => Some((false, slug(&episode.show))),
        Form::Numbered | Form::Bare => None,
    }
}

/// How many names are of each sort.
fn count_alike(episodes: &[Option<Episode>]) -> HashMap<(bool, String), usize> {
    let mut counts = HashMap::new();
    for sort in episodes.iter().flatten().filter_map(sort_of) {
        *counts.entry(sort).or_default() += 1;
    }
    counts
}

/// The groups by their keys.
#[derive(Default)]
struct Groups(BTreeMap<String, Group>);

impl Groups {
    fn add(&mut self, key: String, member: Member, names: impl FnOnce() -> ItemNames) {
        let group = self.0.entry(key).or_insert_with_key(|key| Group {
            key: key.clone(),
            members: Vec::new(),
            names: names(),
        });
        group.members.push(member);
    }

    fn add_episode(&mut self, setting: &Setting, file: usize, episode: &Episode) {
        let (season, number) = numbered(setting, episode);
        let (key, show) = setting.show_of(&episode.show);
        let sequence = season.saturating_mul(SEASON).saturating_add(number);
        let member = Member {
            season: Some(season),
            episode: Some(number),
            title: episode.title.clone(),
            ..Member::part(file, sequence)
        };
        self.add(key, member, || show_names(show));
    }

    /// A file below a season's folder whose name has no number.
    fn add_to_season(&mut self, setting: &Setting, at: usize, file: &FileName) {
        let season = setting.season.unwrap_or(0);
        let (key, show) = setting.show_of("");
        let place = i64::try_from(at).unwrap_or(0);
        let sequence = season.saturating_mul(SEASON) + UNNUMBERED + place;
        let member = Member {
            season: Some(season),
            title: Some(film::parse(&file.stem).title).filter(|title| !title.is_empty()),
            ..Member::part(at, sequence)
        };
        self.add(key, member, || show_names(show));
    }
}

/// Season and episode. The folder says the season where the name does not; a name without either
/// is of the first season. `105` below `Season 1` is its fifth episode.
fn numbered(setting: &Setting, episode: &Episode) -> (i64, i64) {
    let season = episode.season.or(setting.season).unwrap_or(1);
    let number = episode.number;
    let joined = episode.form == Form::Bare && number >= 100 && number / 100 == season;
    (season, if joined { number % 100 } else { number })
}

fn show_names(show: Film) -> ItemNames {
    ItemNames {
        title: show.title,
        year: show.year,
        facts: show.facts,
        ..ItemNames::default()
    }
}

/// Everything that is no episode: films, their pieces, versions and extras, and clips.
fn add_films(groups: &mut Groups, folder: &FolderListing<'_>, films: Vec<usize>) {
    let owner = folder
        .name()
        .filter(|name| !is_generic(name))
        .map(film::parse);
    let owner = owner.filter(|film| film.year.is_some() && !film.title.is_empty());
    let stem = |at: usize| folder.files.get(at).map_or("", |file| file.stem.as_str());
    let (bonus, films): (Vec<usize>, Vec<usize>) = films
        .into_iter()
        .partition(|at| !folder.path.is_empty() && extras::without_suffix(stem(*at)).is_some());
    let pieces = pieces(&films, stem);
    let alone = films.len() == 1 || !pieces.is_empty() && pieces.len() == films.len();
    // `Holidays 2019` is a folder of clips, `Title (2019)` and `Title.2019.1080p` are a film's.
    let alone = alone && folder.name().is_some_and(name::is_of_release);
    for at in films {
        let piece = pieces.get(&at);
        let name = piece.map_or(stem(at), |(base, _)| base.as_str());
        let mut film = film::parse(name);
        if let Some(owner) = owner.as_ref().filter(|owner| belongs(&film, owner, alone)) {
            (film.title, film.year) = (owner.title.clone(), owner.year);
            let mut facts = owner.facts.clone();
            facts.append(&mut film.facts);
            film.facts = facts;
        }
        let (key, title) = film_identity(folder, at, &film);
        let member = match piece {
            Some((_, number)) => Member::part(at, *number),
            None => Member {
                title: film.version.clone(),
                ..Member::alternative(at)
            },
        };
        groups.add(key, member, || film_names(title, film));
    }
    finish_films(groups);
    if !bonus.is_empty() {
        let owner = owner
            .or_else(|| folder.name().map(film::parse))
            .unwrap_or_default();
        let group = extras_of(
            &owner,
            extras::FOLDER,
            join(folder.path, extras::FOLDER),
            folder,
            bonus,
        );
        groups.0.insert(group.key.clone(), group);
    }
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
fn film_identity(folder: &FolderListing<'_>, at: usize, film: &Film) -> (String, String) {
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

/// One item of a film's or show's extras.
fn extras_of(
    owner: &Film,
    name: &str,
    key: String,
    folder: &FolderListing<'_>,
    mut files: Vec<usize>,
) -> Group {
    let stem = |at: usize| folder.files.get(at).map_or("", |file| file.stem.as_str());
    files.sort_by(|a, b| natural::cmp(stem(*a), stem(*b)));
    let member = |(place, at): (usize, usize)| {
        let bare = extras::without_suffix(stem(at)).unwrap_or(stem(at));
        Member {
            title: Some(clean::spaced(bare)).filter(|title| !title.is_empty()),
            ..Member::part(at, i64::try_from(place + 1).unwrap_or(i64::MAX))
        }
    };
    let mut names = ItemNames::titled(format!("{}: {}", owner.title, clean::spaced(name)));
    names.year = owner.year;
    names
        .facts
        .insert("extras_of".to_owned(), owner.title.clone().into());
    Group {
        key,
        members: files.into_iter().enumerate().map(member).collect(),
        names,
    }
}
