//! Ratings of a user, from 1 to 10.

use rusqlite::{Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::time::Timestamp;

/// Stores the viewer's rating of an item. Returns `false` if the item is gone.
pub fn set(
    tx: &Transaction<'_>,
    item: VisibleItem,
    rating: u8,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached(
        "INSERT INTO rating (user_id, item_id, rating, rated_at)
         VALUES (:viewer, :item, :rating, :now)
             ON CONFLICT (user_id, item_id) DO UPDATE
            SET rating = excluded.rating, rated_at = excluded.rated_at",
    )?
    .execute(named_params! {
        ":viewer": item.viewer(),
        ":item": item.id(),
        ":rating": rating,
        ":now": now,
    })?;
    Ok(true)
}

/// Removes the viewer's rating of an item. Repeated calls succeed. Returns `false` if the item is
/// gone.
pub fn remove(tx: &Transaction<'_>, item: VisibleItem) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    tx.prepare_cached("DELETE FROM rating WHERE user_id = :viewer AND item_id = :item")?
        .execute(named_params! { ":viewer": item.viewer(), ":item": item.id() })?;
    Ok(true)
}
