//! Saving of progress. The newest write is applied, and the overwritten progress moves to the
//! history.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::summary::{self, Summary};
use super::{COLUMNS, FilePlace, fraction, history, place};
use crate::access::{VisibleFile, VisibleItem};
use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId, UserId};
use crate::store::file::meant;
use crate::time::Timestamp;

/// Limit of a locator in bytes.
const MAX_LOCATOR: usize = 1024;

/// Progress as a client sends it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewProgress {
    /// Id of the file; optional if the item has only one.
    pub file: Option<FileId>,
    /// Position in the file's unit.
    pub position: i64,
    /// `true` if the file is finished.
    pub finished: bool,
    /// Opaque text that the reader stores with the position.
    pub locator: Option<String>,
    /// Relative position inside the section or page of `position`, from 0 to 1.
    pub within: Option<f64>,
    /// Time at which the position was reached; `None` for now.
    pub recorded_at: Option<Timestamp>,
}

/// Stored progress after a write.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FileProgress {
    /// The stored progress.
    #[serde(flatten)]
    pub place: FilePlace,
    /// `false` if the write was not applied, because the stored progress is newer.
    pub applied: bool,
    /// Fraction of the item that is done, from 0 to 1.
    pub item_fraction: Option<f64>,
    /// `true` if the item is finished.
    pub item_finished: bool,
    /// Id of the file to continue with.
    pub continue_file_id: Option<FileId>,
}

impl FileProgress {
    pub(super) fn new(place: FilePlace, applied: bool, summary: Option<Summary>) -> Self {
        let progress = summary.map(|summary| summary.progress);
        Self {
            place,
            applied,
            item_fraction: progress.as_ref().and_then(|progress| progress.fraction),
            item_finished: progress.as_ref().is_some_and(|progress| progress.finished),
            continue_file_id: progress.and_then(|progress| progress.continue_file),
        }
    }
}

/// Saves progress. Returns `None` if the item is gone.
///
/// Progress with an earlier time than the stored progress is not applied; it is added to the
/// history as late. Without stored progress, any time is accepted. Future times are replaced by the
/// current time. After a small correction of the clock, a write without a time is never older than
/// the stored progress. A stored time further in the future is not credible, so any write replaces
/// it. Otherwise all writes would be rejected until that time.
pub fn save(
    tx: &Transaction<'_>,
    item: VisibleItem,
    new: &NewProgress,
    now: Timestamp,
) -> StoreResult<Option<FileProgress>> {
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
        within: new.within,
        updated_at: reached_at.unwrap_or(last.map_or(now, |last| now.max(last))),
    };
    let is_late = last.is_some_and(|last| fresh.updated_at < last);
    match old {
        Some(stored) if is_late => {
            history::record_stale(tx, (user, id), &fresh, now)?;
            let summary = summary::recompute_for(tx, user, id)?;
            Ok(Some(FileProgress::new(stored, false, summary)))
        }
        old => put(tx, (user, id), old.as_ref(), fresh, now).map(Some),
    }
}

/// Tolerated difference between a stored time and the current time, for overtaking requests and
/// small clock corrections.
const SLACK: Duration = Duration::from_mins(1);

/// Returns `false` for a stored time in the future.
pub(super) fn is_credible(stored: Timestamp, now: Timestamp) -> bool {
    stored <= now.plus(SLACK)
}

/// Stores progress and moves the old one to the history. Equal progress changes nothing.
pub(super) fn put(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    old: Option<&FilePlace>,
    fresh: FilePlace,
    now: Timestamp,
) -> StoreResult<FileProgress> {
    write(tx, (user, item), old, &fresh, now)?;
    let summary = summary::recompute_for(tx, user, item)?;
    Ok(FileProgress::new(fresh, true, summary))
}

/// Writes the row of [`put`]. The caller recomputes the summary of the item.
pub(super) fn write(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    old: Option<&FilePlace>,
    fresh: &FilePlace,
    now: Timestamp,
) -> StoreResult<()> {
    if let Some(old) = old.filter(|old| *old != fresh) {
        history::record_overwritten(tx, (user, item), old, now)?;
    }
    if old != Some(fresh) {
        tx.prepare_cached(PUT)?.execute(named_params! {
            ":user": user,
            ":item": item,
            ":file": fresh.file_id,
            ":position": fresh.position,
            ":finished": fresh.finished,
            ":locator": fresh.locator,
            ":within": fresh.within,
            ":updated_at": fresh.updated_at,
        })?;
    }
    Ok(())
}

const PUT: &str = "
    INSERT INTO progress (user_id, file_id, item_id, position, finished, locator, within,
                          updated_at)
    VALUES (:user, :file, :item, :position, :finished, :locator, :within, :updated_at)
        ON CONFLICT (user_id, file_id)
        DO UPDATE SET position = excluded.position, finished = excluded.finished,
                      locator = excluded.locator, within = excluded.within,
                      updated_at = excluded.updated_at";

/// Deletes the user's progress in an item and adds it to the history. Returns `false` if the item
/// is gone.
pub fn clear(tx: &Transaction<'_>, item: VisibleItem, now: Timestamp) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    history::record_all(tx, item, now)?;
    tx.prepare_cached(CLEAR)?
        .execute(named_params! { ":user": item.viewer(), ":item": item.id() })?;
    summary::recompute_for(tx, item.viewer(), item.id())?;
    Ok(true)
}

/// Deletes the viewer's progress in a file and adds it to the history. Returns `false` if the file is
/// gone.
pub fn clear_file(tx: &Transaction<'_>, file: VisibleFile, now: Timestamp) -> StoreResult<bool> {
    let Some(file) = file.again(tx)? else {
        return Ok(false);
    };
    let (user, item) = (file.viewer(), file.item());
    if let Some(old) = stored(tx, user, file.id())? {
        history::record_overwritten(tx, (user, item), &old, now)?;
        tx.prepare_cached("DELETE FROM progress WHERE user_id = :user AND file_id = :file")?
            .execute(named_params! { ":user": user, ":file": file.id() })?;
        summary::recompute_for(tx, user, item)?;
    }
    Ok(true)
}

const CLEAR: &str = "DELETE FROM progress WHERE item_id = :item AND user_id = :user";

fn check(new: &NewProgress, extent: Option<i64>) -> StoreResult<()> {
    if new.position < 0 {
        return Err(invalid("position", "`position` is 0 or more."));
    }
    if let Some(extent) = extent.filter(|extent| new.position > *extent) {
        let message = format!("The position is beyond the end of the file at {extent}.");
        return Err(invalid("position", message));
    }
    if new
        .within
        .is_some_and(|within| !(0.0..=1.0).contains(&within))
    {
        return Err(invalid("within", "`within` is between 0 and 1."));
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

/// Returns the user's progress in a file.
pub(super) fn stored(
    conn: &Connection,
    user: UserId,
    file: FileId,
) -> StoreResult<Option<FilePlace>> {
    let mut statement = conn.prepare_cached(&stored_sql())?;
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
    fn save_queries_search_indexes_without_scans() {
        for sql in [PUT, CLEAR, &stored_sql()] {
            assert_searches(sql);
        }
    }
}
