//! Items that a user has played or opened.

use rusqlite::{Connection, named_params};

use super::list;
use super::walk::Scope;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::paging::Window;

/// Order of viewed items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewedOrder {
    /// Most views first.
    Count,
    /// Latest view first.
    Time,
}

// The user's own rows are sorted: no user opens a million items.
const VIEWED: &str = "
    SELECT v.item_id
      FROM item_view AS v
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = v.library_id
      JOIN item ON item.id = v.item_id
     WHERE v.user_id = :viewer AND v.missing = 0
       AND (:library IS NULL OR v.library_id = :library)
       AND item.kind IN (SELECT value FROM json_each(:kinds))
     ORDER BY iif(:by_count, v.n, 0) DESC, v.viewed_at DESC, v.item_id
     LIMIT :limit OFFSET :offset";

/// Returns the present visible items that the user has viewed.
pub fn viewed(
    conn: &Connection,
    scope: Scope<'_>,
    order: ViewedOrder,
    window: Window,
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(VIEWED)?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": scope.visible.user(),
            ":library": scope.library,
            ":kinds": list(scope.kinds),
            ":by_count": order == ViewedOrder::Count,
            ":limit": window.limit,
            ":offset": i64::try_from(window.offset).unwrap_or(i64::MAX),
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
