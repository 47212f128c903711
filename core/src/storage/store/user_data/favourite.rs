//! Favourites of a user.

use rusqlite::{Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::time::Timestamp;

/// Adds a favourite; an existing one keeps its time. Returns `false` if the item is gone.
pub fn add(tx: &Transaction<'_>, item: VisibleItem, now: Timestamp) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT INTO favourite (user_id, item_id, created_at)
         VALUES (:viewer, :item, :now)
             ON CONFLICT DO NOTHING",
    )?
    .execute(named_params! { ":viewer": item.viewer(), ":item": item.id(), ":now": now })?;
    Ok(true)
}

/// Removes a favourite. Repeated calls succeed. Returns `false` if the item is gone.
pub fn remove(tx: &Transaction<'_>, item: VisibleItem) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached("DELETE FROM favourite WHERE user_id = :viewer AND item_id = :item")?
        .execute(named_params! { ":viewer": item.viewer(), ":item": item.id() })?;
    Ok(true)
}
