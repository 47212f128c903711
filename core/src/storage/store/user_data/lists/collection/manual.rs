//! Items of manual collections.

use rusqlite::{Connection, Transaction, named_params};

use super::{ENTRIES, OwnCollection, ReadableCollection, rule};
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::ItemId;
use crate::paging::Window;
use crate::store::user_data::lists::ordered_list::{EntryTable, Member};
use crate::store::user_data::lists::user_list::{self, Added};
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

/// Items to add, and their place in a collection.
#[derive(Debug, Clone)]
pub struct Insertion {
    /// Distinct items in order.
    pub items: Vec<ItemId>,
    /// Index among the visible items before which they are inserted; `None` for the end.
    pub at: Option<usize>,
}

/// Adds items to a manual collection, without those that it contains already. Returns `None` if the
/// collection has been deleted.
///
/// # Errors
///
/// Returns `Invalid` on `items` or `at` for unacceptable values, `Conflict` for a smart collection,
/// and `Stale` for another version.
pub fn add(
    tx: &Transaction<'_>,
    list: OwnCollection,
    insertion: &Insertion,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Added>> {
    let members = members(tx, list.readable().visible(), &insertion.items)?;
    rule::check_is_manual(tx, list)?;
    let new = user_list::NewEntries {
        members: &members,
        field: "items",
        at: insertion.at,
        skip_existing: true,
    };
    user_list::add(tx, list, &new, expected, now)
}

/// Returns the members of these items.
///
/// # Errors
///
/// Returns `Invalid` on `items` if one is not visible.
pub(super) fn members(
    conn: &Connection,
    visible: Visible,
    items: &[ItemId],
) -> StoreResult<Vec<Member>> {
    let member = |id: &ItemId| {
        let item = visible.item(conn, *id)?;
        let item = item.ok_or_else(|| StoreError::Invalid {
            field: "items",
            message: format!("There is no item {id}."),
        })?;
        Ok(Member {
            id: id.0,
            library: item.library(),
        })
    };
    items.iter().map(member).collect()
}

/// Returns a page of the visible items in the order of the collection.
pub(super) fn ids(
    conn: &Connection,
    list: ReadableCollection,
    window: Window,
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(&page_sql())?;
    let rows = statement.query_map(
        named_params! {
            ":list": list.id(),
            ":viewer": list.visible().user(),
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn page_sql() -> String {
    let EntryTable {
        name,
        key,
        by_position,
        ..
    } = ENTRIES;
    format!(
        "SELECT {key}
           FROM {name} INDEXED BY {by_position}
          WHERE list_id = :list
            AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
          ORDER BY position, {key}
          LIMIT :limit OFFSET :offset"
    )
}
