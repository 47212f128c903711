//! Deletion of a library from the database. No file on disk is changed.

use rusqlite::{Transaction, named_params};

use crate::db::{AdaptiveBatch, Db};
use crate::error::StoreResult;
use crate::id::LibraryId;
use crate::store::library::purge;

/// Deletes a library and its content. Returns `false` if the library is absent.
///
/// The grants are deleted first, so that no user sees a partially deleted library. Then follow the
/// items in chunks, which lets other writes proceed, and finally the library. An interrupted
/// deletion can be repeated.
pub fn delete_blocking(db: &Db, id: LibraryId) -> StoreResult<bool> {
    if !db.write_blocking(move |tx| withdraw(tx, id))? {
        return Ok(false);
    }
    let mut batch = AdaptiveBatch::of_at_most(purge::CHUNK);
    loop {
        let rows = batch.rows();
        if db.bulk_blocking(move |tx| delete_chunk(tx, id, rows))? < rows {
            break;
        }
        batch.learn(db);
    }
    db.write_blocking(move |tx| delete_rest(tx, id))?;
    Ok(true)
}

fn withdraw(tx: &Transaction<'_>, id: LibraryId) -> StoreResult<bool> {
    tx.execute(
        "DELETE FROM library_grant WHERE library_id = :id",
        named_params! { ":id": id },
    )?;
    super::exists(tx, id)
}

const ITEMS: &str = "
    SELECT id
      FROM item
     WHERE library_id = :library
     LIMIT :chunk";

fn delete_chunk(tx: &Transaction<'_>, id: LibraryId, rows: usize) -> StoreResult<usize> {
    let items = purge::items(tx, ITEMS, id, rows)?;
    purge::delete_items(tx, &items)?;
    Ok(items.len())
}

/// Deletes the remaining rows: a scan that was ending may have added items after the last chunk.
fn delete_rest(tx: &Transaction<'_>, id: LibraryId) -> StoreResult<()> {
    while delete_chunk(tx, id, purge::CHUNK)? > 0 {}
    tx.execute(
        "DELETE FROM library WHERE id = :id",
        named_params! { ":id": id },
    )?;
    Ok(())
}
