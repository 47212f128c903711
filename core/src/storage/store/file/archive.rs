//! Present files of an item, for an archive.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::location::{self, FileLocation};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::path;
use crate::registry::naming::join;
use crate::store::item::page_order;

/// Files of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFiles {
    /// Name of the item or of the playlist.
    pub name: String,
    /// Locations of the present files, in order.
    pub files: Vec<FileLocation>,
}

const TITLE: &str = "SELECT title FROM item WHERE id = :item";

const FILES: &str = "
    SELECT file.id, item.kind, library.path AS root, folder.path AS folder, file.name,
           file.sequence
      FROM item
      JOIN library ON library.id = item.library_id
      JOIN file ON file.item_id = item.id
      JOIN folder ON folder.id = file.folder_id
     WHERE item.id = :item AND file.missing = 0";

/// Returns the present files of an item in page order. Returns `None` if the item is gone.
pub fn of_item(conn: &Connection, item: VisibleItem) -> StoreResult<Option<ArchiveFiles>> {
    let Some(item) = item.again(conn)? else {
        return Ok(None);
    };
    let of = named_params! { ":item": item.id() };
    let name = conn
        .prepare_cached(TITLE)?
        .query_row(of, |row| row.get(0))
        .optional()?;
    let Some(name) = name else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(FILES)?;
    let rows = statement.query_map(of, part)?;
    let mut parts: Vec<(Option<i64>, FileLocation)> = rows.collect::<Result<_, _>>()?;
    parts.sort_by_cached_key(|(sequence, location)| {
        let folder = path::display(location.folder.as_os_str().as_encoded_bytes());
        let name = path::display(location.name.as_encoded_bytes());
        page_order(*sequence, &join(&folder, &name), location.id)
    });
    let files = parts.into_iter().map(|(_, location)| location).collect();
    Ok(Some(ArchiveFiles { name, files }))
}

fn part(row: &Row<'_>) -> rusqlite::Result<(Option<i64>, FileLocation)> {
    Ok((row.get("sequence")?, location::location(row)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::assert_searches;

    #[test]
    fn archive_statements_use_keys_only() {
        for sql in [TITLE, FILES] {
            assert_searches(sql);
        }
    }
}
