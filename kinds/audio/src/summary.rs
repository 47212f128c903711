//! Combination of the tags of an item's files into the fields of the item.

mod facts;
pub(crate) mod gains;
mod people;
pub(crate) mod recordings;
pub(crate) mod subkind;

use std::collections::HashMap;
use std::hash::Hash;

use ledge_core::registry::naming::{FileName, FolderListing, Group, Series};
use ledge_core::registry::reading::{Coverage, Inspection, ItemSummary};

use crate::naming::{disc, vocabulary};
use crate::tags::stored::StoredTags;

/// Extensions of audiobook formats.
const BOOKS: &[&str] = &["m4b", "aa", "aax", "aaxc"];

/// Form of an item. Tags decide first, then the folders above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemForm {
    Audiobook,
    Album,
    /// Single recording of music, speech or noise.
    Track,
}

impl ItemForm {
    fn as_str(self) -> &'static str {
        match self {
            Self::Audiobook => "audiobook",
            Self::Album => "album",
            Self::Track => "track",
        }
    }
}

/// Combines title, people, year, series and facts of an item from all its files.
pub(crate) fn summarize(
    folder: &FolderListing<'_>,
    group: &Group,
    files: &[&FileName],
) -> ItemSummary {
    let stored: Vec<StoredTags> = files
        .iter()
        .filter_map(|file| StoredTags::parse(file.kind_data.as_deref()?))
        .collect();
    let form = form(folder, group, files, &stored);
    let mut inspection = Inspection {
        title: title(form, group, &stored),
        year: most_common(stored.iter().filter_map(StoredTags::year)),
        credits: people::credits(form, group, &stored),
        series: series(form, &stored),
        ..Inspection::default()
    };
    inspection.facts = facts::facts(form, &inspection.credits, &stored);
    if stored.len() < files.len() {
        facts::remove_release_ids(&mut inspection.facts);
    }
    ItemSummary {
        inspection,
        coverage: coverage(folder),
    }
}

/// Returns the role of a folder. Of several disc folders, the first one defines the item's fields.
fn coverage(folder: &FolderListing<'_>) -> Coverage {
    let disc = folder.name().and_then(disc::parse);
    match disc.map(|disc| disc.number) {
        None => Coverage::Whole,
        Some(..=1) => Coverage::First,
        Some(_) => Coverage::Later,
    }
}

fn form(
    folder: &FolderListing<'_>,
    group: &Group,
    files: &[&FileName],
    stored: &[StoredTags],
) -> ItemForm {
    let is_book = |file: &&FileName| BOOKS.contains(&file.extension.as_str());
    let spoken = stored.iter().filter(|tags| tags.is_spoken).count();
    let sung = stored
        .iter()
        .filter(|tags| !tags.is_spoken && !tags.genres.is_empty())
        .count();
    let folders = folder.parts().chain([folder.library]);
    let mut above = folders.filter(|name| vocabulary::is_spoken_folder(name));
    if files.iter().all(is_book)
        || spoken * 2 > stored.len()
        || (sung == 0 && above.next().is_some())
    {
        return ItemForm::Audiobook;
    }
    if group.members.iter().any(|member| member.sequence.is_some()) {
        ItemForm::Album
    } else {
        ItemForm::Track
    }
}

/// Returns the title of the album, or of a single recording.
fn title(form: ItemForm, group: &Group, stored: &[StoredTags]) -> Option<String> {
    let is_alone = group.members.len() == 1;
    let own_title = || stored.iter().find_map(|tags| tags.title.clone());
    if form == ItemForm::Track {
        return own_title();
    }
    let album = most_common(
        stored
            .iter()
            .filter_map(|tags| Some(without_disc(tags.album.as_deref()?))),
    );
    // The album tag of a single-file book may contain the series name.
    let is_series = |album: &String| {
        is_alone
            && stored
                .iter()
                .any(|tags| tags.series.as_ref() == Some(album))
    };
    match album {
        Some(album) if is_series(&album) => own_title().or(Some(album)),
        None if is_alone => own_title(),
        album => album,
    }
}

/// Removes the disc from an album title: `Album (Disc 2)` becomes `Album`.
pub(crate) fn without_disc(album: &str) -> String {
    match disc::parse(album).and_then(|disc| disc.album) {
        Some(album) => album,
        None => album.to_owned(),
    }
}

fn series(form: ItemForm, stored: &[StoredTags]) -> Option<Series> {
    if form != ItemForm::Audiobook {
        return None;
    }
    let name = most_common(stored.iter().filter_map(|tags| tags.series.clone()))?;
    let in_series = || {
        stored
            .iter()
            .filter(|tags| tags.series.as_deref() == Some(&name))
    };
    let index = in_series().find_map(|tags| tags.series_part);
    Some(Series { index, name })
}

/// Returns the most common value. The first one wins a tie.
fn most_common<T: Eq + Hash + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (index, value) in values.enumerate() {
        counts.entry(value).or_insert((0, index)).0 += 1;
    }
    let best = counts
        .into_iter()
        .max_by_key(|(_, (count, index))| (*count, std::cmp::Reverse(*index)));
    best.map(|(value, _)| value)
}

#[cfg(test)]
mod tests;
