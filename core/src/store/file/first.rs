//! The file an item begins with: the first of its parts, or of its alternatives by name.

use rusqlite::{Connection, named_params};

use crate::id::{FileId, ItemId};
use crate::registry::naming::join;
use crate::scan::name;
use crate::store::StoreResult;
use crate::text;

/// The first present file of an item.
pub fn present_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<FileId>> {
    first(connection, item, 0)
}

/// The first missing file of an item.
pub fn missing_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<FileId>> {
    first(connection, item, 1)
}

fn first(connection: &Connection, item: ItemId, missing: u8) -> StoreResult<Option<FileId>> {
    // Without any number the least one is NULL: the files are alternatives.
    let mut statement = connection.prepare_cached(
        "SELECT file.id, folder.path, file.name
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.item_id = :item AND file.missing = :missing
            AND file.sequence IS (SELECT min(f.sequence)
                                    FROM file AS f
                                   WHERE f.item_id = :item AND f.missing = :missing)",
    )?;
    let rows = statement.query_map(
        named_params! { ":item": item, ":missing": missing },
        |row| {
            let folder = name::display(row.get_ref(1)?.as_blob()?);
            let file = name::display(row.get_ref(2)?.as_blob()?);
            Ok((join(&folder, &file), row.get(0)?))
        },
    )?;
    let mut files: Vec<(String, FileId)> = rows.collect::<Result<_, _>>()?;
    if files.len() > 1 {
        files.sort_by_cached_key(|(path, id)| (text::name_sort_key(path), *id));
    }
    Ok(files.into_iter().next().map(|(_, id)| id))
}
