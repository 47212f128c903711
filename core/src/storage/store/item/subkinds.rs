//! Counts of visible items by subkind.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::LibraryId;

/// A subkind and the number of its visible items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SubkindCount {
    /// Id of the kind.
    pub kind: String,
    /// Id of the subkind.
    pub subkind: String,
    /// Number of items, missing ones included.
    pub items: u64,
}

const COUNTS: &str = "
    SELECT c.kind, c.subkind, sum(c.n)
      FROM library_grant AS g
      JOIN item_count AS c ON c.library_id = g.library_id
     WHERE g.user_id = :viewer
       AND c.subkind <> ''
       AND (:library IS NULL OR c.library_id = :library)
       AND (:kind IS NULL OR c.kind = :kind)
     GROUP BY c.kind, c.subkind
    HAVING sum(c.n) > 0";

/// Returns the subkinds that have items in the granted libraries, by kind and id.
pub fn subkinds(
    conn: &Connection,
    visible: Visible,
    kind: Option<&str>,
    library: Option<LibraryId>,
) -> StoreResult<Vec<SubkindCount>> {
    let mut statement = conn.prepare_cached(COUNTS)?;
    let rows = statement.query_map(
        named_params! { ":viewer": visible.user(), ":library": library, ":kind": kind },
        |row| {
            Ok(SubkindCount {
                kind: row.get(0)?,
                subkind: row.get(1)?,
                items: row.get(2)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
