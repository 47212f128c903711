//! Purge: deletion of missing items from the database, on request of an administrator. It deletes
//! only items that an accepted scan confirms as missing (`scan_run::acceptance`).

use rusqlite::{Transaction, named_params};

use crate::db::{AdaptiveBatch, Db};
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, LibraryId};
use crate::search;
use crate::store::catalogue::{genre, person};
use crate::store::library::scan_run::acceptance;

/// Limit of items per transaction; the batch is much smaller while other writes wait.
pub const CHUNK: usize = 500;

/// Deletes the items of a library that have no present file, and returns their number. Returns
/// `None` as soon as `root_is_readable` returns `false`, because files may exist in an unreadable
/// root.
///
/// Progress, views, saves and all other data of the items are deleted with them. Missing files of
/// present items stay.
///
/// # Errors
///
/// [`StoreError::Conflict`] as soon as a scan since the last accepted one was rejected or was
/// interrupted while it marked files. Every transaction checks it.
pub fn purge_blocking(
    db: &Db,
    library: LibraryId,
    root_is_readable: impl Fn() -> bool,
) -> StoreResult<Option<usize>> {
    let mut deleted = 0;
    let mut batch = AdaptiveBatch::of_at_most(CHUNK);
    loop {
        if !root_is_readable() {
            return Ok(None);
        }
        let rows = batch.rows();
        let chunk = db.bulk_blocking(move |tx| purge_chunk(tx, library, rows))?;
        deleted += chunk;
        if chunk < rows {
            return Ok(Some(deleted));
        }
        batch.learn(db);
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

/// Returns up to `rows` items of a library, by a query with the parameters `:library` and `:chunk`.
pub(crate) fn items(
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

/// Deletes items with all dependent rows. The search index has no foreign keys, so its rows are
/// deleted here in the same transaction.
pub(crate) fn delete_items(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    search::remove(tx, items)?;
    let people = person::ids_of_items(tx, items)?;
    let genres = genre::ids_of_items(tx, items)?;
    let mut delete = tx.prepare_cached("DELETE FROM item WHERE id = :id")?;
    for item in items {
        delete.execute(named_params! { ":id": item })?;
    }
    person::forget_unused(tx, &people)?;
    genre::forget_unused(tx, &genres)
}

#[cfg(test)]
mod tests;
