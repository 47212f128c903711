//! Pages say the same with the sets as without, whatever was changed just before.

use rusqlite::Transaction;

use super::*;
use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::db::Db;
use crate::http::page::Window;
use crate::id::LibraryId;
use crate::store::favourite;
use crate::store::item::cards;
use crate::store::progress::{NewPlace, clear, log, save};

const ITEMS: i64 = 40;
const CHANGES: u64 = 400;

/// Three libraries, the last of which the viewer may not see, and in each every third item.
fn database() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    db.write_blocking(|tx| {
        tx.execute_batch(&format!(
            "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
             VALUES (1, 'ada', 'ada', '', 'user', '');
             INSERT INTO library (id, name, name_key, path, created_at)
             VALUES (1, 'A', 'a', x'61', ''), (2, 'B', 'b', x'62', ''), (3, 'C', 'c', x'63', '');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2);
             INSERT INTO folder (id, library_id, path)
             VALUES (1, 1, x''), (2, 2, x''), (3, 3, x'');
             INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
             WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < {ITEMS})
             SELECT id, 1 + id % 3, 'paper', id, 'T', 't', 'T', '2026-01-01T00:00:00Z' FROM n;
             INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, extent)
             SELECT id, id, library_id, CAST(id AS BLOB), 0, 0, '', 100 FROM item;"
        ))?;
        Ok(())
    })
    .expect("rows");
    (folder, db)
}

fn viewer() -> Visible {
    Visible::of(UserId(1))
}

/// What a viewer may do, and what may be done to them.
fn change(tx: &Transaction<'_>, what: u64, item: ItemId, n: u64) -> StoreResult<()> {
    let now = Timestamp::from_micros(1_800_000_000_000_000 + i64::try_from(n).expect("a number"));
    let seen: Option<VisibleItem> = viewer().item(tx, item)?;
    match (what, seen) {
        (0 | 1, Some(item)) => drop(favourite::add(tx, item, now)?),
        (2, Some(item)) => drop(favourite::remove(tx, item)?),
        (3..6, Some(item)) => {
            let place = NewPlace {
                file: None,
                position: i64::try_from(n % 90).expect("a number"),
                finished: what == 5,
                locator: None,
                recorded_at: None,
            };
            save(tx, item, &place, now)?;
        }
        (6, Some(item)) => drop(clear(tx, item, now)?),
        (7, _) => {
            let library = LibraryId(1 + item.0 % 2);
            let taken = tx.execute("DELETE FROM library_grant WHERE library_id = ?1", [library])?;
            if taken == 0 {
                tx.execute("INSERT INTO library_grant VALUES (1, ?1)", [library])?;
            }
        }
        (8, _) if n.is_multiple_of(4) => {
            tx.execute("DELETE FROM item WHERE id = ?1", [item])?;
        }
        _ => {}
    }
    Ok(())
}

fn page(conn: &Connection, view: Option<&View>) -> StoreResult<(String, bool)> {
    let ids: Vec<ItemId> = (1..=ITEMS).rev().map(ItemId).collect();
    let visible = viewer();
    let cards = cards(conn, view, visible, &ids, None)?;
    let window = Window {
        offset: 0,
        limit: 60,
    };
    let log = log::page(conn, view, visible, None, window)?;
    let page = serde_json::to_string(&(cards, log)).expect("a page");
    Ok((page, Own::of(conn, view, visible)?.is_some()))
}

#[tokio::test]
async fn pages_are_the_same_with_sets_and_without() {
    let (_folder, db) = database();
    let (mut with_sets, mut without) = (0, 0);
    for n in 0..CHANGES {
        let number = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let item = ItemId(1 + i64::try_from(number / 10 % 40).expect("an id"));
        let write = db.write(move |tx| change(tx, number % 10, item, n));
        write.await.expect("a change");
        let pages = db.read_with_presence(|conn, view| {
            let first = page(conn, Some(view))?;
            Ok((first, page(conn, Some(view))?, page(conn, None)?))
        });
        let (made, kept, looked_up) = pages.await.expect("pages");
        assert_eq!(made.0, looked_up.0, "after change {n}");
        assert_eq!(kept.0, looked_up.0, "after change {n}");
        assert!(!looked_up.1);
        *(if made.1 { &mut with_sets } else { &mut without }) += 1;
    }
    assert!(with_sets > CHANGES / 2, "{with_sets}");
    assert!(without > 0, "{without}");
}

#[tokio::test]
async fn a_set_is_not_made_anew_until_something_changes() {
    let (_folder, db) = database();
    let love = |id| db.write(move |tx| change(tx, 0, ItemId(id), 1));
    for id in [1, 3, 4] {
        love(id).await.expect("a favourite");
    }
    let loved = || {
        db.read_with_presence(|conn, view| {
            let own = Own::of(conn, Some(view), viewer())?;
            Ok(own.expect("sets").loved)
        })
    };
    let first = loved().await.expect("a set");
    assert!(Arc::ptr_eq(&first, &loved().await.expect("a set")));
    love(6).await.expect("a favourite");
    let second = loved().await.expect("a set");
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.len(), second.len()), (3, 4));
}
