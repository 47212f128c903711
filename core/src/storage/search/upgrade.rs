//! Completion of the search index after an upgrade: vocabulary, people and series of existing items.

use rusqlite::{OptionalExtension as _, Transaction, named_params};

use super::{document_unscoped, reindex, vocabulary};
use crate::db::{AdaptiveBatch, Db};
use crate::error::StoreResult;
use crate::id::ItemId;

/// Maximum number of items per transaction.
const CHUNK: usize = 200;

/// Indexes the remaining items, newest first, in short transactions. A later call continues. Stops
/// between transactions when `go_on` returns `false`.
pub fn complete_blocking(db: &Db, go_on: impl Fn() -> bool) -> StoreResult<()> {
    let mut batch = AdaptiveBatch::of_at_most(CHUNK);
    while go_on() {
        let rows = batch.rows();
        if !db.bulk_blocking(move |tx| complete(tx, rows))? {
            break;
        }
        batch.learn(db);
    }
    Ok(())
}

/// Indexes up to `rows` items. Returns `false` if none are left.
fn complete(tx: &Transaction<'_>, rows: usize) -> StoreResult<bool> {
    let next: Option<ItemId> = tx
        .query_row(
            "SELECT next_item FROM search_backlog WHERE id = 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    let Some(next) = next else {
        return Ok(false);
    };
    let items = items(tx, next, rows)?;
    let Some((last, _)) = items.last() else {
        tx.execute("DELETE FROM search_backlog WHERE id = 1", [])?;
        return Ok(false);
    };
    let (named, others): (Vec<_>, Vec<_>) = items.iter().partition(|(_, has_names)| *has_names);
    let ids = |items: Vec<(ItemId, bool)>| items.into_iter().map(|(id, _)| id);
    reindex(tx, &ids(named).collect::<Vec<_>>())?;
    let mut documents = Vec::new();
    for id in ids(others) {
        documents.extend(document_unscoped(tx, id)?);
    }
    vocabulary::add(tx, documents.iter())?;
    tx.execute(
        "UPDATE search_backlog SET next_item = :last - 1 WHERE id = 1",
        named_params! { ":last": last },
    )?;
    Ok(true)
}

/// Returns items in descending order, and `true` for those with a series or further people.
fn items(tx: &Transaction<'_>, next: ItemId, rows: usize) -> StoreResult<Vec<(ItemId, bool)>> {
    let mut statement = tx.prepare_cached(
        "SELECT id, series_id IS NOT NULL
             OR EXISTS (SELECT 1 FROM item_person WHERE item_id = id AND role <> 'author')
           FROM item
          WHERE id <= :next
          ORDER BY id DESC
          LIMIT :n",
    )?;
    let rows = statement.query_map(named_params! { ":next": next, ":n": rows }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
