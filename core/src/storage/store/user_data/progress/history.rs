//! History of overwritten progress, and its restoration.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::save::{self, FileProgress};
use super::{COLUMNS, FilePlace, fraction, place};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{ItemId, ProgressHistoryId, UserId};
use crate::time::Timestamp;

/// Limit of entries per response.
const PAGE: u32 = 50;

/// Progress that was overwritten, or that arrived too late to be applied.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProgressHistoryEntry {
    /// Id of the entry, for its restoration.
    pub id: ProgressHistoryId,
    /// The recorded progress.
    #[serde(flatten)]
    pub place: FilePlace,
    /// Time at which it was overwritten; for stale progress, the time of its arrival.
    pub replaced_at: Timestamp,
}

/// Criteria of a history query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryQuery {
    /// `true` for stale progress, `false` for overwritten progress.
    pub is_stale: bool,
    /// Only entries older than this one.
    pub before: Option<ProgressHistoryId>,
}

/// Returns up to 50 history entries of the user in an item, the newest first.
pub fn of_item(
    conn: &Connection,
    item: VisibleItem,
    past: HistoryQuery,
) -> StoreResult<Vec<ProgressHistoryEntry>> {
    let mut statement = conn.prepare_cached(&of_item_sql())?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": item.viewer(),
            ":item": item.id(),
            ":is_stale": past.is_stale,
            ":before": past.before.map_or(i64::MAX, |id| id.0),
            ":limit": PAGE,
        },
        history_entry,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn of_item_sql() -> String {
    format!(
        "SELECT {COLUMNS}, place.id, place.replaced_at
           FROM progress_history AS place
           JOIN file ON file.id = place.file_id
          WHERE place.user_id = :viewer AND place.item_id = :item AND place.is_stale = :is_stale
            AND place.id < :before
          ORDER BY place.id DESC
          LIMIT :limit"
    )
}

fn history_entry(row: &Row<'_>) -> rusqlite::Result<ProgressHistoryEntry> {
    Ok(ProgressHistoryEntry {
        place: place(row)?,
        id: row.get(7)?,
        replaced_at: row.get(8)?,
    })
}

/// Restores an entry as the current progress and moves the replaced progress to the history.
/// Returns `None` if the item or the entry is gone.
pub fn restore(
    tx: &Transaction<'_>,
    item: VisibleItem,
    entry: ProgressHistoryId,
    now: Timestamp,
) -> StoreResult<Option<FileProgress>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let Some(past) = one(tx, item, entry)? else {
        return Ok(None);
    };
    let (user, file) = (item.viewer(), past.place.file_id);
    let old = save::stored(tx, user, file)?;
    // The file may have become shorter in the meantime.
    let position = past.place.extent.map_or(past.place.position, |extent| {
        past.place.position.min(extent)
    });
    let fresh = FilePlace {
        position,
        fraction: fraction(position, past.place.extent, past.place.finished),
        updated_at: old.as_ref().map_or(now, |old| now.max(old.updated_at)),
        ..past.place
    };
    save::put(tx, (user, item.id()), old.as_ref(), fresh, now).map(Some)
}

fn one(
    tx: &Transaction<'_>,
    item: VisibleItem,
    entry: ProgressHistoryId,
) -> StoreResult<Option<ProgressHistoryEntry>> {
    let mut statement = tx.prepare_cached(&one_sql())?;
    let found = statement
        .query_row(
            named_params! { ":entry": entry, ":viewer": item.viewer(), ":item": item.id() },
            history_entry,
        )
        .optional()?;
    Ok(found)
}

fn one_sql() -> String {
    format!(
        "SELECT {COLUMNS}, place.id, place.replaced_at
           FROM progress_history AS place
           JOIN file ON file.id = place.file_id
          WHERE place.id = :entry AND place.user_id = :viewer AND place.item_id = :item"
    )
}

const INSERT: &str = "
    INSERT INTO progress_history
           (user_id, item_id, file_id, position, finished, locator, within, updated_at,
            replaced_at, is_stale)
    VALUES (:user, :item, :file, :position, :finished, :locator, :within, :updated_at,
            :now, :is_stale)";

/// Adds overwritten progress to the history.
pub(super) fn record_overwritten(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    place: &FilePlace,
    now: Timestamp,
) -> StoreResult<()> {
    insert(tx, owner, place, now, false)
}

/// Adds stale progress to the history, unless an equal entry exists: a device may repeat a request
/// until it receives a response.
pub(super) fn record_stale(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    place: &FilePlace,
    now: Timestamp,
) -> StoreResult<()> {
    let is_there = tx.prepare_cached(SAME)?.exists(named_params! {
        ":user": owner.0,
        ":file": place.file_id,
        ":position": place.position,
        ":finished": place.finished,
        ":locator": place.locator,
        ":within": place.within,
        ":updated_at": place.updated_at,
    })?;
    if is_there {
        return Ok(());
    }
    insert(tx, owner, place, now, true)
}

const SAME: &str = "
    SELECT 1
      FROM progress_history
     WHERE file_id = :file AND user_id = :user AND updated_at = :updated_at
       AND (position, finished, locator, within)
        IS (:position, :finished, :locator, :within)";

fn insert(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    place: &FilePlace,
    now: Timestamp,
    is_stale: bool,
) -> StoreResult<()> {
    tx.prepare_cached(INSERT)?.execute(named_params! {
        ":user": user,
        ":item": item,
        ":file": place.file_id,
        ":position": place.position,
        ":finished": place.finished,
        ":locator": place.locator,
        ":within": place.within,
        ":updated_at": place.updated_at,
        ":now": now,
        ":is_stale": is_stale,
    })?;
    Ok(())
}

const INSERT_ALL: &str = "
    INSERT INTO progress_history
           (user_id, item_id, file_id, position, finished, locator, within, updated_at,
            replaced_at)
    SELECT user_id, item_id, file_id, position, finished, locator, within, updated_at, :now
      FROM progress
     WHERE item_id = :item AND user_id = :viewer
     ORDER BY updated_at, file_id";

/// Adds all progress of an item to the history, the newest last.
pub(super) fn record_all(
    tx: &Transaction<'_>,
    item: VisibleItem,
    now: Timestamp,
) -> StoreResult<()> {
    tx.prepare_cached(INSERT_ALL)?
        .execute(named_params! { ":viewer": item.viewer(), ":item": item.id(), ":now": now })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_searches;
    use super::*;

    #[test]
    fn history_queries_search_indexes_without_sorting() {
        for sql in [&of_item_sql(), &one_sql(), INSERT, SAME, INSERT_ALL] {
            assert_searches(sql);
        }
    }
}
