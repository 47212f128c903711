//! How the videos of one folder form items.
//!
//! The episodes of a show are one item, wherever its seasons lie. The versions and the pieces of a
//! film are one item. Extras are one item beside their film or show.

mod families;
mod films;

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};

use ledge_core::names::{clean, natural};
use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member};

use crate::episode::{self, Episode, Form};
use crate::extras;
use crate::film::{self, Film};
use crate::name::slug;
use crate::show::{self, Setting};

pub(crate) use families::families;
use films::Films;

/// A season's episodes lie between its number times this and the next one's.
const SEASON: i64 = 1_000_000;
/// Specials follow every season, also those that are numbered by years.
const SPECIALS: i64 = 1_000_000;
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
    let mut others = Vec::new();
    let setting = Setting::of(folder);
    let episodes: Vec<Option<Episode>> = folder
        .files
        .iter()
        .map(|file| episode::parse(&file.stem))
        .collect();
    let alike = Alike::count(episodes.iter().flatten());
    for ((at, file), episode) in folder.files.iter().enumerate().zip(&episodes) {
        let episode = episode.as_ref();
        match episode.filter(|episode| alike.admits(&setting, file, episode)) {
            Some(episode) => groups.add_episode(&setting, at, episode),
            None if setting.season.is_some() => groups.add_to_season(&setting, at, file),
            None => others.push(at),
        }
    }
    Films::of(folder, others).add_to(&mut groups);
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

/// How many names of a folder are of each sort.
struct Alike(HashMap<(bool, String), usize>);

impl Alike {
    fn count<E: Borrow<Episode>>(episodes: impl Iterator<Item = E>) -> Self {
        let mut counts = HashMap::new();
        for sort in episodes.filter_map(|episode| sort_of(episode.borrow())) {
            *counts.entry(sort).or_default() += 1;
        }
        Self(counts)
    }

    /// Whether a file that is called as episodes are is one here.
    fn admits(&self, setting: &Setting, file: &FileName, episode: &Episode) -> bool {
        let others = sort_of(episode).and_then(|sort| self.0.get(&sort).copied());
        let has_year = || film::parse(&file.stem).year.is_some();
        setting.admits(episode, others.unwrap_or(0), has_year)
    }
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
        let sequence = begin_of(season).saturating_add(number);
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
        let sequence = begin_of(season)
            .saturating_add(UNNUMBERED)
            .saturating_add(place);
        let member = Member {
            season: Some(season),
            title: Some(film::parse(&file.stem).title).filter(|title| !title.is_empty()),
            ..Member::part(at, sequence)
        };
        self.add(key, member, || show_names(show));
    }
}

/// Returns the number before those of a season's episodes; season 0 are specials.
fn begin_of(season: i64) -> i64 {
    let place = if season == 0 { SPECIALS } else { season };
    place.saturating_mul(SEASON)
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
