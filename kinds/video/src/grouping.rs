//! Grouping of the videos of one folder into items.
//!
//! - The episodes of a show are one item, even if its seasons are in different folders.
//! - The versions and parts of a film are one item.
//! - The extras of a film or show are one item of their own.

mod films;
mod partition;
pub(crate) mod subkind;

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};

use ledge_core::registry::naming::{FileName, FolderListing, Group, ItemNames, Member};
use ledge_core::text::names::{clean, natural};

use crate::naming::episode::{self, Episode, NamingStyle};
use crate::naming::extras;
use crate::naming::film::{self, Film};
use crate::naming::name::slug;
use crate::naming::show::{self, ShowContext};

use films::Films;
pub(crate) use partition::partition;

/// Factor between season numbers in the sort order of episodes.
const SEASON: i64 = 1_000_000;
/// Season number that sorts specials after every season, including seasons numbered by years.
const SPECIALS: i64 = 1_000_000;
/// Offset that sorts files without a number after the episodes of their season.
const UNNUMBERED: i64 = 500_000;

/// Groups the files of a folder.
pub(crate) fn group(folder: &FolderListing<'_>) -> Vec<Group> {
    if folder.files.is_empty() {
        return Vec::new();
    }
    if let Some(owner) = show::owner_of_extras(folder) {
        let all = (0..folder.files.len()).collect();
        let name = folder.name().unwrap_or(extras::FOLDER);
        return vec![extras_group(
            &owner,
            name,
            folder.path.to_owned(),
            folder,
            all,
        )];
    }
    let mut groups = Groups::default();
    let mut others = Vec::new();
    let context = ShowContext::from_folder(folder);
    let episodes: Vec<Option<Episode>> = folder
        .files
        .iter()
        .map(|file| episode::parse(&file.stem))
        .collect();
    let style_counts = EpisodeStyleCount::new(episodes.iter().flatten());
    for ((at, file), episode) in folder.files.iter().enumerate().zip(&episodes) {
        let episode = episode.as_ref();
        match episode.filter(|episode| style_counts.accepts(&context, file, episode)) {
            Some(episode) => groups.add_episode(&context, at, episode),
            None if context.season.is_some() => groups.add_to_season(&context, at, file),
            None => others.push(at),
        }
    }
    Films::new(folder, others).add_to(&mut groups);
    groups.0.into_values().collect()
}

/// Returns the style and show of names that count as episodes only next to similar names.
fn style_key(episode: &Episode) -> Option<(bool, String)> {
    match episode.style {
        NamingStyle::Dated => Some((true, slug(&episode.show))),
        NamingStyle::Counted | NamingStyle::Released => Some((false, slug(&episode.show))),
        NamingStyle::Numbered | NamingStyle::Bare => None,
    }
}

/// Number of names in a folder per style and show.
struct EpisodeStyleCount(HashMap<(bool, String), usize>);

impl EpisodeStyleCount {
    fn new<E: Borrow<Episode>>(episodes: impl Iterator<Item = E>) -> Self {
        let mut counts = HashMap::new();
        for key in episodes.filter_map(|episode| style_key(episode.borrow())) {
            *counts.entry(key).or_default() += 1;
        }
        Self(counts)
    }

    /// Returns `true` if a file with an episode name counts as an episode in this folder.
    fn accepts(&self, context: &ShowContext, file: &FileName, episode: &Episode) -> bool {
        let others = style_key(episode).and_then(|key| self.0.get(&key).copied());
        let has_year = || film::parse(&file.stem).year.is_some();
        context.accepts(episode, others.unwrap_or(0), has_year)
    }
}

/// Groups by key.
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

    fn add_episode(&mut self, context: &ShowContext, file: usize, episode: &Episode) {
        let (season, number) = season_and_number(context, episode);
        let (key, show) = context.show_for(&episode.show);
        let sequence = sequence_start(season).saturating_add(number);
        let member = Member {
            season: Some(season),
            episode: Some(number),
            last_episode: episode.last,
            title: episode.title.clone(),
            ..Member::part(file, sequence)
        };
        self.add(key, member, || show_names(show));
    }

    /// Adds a file in a season's folder whose name contains no number.
    fn add_to_season(&mut self, context: &ShowContext, at: usize, file: &FileName) {
        let season = context.season.unwrap_or(0);
        let (key, show) = context.show_for("");
        let index = i64::try_from(at).unwrap_or(0);
        let sequence = sequence_start(season)
            .saturating_add(UNNUMBERED)
            .saturating_add(index);
        let member = Member {
            season: Some(season),
            title: Some(film::parse(&file.stem).title).filter(|title| !title.is_empty()),
            ..Member::part(at, sequence)
        };
        self.add(key, member, || show_names(show));
    }
}

/// Returns the sequence number before a season's first episode. Season 0 contains the specials.
fn sequence_start(season: i64) -> i64 {
    let position = if season == 0 { SPECIALS } else { season };
    position.saturating_mul(SEASON)
}

/// Returns season and episode. The season comes from the name, then from the folder, and defaults
/// to 1. `105` below `Season 1` is episode 5.
fn season_and_number(context: &ShowContext, episode: &Episode) -> (i64, i64) {
    let season = episode.season.or(context.season).unwrap_or(1);
    let number = episode.number;
    let joined = episode.style == NamingStyle::Bare && number >= 100 && number / 100 == season;
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

/// Builds the item of the extras of a film or show.
fn extras_group(
    owner: &Film,
    name: &str,
    key: String,
    folder: &FolderListing<'_>,
    mut files: Vec<usize>,
) -> Group {
    let stem = |at: usize| folder.files.get(at).map_or("", |file| file.stem.as_str());
    files.sort_by(|a, b| natural::cmp(stem(*a), stem(*b)));
    let member = |(index, at): (usize, usize)| {
        let bare = extras::without_suffix(stem(at)).unwrap_or(stem(at));
        Member {
            title: Some(clean::spaced(bare)).filter(|title| !title.is_empty()),
            ..Member::part(at, i64::try_from(index + 1).unwrap_or(i64::MAX))
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
