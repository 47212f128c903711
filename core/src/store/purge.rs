//! Purging: items that are gone from the disk are taken from the catalogue, when an administrator
//! says so. Only what an accepted scan confirms as missing is deleted (`scan_run::acceptance`).

use rusqlite::{Transaction, named_params};

use crate::db::{Db, Portion};
use crate::id::{ItemId, LibraryId};
use crate::search;
use crate::store::scan_run::acceptance;
use crate::store::{StoreError, StoreResult, person};

/// Items deleted in one transaction at most; far fewer while others write.
pub const CHUNK: usize = 500;

/// Deletes what is missing from a library and has no present file; how many items those were.
/// `None` as soon as `root_is_readable` denies it: what cannot be looked at is not gone.
///
/// # Errors
/// [`StoreError::Conflict`] as soon as a scan since the last accepted one was rejected or was
/// interrupted while it marked files. Every transaction checks it.
///
/// Progress, views, saves and everything else about the items goes with them. The missing files
/// of present items stay.
pub fn purge_blocking(
    db: &Db,
    library: LibraryId,
    root_is_readable: impl Fn() -> bool,
) -> StoreResult<Option<usize>> {
    let mut deleted = 0;
    let mut portion = Portion::of_at_most(CHUNK);
    loop {
        if !root_is_readable() {
            return Ok(None);
        }
        let rows = portion.rows();
        let chunk = db.bulk_blocking(move |tx| purge_chunk(tx, library, rows))?;
        deleted += chunk;
        if chunk < rows {
            return Ok(Some(deleted));
        }
        portion.learn(db);
    }
}

const GONE: &str = "
    SELECT item.id
      FROM item
     WHERE item.library_id = :library
       AND item.missing = 1
       AND NOT EXISTS (SELECT 1 FROM file
                        WHERE file.item_id = item.id AND file.missing = 0)
     ORDER BY item.id
     LIMIT :chunk";

fn purge_chunk(tx: &Transaction<'_>, library: LibraryId, rows: usize) -> StoreResult<usize> {
    if let Some(why) = acceptance::objection(tx, library)? {
        return Err(StoreError::Conflict(why));
    }
    let items = items(tx, GONE, library, rows)?;
    delete_items(tx, &items)?;
    Ok(items.len())
}

/// A chunk of a library's items, by a query with the parameters `:library` and `:chunk`.
pub(super) fn items(
    tx: &Transaction<'_>,
    sql: &str,
    library: LibraryId,
    rows: usize,
) -> StoreResult<Vec<ItemId>> {
    let mut statement = tx.prepare_cached(sql)?;
    let rows = statement.query_map(
        named_params! { ":library": library, ":chunk": rows },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes items with all that hangs on them. The search index has no foreign keys: its rows go
/// here, in the same transaction.
pub(crate) fn delete_items(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    search::remove(tx, items)?;
    let people = person::ids_of_items(tx, items)?;
    let mut delete = tx.prepare_cached("DELETE FROM item WHERE id = :id")?;
    for item in items {
        delete.execute(named_params! { ":id": item })?;
    }
    person::forget_unused(tx, &people)
}

#[cfg(test)]
mod tests;
