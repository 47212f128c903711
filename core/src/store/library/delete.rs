//! Deleting a library: everything the catalogue says about it goes, no file on disk is touched.

use rusqlite::{Transaction, named_params};

use crate::db::{Db, Portion};
use crate::id::LibraryId;
use crate::store::{StoreResult, purge};

/// Deletes a library and all it holds; `false` if there is none of this id.
///
/// Its grants go first, so that nobody browses what is half gone, then its items in chunks that
/// let other writes through, then the library itself. Cut short at any point, it can be repeated.
pub fn delete_blocking(db: &Db, id: LibraryId) -> StoreResult<bool> {
    if !db.write_blocking(move |tx| withdraw(tx, id))? {
        return Ok(false);
    }
    let mut portion = Portion::of_at_most(purge::CHUNK);
    loop {
        let rows = portion.rows();
        if db.bulk_blocking(move |tx| delete_chunk(tx, id, rows))? < rows {
            break;
        }
        portion.learn(db);
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

/// A scan that was still ending may have added to the library since the last chunk.
fn delete_rest(tx: &Transaction<'_>, id: LibraryId) -> StoreResult<()> {
    while delete_chunk(tx, id, purge::CHUNK)? > 0 {}
    tx.execute(
        "DELETE FROM library WHERE id = :id",
        named_params! { ":id": id },
    )?;
    Ok(())
}
