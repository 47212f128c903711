//! List of missing items, which scans no longer find.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::paging::{Page, Window};
use crate::path;
use crate::registry::naming::join;
use crate::time::Timestamp;

/// An item without a present file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MissingItem {
    /// Id of the item.
    pub item_id: ItemId,
    /// Title of the item.
    pub title: String,
    /// Id of the item's kind.
    pub kind: String,
    /// Library of the item.
    pub library: LibraryName,
    /// Path of its first file below the library's root.
    pub path: String,
    /// Time since which the item is missing.
    pub missing_since: Option<Timestamp>,
}

/// Id and name of a library.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LibraryName {
    /// Id of the library.
    pub id: LibraryId,
    /// Name of the library.
    pub name: String,
}

/// Returns a page of the visible missing items, ordered by library and by the order of addition.
pub fn page(conn: &Connection, visible: Visible, window: Window) -> StoreResult<Page<MissingItem>> {
    let total = conn
        .prepare_cached(
            "SELECT ifnull(sum(c.n), 0)
               FROM library_grant AS g
               JOIN item_count AS c ON c.library_id = g.library_id
              WHERE g.user_id = :viewer AND c.missing = 1",
        )?
        .query_row(named_params! { ":viewer": visible.user() }, |row| {
            row.get(0)
        })?;
    let mut statement = conn.prepare_cached(
        "SELECT item.id, item.title, item.kind, item.missing_since, library.id, library.name,
                folder.path, file.name
           FROM (SELECT item.id
                   FROM library_grant AS g
                   JOIN item INDEXED BY item_missing
                     ON item.library_id = g.library_id AND item.missing = 1
                  WHERE g.user_id = :viewer
                  ORDER BY g.library_id, item.id
                  LIMIT :limit OFFSET :offset) AS page
           JOIN item ON item.id = page.id
           JOIN library ON library.id = item.library_id
           LEFT JOIN file ON file.id = (SELECT id FROM file AS f
                                         WHERE f.item_id = item.id
                                         ORDER BY f.sequence, f.id LIMIT 1)
           LEFT JOIN folder ON folder.id = file.folder_id
          ORDER BY library.id, item.id",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| {
            let folder = path::display(row.get_ref(6)?.as_blob_or_null()?.unwrap_or_default());
            let file = path::display(row.get_ref(7)?.as_blob_or_null()?.unwrap_or_default());
            Ok(MissingItem {
                item_id: row.get(0)?,
                title: row.get(1)?,
                kind: row.get(2)?,
                missing_since: row.get(3)?,
                library: LibraryName {
                    id: row.get(4)?,
                    name: row.get(5)?,
                },
                path: join(&folder, &file),
            })
        },
    )?;
    let items = rows.collect::<Result<_, _>>()?;
    Ok(Page::new(items, total, window))
}
