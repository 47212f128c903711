//! Sessions. The same session is imported once.

use std::time::Duration;

use rusqlite::{Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{Import, Outcome};
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::store::catalogue::batch::snapshot::parse;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::store::user_data::statistics::MAX_HOURS;
use crate::store::user_data::statistics::setting::records_sessions;
use crate::time::Timestamp;

/// Inserted session, for the undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Inserted {
    id: i64,
    start: Timestamp,
    end: Timestamp,
}

/// Inserts a session, unless the user has one in the item since the same time.
pub(super) fn add(
    import: &Import,
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    (start, length): (Timestamp, Duration),
    changes: &mut Vec<Change>,
) -> StoreResult<Outcome> {
    if exists(tx, owner, start)? {
        return Ok(Outcome::Unchanged);
    }
    if start > import.now || !records_sessions(tx, owner.0)? {
        return Ok(Outcome::Unsupported);
    }
    if !import.dry_run {
        let length = length.min(Duration::from_hours(MAX_HOURS));
        let end = start.plus(length).min(import.now);
        let id = insert(tx, owner, (start, end))?;
        let values = (&None, &Some(Inserted { id, start, end }));
        changes.push(Change::new(Some(owner.0), ChangedField::Session, values));
    }
    Ok(Outcome::Taken)
}

fn exists(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    start: Timestamp,
) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT 1
           FROM usage_session
          WHERE item_id = :item AND user_id = :user AND started_at = :start",
    )?;
    Ok(statement.exists(named_params! { ":item": item, ":user": user, ":start": start })?)
}

fn insert(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    (start, end): (Timestamp, Timestamp),
) -> StoreResult<i64> {
    tx.prepare_cached(
        "INSERT INTO usage_session (user_id, item_id, kind, started_at, last_at)
         SELECT :user, item.id, item.kind, :start, :end
           FROM item
          WHERE item.id = :item",
    )?
    .execute(named_params! { ":user": user, ":item": item, ":start": start, ":end": end })?;
    Ok(tx.last_insert_rowid())
}

/// Deletes an imported session. Returns `false` if it was continued or deleted since.
pub(in crate::storage::store::catalogue::batch) fn restore(
    tx: &Transaction<'_>,
    user: UserId,
    change: &Change,
) -> StoreResult<bool> {
    let Some(Some(inserted)) = parse::<Option<Inserted>>(&change.new) else {
        return Ok(false);
    };
    let deleted = tx
        .prepare_cached(
            "DELETE FROM usage_session
              WHERE id = :id AND user_id = :user AND started_at = :start AND last_at = :end",
        )?
        .execute(named_params! {
            ":id": inserted.id,
            ":user": user,
            ":start": inserted.start,
            ":end": inserted.end,
        })?;
    Ok(deleted > 0)
}
