use std::cell::Cell;

use rusqlite::Connection;

use super::*;
use crate::id::UserId;
use crate::store::library;
use crate::time::Timestamp;

/// Creates a database with one user and an empty library.
fn database() -> (tempfile::TempDir, Db, LibraryId) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    let library = db
        .write_blocking(|tx| {
            tx.execute(
                "INSERT INTO user (username, username_key, password_hash, role, created_at)
                 VALUES ('ada', 'ada', '', 'admin', '2026-01-01T00:00:00.000000Z')",
                [],
            )?;
            let new = library::NewLibrary {
                name: "Films".to_owned(),
                path: "/srv/films".into(),
                kinds: None,
                grants: Vec::new(),
            };
            let now = Timestamp::from_micros(0);
            let id = library::create(tx, &new, UserId(1), now)?;
            tx.execute(
                "INSERT INTO folder (library_id, path) VALUES (:library, x'')",
                named_params! { ":library": id },
            )?;
            Ok(id)
        })
        .expect("a library");
    (folder, db, library)
}

/// Inserts an item with a file for each entry of `files`; `true` stands for a missing file.
fn put_item(tx: &Transaction<'_>, library: LibraryId, missing: bool, files: &[bool]) -> i64 {
    let last: i64 = tx
        .query_row("SELECT ifnull(max(id), 0) FROM item", [], |row| row.get(0))
        .expect("a number");
    let key = format!("item {last}");
    tx.execute(
        "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at,
                           missing)
         VALUES (:library, 'film', :key, :key, :key, 'i', '', :missing)",
        named_params! { ":library": library, ":key": key, ":missing": missing },
    )
    .expect("an item");
    let item = tx.last_insert_rowid();
    for (n, missing) in files.iter().enumerate() {
        tx.execute(
            "INSERT INTO file (item_id, folder_id, name, size, mtime_ns, missing, added_at)
             VALUES (:item, 1, CAST(:name AS BLOB), 1, 1, :missing, '')",
            named_params! {
                ":item": item,
                ":name": format!("{item} {n}"),
                ":missing": missing,
            },
        )
        .expect("a file");
    }
    tx.execute(
        "INSERT INTO search_word (rowid, title, path, authors) VALUES (:item, 'found', '', '')",
        named_params! { ":item": item },
    )
    .expect("a search row");
    tx.execute(
        "INSERT INTO search_infix (rowid, text) VALUES (:item, 'found')",
        named_params! { ":item": item },
    )
    .expect("a search row");
    item
}

/// Inserts one row about the item into each table with user data.
fn put_user_state(tx: &Transaction<'_>, item: i64) {
    tx.execute_batch(&format!(
        "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
         SELECT 1, min(id), item_id, 7, '' FROM file WHERE item_id = {item};
         INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, {item}, '');
         INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at) VALUES (1, {item}, 1, 3, '');
         INSERT INTO game_save (user_id, item_id, slot, size, sha256, updated_at, body)
         VALUES (1, {item}, 'quick', 1, '', '', x'00');"
    ))
    .expect("state");
}

fn numbers(db: &Db, sql: &'static str) -> Vec<i64> {
    db.read_blocking(move |conn: &Connection| {
        let mut statement = conn.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
    .expect("numbers")
}

#[test]
fn purge_deletes_only_missing_items_without_present_files() {
    let (_folder, db, library) = database();
    let kept = db
        .write_blocking(move |tx| {
            put_item(tx, library, true, &[true, true]);
            put_item(tx, library, true, &[]);
            let present = put_item(tx, library, false, &[false, true]);
            let half = put_item(tx, library, true, &[true, false]);
            Ok(vec![present, half])
        })
        .expect("items");
    let deleted = purge_blocking(&db, library, || true).expect("a purge");
    assert_eq!(deleted, Some(2));
    assert_eq!(numbers(&db, "SELECT id FROM item ORDER BY id"), kept);
    assert_eq!(numbers(&db, "SELECT count(*) FROM file"), [4]);
}

#[test]
fn purge_twice_deletes_zero() {
    let (_folder, db, library) = database();
    db.write_blocking(move |tx| {
        for _ in 0..CHUNK + 3 {
            put_item(tx, library, true, &[true]);
        }
        Ok(())
    })
    .expect("items");
    let purge = || purge_blocking(&db, library, || true).expect("a purge");
    assert_eq!(purge(), Some(CHUNK + 3));
    assert_eq!(purge(), Some(0));
}

#[test]
fn purge_deletes_dependent_rows_of_the_item_only() {
    let (_folder, db, library) = database();
    db.write_blocking(move |tx| {
        let gone = put_item(tx, library, true, &[true]);
        let present = put_item(tx, library, false, &[false]);
        put_user_state(tx, gone);
        put_user_state(tx, present);
        Ok(())
    })
    .expect("items");
    purge_blocking(&db, library, || true).expect("a purge");
    for sql in [
        "SELECT count(*) FROM progress",
        "SELECT count(*) FROM favourite",
        "SELECT count(*) FROM item_view",
        "SELECT count(*) FROM game_save",
        "SELECT count(*) FROM search_word WHERE search_word MATCH 'found'",
        "SELECT count(*) FROM search_infix WHERE search_infix MATCH 'fou'",
        "SELECT sum(n) FROM item_count",
    ] {
        assert_eq!(numbers(&db, sql), [1], "{sql}");
    }
}

#[test]
fn purge_stops_when_the_root_becomes_unreadable() {
    let (_folder, db, library) = database();
    db.write_blocking(move |tx| {
        for _ in 0..50 {
            put_item(tx, library, true, &[true]);
        }
        Ok(())
    })
    .expect("items");
    let asked = Cell::new(0);
    let first_time_only = || asked.replace(asked.get() + 1) == 0;
    let deleted = purge_blocking(&db, library, first_time_only).expect("a purge");
    assert_eq!(deleted, None);
    let left = numbers(&db, "SELECT count(*) FROM item")[0];
    assert!((1..50).contains(&left), "{left}");
}

#[test]
fn library_deletion_removes_all_its_rows_and_keeps_other_libraries() {
    let (_folder, db, library) = database();
    let other = db
        .write_blocking(move |tx| {
            for n in 0..=CHUNK {
                let item = put_item(tx, library, n % 2 == 0, &[n % 2 == 0]);
                put_user_state(tx, item);
            }
            let new = library::NewLibrary {
                name: "Other".to_owned(),
                path: "/srv/other".into(),
                kinds: None,
                grants: Vec::new(),
            };
            let other = library::create(tx, &new, UserId(1), Timestamp::from_micros(0))?;
            put_item(tx, other, false, &[]);
            Ok(other)
        })
        .expect("items");
    assert!(library::delete::delete_blocking(&db, library).expect("a deletion"));
    assert!(!library::delete::delete_blocking(&db, library).expect("nothing to delete"));
    assert_eq!(numbers(&db, "SELECT id FROM library"), [other.0]);
    assert_eq!(
        numbers(&db, "SELECT library_id FROM library_grant"),
        [other.0]
    );
    for sql in [
        "SELECT count(*) FROM item",
        "SELECT count(*) FROM search_word WHERE search_word MATCH 'found'",
    ] {
        assert_eq!(numbers(&db, sql), [1], "{sql}");
    }
    for sql in [
        "SELECT count(*) FROM file",
        "SELECT count(*) FROM folder",
        "SELECT count(*) FROM progress",
    ] {
        assert_eq!(numbers(&db, sql), [0], "{sql}");
    }
}
