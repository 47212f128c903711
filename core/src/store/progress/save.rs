//! Writing places: the newest counts, what it overwrites goes to the history.

use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::summary::{self, Summary};
use super::{COLUMNS, FilePlace, fraction, history, place};
use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::id::{FileId, ItemId, UserId};
use crate::store::file::meant;
use crate::store::{StoreError, StoreResult};

/// Longest locator, in bytes.
const MAX_LOCATOR: usize = 1024;

/// A place that a user reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewPlace {
    /// The file; may be left out where the item has one.
    pub file: Option<FileId>,
    /// The place, in the file's unit.
    pub position: i64,
    /// Whether the file is finished.
    pub finished: bool,
    /// What the reader keeps beside the place.
    pub locator: Option<String>,
    /// When the place was reached; `None` for now.
    pub recorded_at: Option<Timestamp>,
}

/// The place that is stored after a write.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SavedPlace {
    /// The stored place.
    #[serde(flatten)]
    pub place: FilePlace,
    /// Whether the write counted; `false` where the stored place was reached later.
    pub applied: bool,
    /// How much of the item is done.
    pub item_fraction: Option<f64>,
    /// Whether the item is finished.
    pub item_finished: bool,
    /// The file to go on with.
    pub continue_file_id: Option<FileId>,
}

impl SavedPlace {
    pub(super) fn new(place: FilePlace, applied: bool, summary: Option<Summary>) -> Self {
        let standing = summary.map(|summary| summary.standing);
        Self {
            place,
            applied,
            item_fraction: standing.as_ref().and_then(|standing| standing.fraction),
            item_finished: standing.as_ref().is_some_and(|standing| standing.finished),
            continue_file_id: standing.and_then(|standing| standing.continue_file),
        }
    }
}

/// Keeps a place; `None` if the item is gone.
///
/// A place that was reached before the stored one changes nothing; it goes to the history as a late
/// one. Where none is stored any counts, whenever it was reached. Times to come count as now. A
/// clock that was set back a little loses nothing: what is written now is never older than what is
/// stored. A stored time that is further ahead says nothing, and whatever arrives counts: else
/// nothing would until that time has come.
pub fn save(
    tx: &Transaction<'_>,
    item: VisibleItem,
    new: &NewPlace,
    now: Timestamp,
) -> StoreResult<Option<SavedPlace>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let (file, extent) = meant(tx, item, new.file)?;
    check(new, extent)?;
    let (user, id) = (item.viewer(), item.id());
    let old = stored(tx, user, file)?;
    let last = old.as_ref().map(|old| old.updated_at);
    let last = last.filter(|at| is_credible(*at, now));
    let reached_at = new.recorded_at.filter(|at| *at < now);
    let fresh = FilePlace {
        file_id: file,
        position: new.position,
        extent,
        fraction: fraction(new.position, extent, new.finished),
        finished: new.finished,
        locator: new.locator.clone(),
        updated_at: reached_at.unwrap_or(last.map_or(now, |last| now.max(last))),
    };
    let is_late = last.is_some_and(|last| fresh.updated_at < last);
    match old {
        Some(stored) if is_late => {
            history::keep_late(tx, (user, id), &fresh, now)?;
            let summary = summary::recompute_for(tx, user, id)?;
            Ok(Some(SavedPlace::new(stored, false, summary)))
        }
        old => put(tx, (user, id), old.as_ref(), fresh, now).map(Some),
    }
}

/// How far a stored time may lie ahead: requests overtake each other, and clocks are put right by
/// little steps.
const SLACK: Duration = Duration::from_mins(1);

fn is_credible(stored: Timestamp, now: Timestamp) -> bool {
    stored <= now.plus(SLACK)
}

/// Stores a place over another, which goes to the history. The same once more is no change.
pub(super) fn put(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    old: Option<&FilePlace>,
    fresh: FilePlace,
    now: Timestamp,
) -> StoreResult<SavedPlace> {
    if let Some(old) = old.filter(|old| **old != fresh) {
        history::keep(tx, (user, item), old, now)?;
    }
    if old != Some(&fresh) {
        tx.prepare_cached(PUT)?.execute(named_params! {
            ":user": user,
            ":item": item,
            ":file": fresh.file_id,
            ":position": fresh.position,
            ":finished": fresh.finished,
            ":locator": fresh.locator,
            ":updated_at": fresh.updated_at,
        })?;
    }
    let summary = summary::recompute_for(tx, user, item)?;
    Ok(SavedPlace::new(fresh, true, summary))
}

const PUT: &str = "
    INSERT INTO progress (user_id, file_id, item_id, position, finished, locator, updated_at)
    VALUES (:user, :file, :item, :position, :finished, :locator, :updated_at)
        ON CONFLICT (user_id, file_id)
        DO UPDATE SET position = excluded.position, finished = excluded.finished,
                      locator = excluded.locator, updated_at = excluded.updated_at";

/// Takes all of the user's places in an item away, into the history; `false` if the item is gone.
pub fn clear(tx: &Transaction<'_>, item: VisibleItem, now: Timestamp) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    history::keep_all(tx, item, now)?;
    tx.prepare_cached(CLEAR)?
        .execute(named_params! { ":user": item.viewer(), ":item": item.id() })?;
    summary::recompute_for(tx, item.viewer(), item.id())?;
    Ok(true)
}

const CLEAR: &str = "DELETE FROM progress WHERE item_id = :item AND user_id = :user";

fn check(new: &NewPlace, extent: Option<i64>) -> StoreResult<()> {
    if new.position < 0 {
        return Err(invalid("position", "`position` is 0 or more."));
    }
    if let Some(extent) = extent.filter(|extent| new.position > *extent) {
        let message = format!("The file ends at {extent}.");
        return Err(invalid("position", message));
    }
    if new
        .locator
        .as_ref()
        .is_some_and(|text| text.len() > MAX_LOCATOR)
    {
        return Err(invalid("locator", "`locator` is at most 1024 bytes long."));
    }
    Ok(())
}

fn invalid(field: &'static str, message: impl Into<String>) -> StoreError {
    StoreError::Invalid {
        field,
        message: message.into(),
    }
}

/// The user's place in a file.
pub(super) fn stored(
    tx: &Transaction<'_>,
    user: UserId,
    file: FileId,
) -> StoreResult<Option<FilePlace>> {
    let mut statement = tx.prepare_cached(&stored_sql())?;
    let stored = statement
        .query_row(named_params! { ":user": user, ":file": file }, place)
        .optional()?;
    Ok(stored)
}

fn stored_sql() -> String {
    format!(
        "SELECT {COLUMNS}
           FROM progress AS place
           JOIN file ON file.id = place.file_id
          WHERE place.user_id = :user AND place.file_id = :file"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_searches;
    use super::*;

    #[test]
    fn no_query_walks_a_table() {
        for sql in [PUT, CLEAR, &stored_sql()] {
            assert_searches(sql);
        }
    }
}
