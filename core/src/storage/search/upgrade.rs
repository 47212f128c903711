//! Completion of the search index after an upgrade: vocabulary, people and series of existing items,
//! and their parts.

use rusqlite::{OptionalExtension as _, Transaction, named_params};

use super::{document_unscoped, parts, reindex, vocabulary};
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
    parts::reindex(tx, items.iter().map(|(item, _)| *item))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Visible;
    use crate::id::{FileId, UserId};
    use crate::paging::Window;

    #[test]
    fn parts_of_an_upgraded_database_are_found_as_new_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            Ok(tx.execute_batch(
                "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                 VALUES (1, 'a', 'a', '', 'user', '');
                 INSERT INTO library (id, name, name_key, path, created_at)
                 VALUES (1, 'l', 'l', x'6c', '');
                 INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);
                 INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');
                 INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                                   added_at)
                 VALUES (1, 1, 'tape', 'a', 'A', 'a', 'A', '');
                 INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
                 VALUES (1, 1, 1, x'61', 1, 0, ''), (2, 1, 1, x'62', 1, 0, '');
                 INSERT INTO part (file_id, library_id, title, artists, missing)
                 VALUES (1, 1, 'Don''t Go', 'Sinéad O''Brien', 0), (2, 1, '東京物語', 'Mø', 0);
                 INSERT INTO search_backlog (id, next_item) VALUES (1, 1);",
            )?)
        })
        .expect("rows");
        // A second run has nothing to do.
        for _ in 0..2 {
            complete_blocking(&db, || true).expect("a complete index");
        }
        for (query, file) in [
            ("dont go", 1),
            ("don't", 1),
            ("obrien", 1),
            ("京", 2),
            ("moe", 2),
        ] {
            let window = Window {
                offset: 0,
                limit: 9,
            };
            let visible = Visible::of(UserId(1));
            let found =
                db.read_blocking(move |conn| parts::find(conn, visible, None, query, window));
            assert_eq!(found.expect("files"), [FileId(file)], "{query}");
        }
    }
}
