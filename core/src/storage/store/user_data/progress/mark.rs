//! Progress of many files of an item at once: finished, or unstarted, and the way back.

mod selection;

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::save::{is_credible, stored, write};
use super::{FilePlace, fraction, history, place, summary};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::time::Timestamp;

pub use selection::{FileSelection, mark};

/// Progress in one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedPlace {
    /// Position in the file's unit.
    pub position: i64,
    /// `true` if the file is finished.
    pub finished: bool,
    /// Opaque text of the reader.
    pub locator: Option<String>,
    /// Relative position inside the section or page.
    #[serde(default)]
    pub within: Option<f64>,
    /// Time at which the position was reached.
    pub updated_at: Timestamp,
}

impl SavedPlace {
    pub(super) fn of(place: &FilePlace) -> Self {
        Self {
            position: place.position,
            finished: place.finished,
            locator: place.locator.clone(),
            within: place.within,
            updated_at: place.updated_at,
        }
    }

    pub(super) fn at(&self, file: FileId, extent: Option<i64>) -> FilePlace {
        // The file may have become shorter in the meantime.
        let position = extent.map_or(self.position, |extent| self.position.min(extent));
        FilePlace {
            file_id: file,
            position,
            extent,
            fraction: fraction(position, extent, self.finished),
            finished: self.finished,
            locator: self.locator.clone(),
            within: self.within,
            updated_at: self.updated_at,
        }
    }

    /// Returns `true` if both are the same position, regardless of the time.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.position, self.finished, &self.locator, self.within)
            == (other.position, other.finished, &other.locator, other.within)
    }
}

/// Progress in the files of an item; `None` for unstarted files.
pub type Places = BTreeMap<FileId, Option<SavedPlace>>;

/// Progress in the changed files of an item, before and after the change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marked {
    /// Progress before the change.
    pub old: Places,
    /// Progress after the change.
    pub new: Places,
}

const FILES: &str = "SELECT id, extent FROM file WHERE item_id = :item";

/// Finishes all files of an item. Finished files stay unchanged. The caller checks the access.
pub fn finish(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    now: Timestamp,
) -> StoreResult<Marked> {
    finish_some(tx, owner, now, &|_| true)
}

/// Finishes the files of an item for which `is_selected` returns `true`. Finished files stay
/// unchanged.
fn finish_some(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    now: Timestamp,
    is_selected: &dyn Fn(FileId) -> bool,
) -> StoreResult<Marked> {
    let files: Vec<(FileId, Option<i64>)> = tx
        .prepare_cached(FILES)?
        .query_map(named_params! { ":item": item }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<Result<_, _>>()?;
    let mut marked = Marked::default();
    for (file, extent) in files.into_iter().filter(|(file, _)| is_selected(*file)) {
        let old = stored(tx, user, file)?;
        if old.as_ref().is_some_and(|old| old.finished) {
            continue;
        }
        let before = old.as_ref().map(SavedPlace::of);
        let new = SavedPlace {
            position: extent.unwrap_or(before.as_ref().map_or(0, |before| before.position)),
            finished: true,
            locator: None,
            within: None,
            updated_at: before
                .as_ref()
                .map(|before| before.updated_at)
                .filter(|at| is_credible(*at, now))
                .map_or(now, |at| now.max(at)),
        };
        write(tx, (user, item), old.as_ref(), &new.at(file, extent), now)?;
        marked.old.insert(file, before);
        marked.new.insert(file, Some(new));
    }
    if !marked.new.is_empty() {
        summary::recompute_for(tx, user, item)?;
    }
    Ok(marked)
}

/// Deletes the progress of a user in an item, and moves it to the history. The caller checks the
/// access.
pub fn reset(tx: &Transaction<'_>, owner: (UserId, ItemId), now: Timestamp) -> StoreResult<Marked> {
    reset_some(tx, owner, now, &|_| true)
}

/// Resets the files of an item for which `is_selected` returns `true`.
fn reset_some(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    now: Timestamp,
    is_selected: &dyn Fn(FileId) -> bool,
) -> StoreResult<Marked> {
    let places: Vec<FilePlace> = tx
        .prepare_cached(&super::of_item_sql())?
        .query_map(named_params! { ":item": item, ":viewer": user }, place)?
        .collect::<Result<_, _>>()?;
    let mut marked = Marked::default();
    let selected = |place: &&FilePlace| is_selected(place.file_id);
    for place in places.iter().rev().filter(selected) {
        history::record_overwritten(tx, (user, item), place, now)?;
        delete(tx, user, place.file_id)?;
        marked
            .old
            .insert(place.file_id, Some(SavedPlace::of(place)));
        marked.new.insert(place.file_id, None);
    }
    if !marked.new.is_empty() {
        summary::recompute_for(tx, user, item)?;
    }
    Ok(marked)
}

/// Restores earlier progress with its times, in the items that contain the files now. Returns `false`
/// and changes nothing if a file has other progress now. The caller checks the access.
pub fn restore(
    tx: &Transaction<'_>,
    user: UserId,
    marked: &Marked,
    now: Timestamp,
) -> StoreResult<bool> {
    let mut files = Vec::with_capacity(marked.new.len());
    for (file, new) in &marked.new {
        let Some((item, extent)) = item_of(tx, *file)? else {
            // A purge has deleted the file together with its progress.
            continue;
        };
        let current = stored(tx, user, *file)?;
        let is_unchanged = match (current.as_ref().map(SavedPlace::of), new) {
            (None, None) => true,
            (Some(current), Some(new)) => current.is_same(new),
            _ => false,
        };
        if !is_unchanged {
            return Ok(false);
        }
        files.push((*file, item, extent, current));
    }
    let mut items = BTreeSet::new();
    for (file, item, extent, current) in files {
        let old = marked.old.get(&file).and_then(Option::as_ref);
        let current = current.as_ref();
        match (old, current) {
            (Some(old), _) => write(tx, (user, item), current, &old.at(file, extent), now)?,
            (None, Some(current)) => {
                history::record_overwritten(tx, (user, item), current, now)?;
                delete(tx, user, file)?;
            }
            (None, None) => {}
        }
        items.insert(item);
    }
    for item in &items {
        summary::recompute_for(tx, user, *item)?;
    }
    Ok(!items.is_empty())
}

const ITEM: &str = "SELECT item_id, extent FROM file WHERE id = :file";

/// Returns the item of a file, and the length of the file.
pub(super) fn item_of(
    tx: &Transaction<'_>,
    file: FileId,
) -> StoreResult<Option<(ItemId, Option<i64>)>> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let mut statement = tx.prepare_cached(ITEM)?;
    let found = statement.query_row(named_params! { ":file": file }, read);
    Ok(found.optional()?)
}

const DELETE: &str = "DELETE FROM progress WHERE user_id = :user AND file_id = :file";

fn delete(tx: &Transaction<'_>, user: UserId, file: FileId) -> StoreResult<()> {
    tx.prepare_cached(DELETE)?
        .execute(named_params! { ":user": user, ":file": file })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_searches;
    use super::*;

    #[test]
    fn statements_search_indexes_without_scans() {
        for sql in [FILES, ITEM, DELETE] {
            assert_searches(sql);
        }
    }
}
