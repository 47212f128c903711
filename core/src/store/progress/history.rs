//! Overwritten places, and putting them back.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::save::{self, SavedPlace};
use super::{COLUMNS, FilePlace, fraction, place};
use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::id::{ItemId, PastPlaceId, UserId};
use crate::store::StoreResult;

/// How many are answered at once.
const PAGE: u32 = 50;

/// A place that was overwritten, or came too late to count.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PastPlace {
    /// By which it can be put back.
    pub id: PastPlaceId,
    /// The place.
    #[serde(flatten)]
    pub place: FilePlace,
    /// When it was overwritten; of a late one, when it came.
    pub replaced_at: Timestamp,
}

/// Which past places are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Past {
    /// Those that came too late to count, instead of those that were overwritten.
    pub late: bool,
    /// Only those before this one.
    pub before: Option<PastPlaceId>,
}

/// The user's last 50 past places in an item, newest first.
pub fn of_item(conn: &Connection, item: VisibleItem, past: Past) -> StoreResult<Vec<PastPlace>> {
    let mut statement = conn.prepare_cached(&of_item_sql())?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": item.viewer(),
            ":item": item.id(),
            ":late": past.late,
            ":before": past.before.map_or(i64::MAX, |id| id.0),
            ":limit": PAGE,
        },
        past_place,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn of_item_sql() -> String {
    format!(
        "SELECT {COLUMNS}, place.id, place.replaced_at
           FROM progress_history AS place
           JOIN file ON file.id = place.file_id
          WHERE place.user_id = :viewer AND place.item_id = :item AND place.late = :late
            AND place.id < :before
          ORDER BY place.id DESC
          LIMIT :limit"
    )
}

fn past_place(row: &Row<'_>) -> rusqlite::Result<PastPlace> {
    Ok(PastPlace {
        place: place(row)?,
        id: row.get(6)?,
        replaced_at: row.get(7)?,
    })
}

/// Puts a past place back: it is where the user is now, and what was there goes to the history.
/// `None` if the item, or this entry of its history, is gone.
pub fn restore(
    tx: &Transaction<'_>,
    item: VisibleItem,
    entry: PastPlaceId,
    now: Timestamp,
) -> StoreResult<Option<SavedPlace>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let Some(past) = one(tx, item, entry)? else {
        return Ok(None);
    };
    let (user, file) = (item.viewer(), past.place.file_id);
    let old = save::stored(tx, user, file)?;
    // The file may have become shorter since.
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
    entry: PastPlaceId,
) -> StoreResult<Option<PastPlace>> {
    let mut statement = tx.prepare_cached(&one_sql())?;
    let found = statement
        .query_row(
            named_params! { ":entry": entry, ":viewer": item.viewer(), ":item": item.id() },
            past_place,
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

const KEEP: &str = "
    INSERT INTO progress_history
           (user_id, item_id, file_id, position, finished, locator, updated_at, replaced_at, late)
    VALUES (:user, :item, :file, :position, :finished, :locator, :updated_at, :now, :late)";

/// Keeps a place that is being overwritten.
pub(super) fn keep(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    place: &FilePlace,
    now: Timestamp,
) -> StoreResult<()> {
    insert(tx, owner, place, now, false)
}

/// Keeps a place that came too late to count, unless it is in the history already: a device may
/// send the same again and again until it is answered.
pub(super) fn keep_late(
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
       AND (position, finished, locator) IS (:position, :finished, :locator)";

fn insert(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    place: &FilePlace,
    now: Timestamp,
    late: bool,
) -> StoreResult<()> {
    tx.prepare_cached(KEEP)?.execute(named_params! {
        ":user": user,
        ":item": item,
        ":file": place.file_id,
        ":position": place.position,
        ":finished": place.finished,
        ":locator": place.locator,
        ":updated_at": place.updated_at,
        ":now": now,
        ":late": late,
    })?;
    Ok(())
}

const KEEP_ALL: &str = "
    INSERT INTO progress_history
           (user_id, item_id, file_id, position, finished, locator, updated_at, replaced_at)
    SELECT user_id, item_id, file_id, position, finished, locator, updated_at, :now
      FROM progress
     WHERE item_id = :item AND user_id = :viewer
     ORDER BY updated_at, file_id";

/// Keeps all places in an item, the newest last.
pub(super) fn keep_all(tx: &Transaction<'_>, item: VisibleItem, now: Timestamp) -> StoreResult<()> {
    tx.prepare_cached(KEEP_ALL)?
        .execute(named_params! { ":viewer": item.viewer(), ":item": item.id(), ":now": now })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_searches;
    use super::*;

    #[test]
    fn no_query_walks_a_table_or_sorts() {
        for sql in [&of_item_sql(), &one_sql(), KEEP, SAME, KEEP_ALL] {
            assert_searches(sql);
        }
    }
}
