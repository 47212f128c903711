//! Counts of views: how often a user opened an item in a reader or player.

use rusqlite::{Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::time::Timestamp;

/// Counts one more view and returns the new count. Returns `None` if the item is gone.
pub fn add(tx: &Transaction<'_>, item: VisibleItem, now: Timestamp) -> StoreResult<Option<i64>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let mut statement = tx.prepare_cached(
        "INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
         VALUES (:viewer, :item, :library, 1, :now)
             ON CONFLICT (user_id, item_id)
             DO UPDATE SET n = n + 1, viewed_at = max(viewed_at, excluded.viewed_at)
      RETURNING n",
    )?;
    let views = statement.query_row(
        named_params! {
            ":viewer": item.viewer(),
            ":item": item.id(),
            ":library": item.library(),
            ":now": now,
        },
        |row| row.get(0),
    )?;
    Ok(Some(views))
}
