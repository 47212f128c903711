//! Single recordings by id, for changes of the user's data about them.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::list;
use crate::access::{Visible, VisibleFile, VisibleItem, VisiblePerson};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, PersonId};

/// Present visible file of a recording.
#[derive(Debug, Clone)]
pub struct KnownPart {
    /// The file.
    pub file: VisibleFile,
    /// Item that contains the file.
    pub item: VisibleItem,
    /// Kind of the item.
    pub kind: String,
    /// Subkind of the item, if its kind assigns one.
    pub subkind: Option<String>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// Length in the unit of the file's positions.
    pub extent: Option<i64>,
    /// `true` if it is the only present file of its item.
    pub is_only: bool,
}

/// Returns a file of an item of these kinds, or `None` if it is absent, missing or not visible.
pub fn find_part(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
    id: FileId,
) -> StoreResult<Option<KnownPart>> {
    let Some(file) = visible.file(conn, id)? else {
        return Ok(None);
    };
    let Some(item) = visible.item(conn, file.item())? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(
        "SELECT item.kind, item.subkind, file.duration, file.extent,
                NOT EXISTS (SELECT 1
                              FROM file AS other
                             WHERE other.item_id = file.item_id AND other.missing = 0
                               AND other.id <> file.id)
           FROM file
           JOIN item ON item.id = file.item_id
          WHERE file.id = :file AND file.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))",
    )?;
    let part = statement.query_row(
        named_params! { ":file": id, ":kinds": list(kinds) },
        |row| {
            Ok(KnownPart {
                file,
                item,
                kind: row.get(0)?,
                subkind: row.get(1)?,
                duration: row.get(2)?,
                extent: row.get(3)?,
                is_only: row.get(4)?,
            })
        },
    );
    Ok(part.optional()?)
}

/// Returns an item of these kinds, or `None` if it is absent, missing or not visible.
pub fn find_item(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
    id: ItemId,
) -> StoreResult<Option<VisibleItem>> {
    let mut statement = conn.prepare_cached(
        "SELECT 1
           FROM item
          WHERE id = :item AND missing = 0
            AND kind IN (SELECT value FROM json_each(:kinds))",
    )?;
    if !statement.exists(named_params! { ":item": id, ":kinds": list(kinds) })? {
        return Ok(None);
    }
    visible.item(conn, id)
}

/// Returns a person with a credit on a present visible item of these kinds.
pub fn find_person(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
    id: PersonId,
) -> StoreResult<Option<VisiblePerson>> {
    let mut statement = conn.prepare_cached(
        "SELECT 1
           FROM item_person AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.library_id = item.library_id
          WHERE link.person_id = :person AND g.user_id = :viewer AND item.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          LIMIT 1",
    )?;
    let viewer = visible.user();
    let is_known = statement
        .exists(named_params! { ":person": id, ":viewer": viewer, ":kinds": list(kinds) })?;
    if !is_known {
        return Ok(None);
    }
    visible.person(conn, id)
}
