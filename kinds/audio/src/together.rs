//! What the recordings of one item say of it together.

mod facts;
mod people;

use std::collections::HashMap;
use std::hash::Hash;

use ledge_core::registry::naming::{FileName, FolderListing, Group, Series};
use ledge_core::registry::reading::{Inspection, Share, Together};

use crate::said::Said;
use crate::{disc, words};

/// Extensions of audiobooks.
const BOOKS: &[&str] = &["m4b", "aa", "aax", "aaxc"];

/// What an item is. Told by what the files say, then by where they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Audiobook,
    Album,
    /// One recording of music, speech or noise.
    Track,
}

impl Form {
    fn word(self) -> &'static str {
        match self {
            Self::Audiobook => "audiobook",
            Self::Album => "album",
            Self::Track => "track",
        }
    }
}

/// Title, people, year, series and facts of an item, by all its files.
pub(crate) fn together(folder: &FolderListing<'_>, group: &Group, files: &[&FileName]) -> Together {
    let said: Vec<Said> = files
        .iter()
        .filter_map(|file| Said::read(file.said.as_deref()?))
        .collect();
    let form = form(folder, group, files, &said);
    let mut inspection = Inspection {
        title: title(form, group, &said),
        year: most_common(said.iter().filter_map(Said::year)),
        credits: people::credits(form, group, &said),
        series: series(form, &said),
        ..Inspection::default()
    };
    inspection.facts = facts::facts(form, &inspection.credits, &said);
    Together {
        inspection,
        share: share(folder),
    }
}

/// Discs lie in folders of their own; the first one has the word.
fn share(folder: &FolderListing<'_>) -> Share {
    let disc = folder.name().and_then(disc::parse);
    match disc.map(|disc| disc.number) {
        None => Share::Whole,
        Some(..=1) => Share::First,
        Some(_) => Share::Later,
    }
}

fn form(folder: &FolderListing<'_>, group: &Group, files: &[&FileName], said: &[Said]) -> Form {
    let is_book = |file: &&FileName| BOOKS.contains(&file.extension.as_str());
    let spoken = said.iter().filter(|said| said.is_spoken).count();
    let sung = said
        .iter()
        .filter(|said| !said.is_spoken && !said.genres.is_empty())
        .count();
    let place = folder.parts().chain([folder.library]);
    let mut above = place.filter(|name| words::is_spoken_folder(name));
    if files.iter().all(is_book) || spoken * 2 > said.len() || (sung == 0 && above.next().is_some())
    {
        return Form::Audiobook;
    }
    if group.members.iter().any(|member| member.sequence.is_some()) {
        Form::Album
    } else {
        Form::Track
    }
}

/// The album's title, and that of a recording that is alone.
fn title(form: Form, group: &Group, said: &[Said]) -> Option<String> {
    let is_alone = group.members.len() == 1;
    let own = || said.iter().find_map(|said| said.title.clone());
    if form == Form::Track {
        return own();
    }
    let album = most_common(
        said.iter()
            .filter_map(|said| Some(of_all_discs(said.album.as_deref()?))),
    );
    // A book that is one file may bear its series' name for an album.
    let is_series =
        |album: &String| is_alone && said.iter().any(|said| said.series.as_ref() == Some(album));
    match album {
        Some(album) if is_series(&album) => own().or(Some(album)),
        None if is_alone => own(),
        album => album,
    }
}

/// `Album (Disc 2)` is `Album`.
pub(crate) fn of_all_discs(album: &str) -> String {
    match disc::parse(album).and_then(|disc| disc.album) {
        Some(album) => album,
        None => album.to_owned(),
    }
}

fn series(form: Form, said: &[Said]) -> Option<Series> {
    if form != Form::Audiobook {
        return None;
    }
    let name = most_common(said.iter().filter_map(|said| said.series.clone()))?;
    let of_it = || {
        said.iter()
            .filter(|said| said.series.as_deref() == Some(&name))
    };
    let index = of_it().find_map(|said| said.series_part);
    Some(Series { index, name })
}

/// The value that most have; of several the first.
fn most_common<T: Eq + Hash + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (place, value) in values.enumerate() {
        counts.entry(value).or_insert((0, place)).0 += 1;
    }
    let best = counts
        .into_iter()
        .max_by_key(|(_, (count, place))| (*count, std::cmp::Reverse(*place)));
    best.map(|(value, _)| value)
}

#[cfg(test)]
mod tests;
