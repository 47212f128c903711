//! Items that a user has played or opened.

use rusqlite::{Connection, named_params};

use super::walk::Scope;
use crate::db::item_index::{IndexSnapshot, ItemBucket};
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

// The user's rows are sorted: no user opens a million items. The kinds are checked afterwards,
// because their column would have to be read from every item.
const VIEWED: &str = "
    SELECT v.item_id
      FROM library_grant AS g
     CROSS JOIN item_view AS v INDEXED BY item_view_by_count
        ON v.user_id = :viewer AND v.library_id = g.library_id AND v.missing = 0
     WHERE g.user_id = :viewer
       AND (:library IS NULL OR g.library_id = :library)
     ORDER BY v.viewed_at DESC, v.item_id
     LIMIT :most";

/// Rows of one library in the order of the index, so that nothing is sorted.
const MOST_VIEWED: &str = "
    SELECT n, viewed_at, item_id
      FROM item_view INDEXED BY item_view_by_count
     WHERE user_id = :viewer AND library_id = :library AND missing = 0
     ORDER BY n DESC, viewed_at DESC, item_id DESC
     LIMIT :most";

/// Returns the present visible items that the user has viewed.
pub fn viewed(
    conn: &Connection,
    view: &IndexSnapshot,
    scope: Scope<'_>,
    order: ViewedOrder,
    window: Window,
) -> StoreResult<Vec<ItemId>> {
    let is_kind = |bucket: &ItemBucket| scope.kinds.contains(&bucket.kind.as_ref()).then_some(0);
    let groups = view.groups(conn, scope.visible, is_kind)?;
    let wanted = usize::try_from(window.offset + u64::from(window.limit)).unwrap_or(usize::MAX);
    // Sorting the first rows is much cheaper than sorting all rows.
    let first = i64::try_from(wanted).unwrap_or(i64::MAX).saturating_mul(4);
    let mut ids = Vec::new();
    for most in [first, i64::MAX] {
        let all = rows(conn, scope, order, most)?;
        let is_cut = i64::try_from(all.len()).is_ok_and(|count| count == most);
        ids = all;
        ids.retain(|id| groups.of(*id).is_some());
        if ids.len() >= wanted || !is_cut {
            break;
        }
    }
    ids.truncate(wanted);
    let skipped = usize::try_from(window.offset).unwrap_or(usize::MAX);
    ids.drain(..skipped.min(ids.len()));
    Ok(ids)
}

fn rows(
    conn: &Connection,
    scope: Scope<'_>,
    order: ViewedOrder,
    most: i64,
) -> StoreResult<Vec<ItemId>> {
    match order {
        ViewedOrder::Count => by_count(conn, scope, most),
        ViewedOrder::Time => by_time(conn, scope, most),
    }
}

fn by_time(conn: &Connection, scope: Scope<'_>, most: i64) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(VIEWED)?;
    let parameters = named_params! {
        ":viewer": scope.visible.user(), ":library": scope.library, ":most": most,
    };
    let rows = statement.query_map(parameters, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Merges the first rows of each library.
fn by_count(conn: &Connection, scope: Scope<'_>, most: i64) -> StoreResult<Vec<ItemId>> {
    let mut libraries = scope.visible.libraries(conn)?;
    libraries.retain(|id| scope.library.is_none_or(|wanted| wanted == *id));
    let mut statement = conn.prepare_cached(MOST_VIEWED)?;
    let mut found: Vec<(i64, String, ItemId)> = Vec::new();
    for library in libraries {
        let parameters = named_params! {
            ":viewer": scope.visible.user(), ":library": library, ":most": most,
        };
        let rows = statement.query_map(parameters, |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(found.into_iter().map(|(.., id)| id).collect())
}
