//! The item index contains exactly the committed state.

use std::sync::atomic::AtomicBool;

use rusqlite::Transaction;

use super::*;
use crate::db::Db;
use crate::id::UserId;

fn database() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    db.write_blocking(|tx| {
        tx.execute_batch(
            "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
             VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'admin', '');
             INSERT INTO library (id, name, name_key, path, created_at)
             VALUES (1, 'A', 'a', x'61', ''), (2, 'B', 'b', x'62', '');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (2, 1), (2, 2);",
        )?;
        Ok(())
    })
    .expect("libraries");
    (folder, db)
}

fn insert(tx: &Transaction<'_>, id: i64, library: i64, kind: &str) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (:id, :library, :kind, :id, 'T', 'T', 'T', '')",
        named_params! { ":id": id, ":library": library, ":kind": kind },
    )?;
    Ok(())
}

/// Returns library, kind and presence of the items 1 to 9.
fn seen(db: &Db) -> Vec<(i64, i64, String, bool)> {
    let view = db.shared.item_index.view();
    (1..10)
        .filter_map(|id| {
            let bucket = view.bucket(ItemId(id))?;
            Some((
                id,
                bucket.library.0,
                bucket.kind.to_string(),
                bucket.missing,
            ))
        })
        .collect()
}

fn row(id: i64, library: i64, kind: &str, missing: bool) -> (i64, i64, String, bool) {
    (id, library, kind.to_owned(), missing)
}

fn execute(db: &Db, sql: &'static str) -> StoreResult<()> {
    db.write_blocking(move |tx| Ok(tx.execute_batch(sql)?))
}

#[test]
fn inserts_updates_and_deletes_are_seen_at_once() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        insert(tx, 1, 1, "paper")?;
        insert(tx, 2, 2, "sound")
    })
    .expect("items");
    assert_eq!(
        seen(&db),
        [row(1, 1, "paper", false), row(2, 2, "sound", false)]
    );
    db.bulk_blocking(|tx| {
        tx.execute("UPDATE item SET missing = 1 WHERE id = 1", [])?;
        Ok(tx.execute("UPDATE item SET kind = 'paper' WHERE id = 2", [])?)
    })
    .expect("changes");
    assert_eq!(
        seen(&db),
        [row(1, 1, "paper", true), row(2, 2, "paper", false)]
    );
    execute(&db, "DELETE FROM item WHERE id = 1").expect("a deletion");
    assert_eq!(seen(&db), [row(2, 2, "paper", false)]);
}

#[test]
fn items_that_go_with_their_library_are_gone() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        (1..5).try_for_each(|id| insert(tx, id, 1, "paper"))?;
        insert(tx, 5, 2, "paper")
    })
    .expect("items");
    execute(&db, "DELETE FROM library WHERE id = 1").expect("a deletion");
    assert_eq!(seen(&db), [row(5, 2, "paper", false)]);
}

#[test]
fn what_is_rolled_back_is_not_seen() {
    let (_folder, db) = database();
    db.write_blocking(|tx| insert(tx, 1, 1, "paper"))
        .expect("an item");
    let fail = |tx: &Transaction<'_>| -> StoreResult<()> {
        insert(tx, 2, 1, "paper")?;
        tx.execute("UPDATE item SET missing = 1", [])?;
        tx.execute("DELETE FROM item WHERE id = 1", [])?;
        Err(StoreError::Conflict("No.".to_owned()))
    };
    db.write_blocking(fail).expect_err("a failure");
    db.bulk_blocking(fail).expect_err("a failure");
    assert_eq!(seen(&db), [row(1, 1, "paper", false)]);
}

#[tokio::test]
async fn a_database_that_is_opened_again_knows_its_items() {
    let (folder, db) = database();
    db.write_blocking(|tx| {
        insert(tx, 1, 1, "paper")?;
        // In a segment of its own.
        insert(tx, 200_000, 2, "sound")
    })
    .expect("items");
    db.close();
    let again = Db::open(&folder.path().join("ledge.db")).expect("a database");
    again.shared.item_index.ready().await.expect("the buckets");
    assert_eq!(seen(&again), [row(1, 1, "paper", false)]);
    assert!(
        again
            .shared
            .item_index
            .view()
            .bucket(ItemId(200_000))
            .is_some()
    );
    again.close();
    assert!(matches!(
        again.shared.item_index.ready().await,
        Err(StoreError::Closed)
    ));
}

#[test]
fn loading_never_overrules_the_writer() {
    let (_folder, db) = database();
    db.write_blocking(|tx| (1..4).try_for_each(|id| insert(tx, id, 1, "paper")))
        .expect("items");
    // The writer reports a deletion and a change before the old state is loaded.
    let item_index = ItemIndex::new();
    item_index.shared.entries.set_all(1, 1, GONE);
    let number = item_index.number(ItemBucket {
        library: LibraryId(1),
        kind: "sound".into(),
        subkind: None,
        missing: true,
    });
    item_index.shared.entries.set_all(2, 2, number);
    db.read_blocking({
        let item_index = item_index.clone();
        move |conn| load::load(&item_index, conn, &AtomicBool::new(false))
    })
    .expect("the old state");
    let view = item_index.view();
    assert_eq!(view.bucket(ItemId(1)), None);
    assert_eq!(
        view.bucket(ItemId(2)).map(|bucket| &*bucket.kind),
        Some("sound")
    );
    assert_eq!(
        view.bucket(ItemId(3)).map(|bucket| &*bucket.kind),
        Some("paper")
    );
}

#[test]
fn the_unknown_and_the_ungranted_are_in_no_group() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        insert(tx, 1, 1, "paper")?;
        insert(tx, 2, 2, "paper")
    })
    .expect("items");
    let view = db.shared.item_index.view();
    db.read_blocking(move |conn| {
        let of = |user| view.groups(conn, Visible::of(UserId(user)), |_| Some(0));
        let (one, both, nobody) = (of(1)?, of(2)?, of(3)?);
        let seen = |groups: &Groups<'_>| [1, 2, 3, -1, i64::MAX].map(|id| groups.of(ItemId(id)));
        assert_eq!(seen(&one), [Some(0), None, None, None, None]);
        assert_eq!(seen(&both), [Some(0), Some(0), None, None, None]);
        assert_eq!(seen(&nobody), [None; 5]);
        let mut every = IdSet::default();
        for id in [1, 2, 3, 70_000, grid::LAST_ID] {
            every.insert(ItemId(id));
        }
        let visited = |groups: &Groups<'_>, most: usize| {
            let mut visited = Vec::new();
            groups.each(&every, |group, id| {
                visited.push((group, id.0));
                if visited.len() < most {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            visited
        };
        assert_eq!(visited(&one, 9), [(0, 1)]);
        assert_eq!(visited(&both, 9), [(0, 2), (0, 1)]);
        assert_eq!(visited(&both, 1), [(0, 2)]);
        assert_eq!(visited(&nobody, 9), []);
        Ok(())
    })
    .expect("a check");
}

#[test]
fn a_list_of_ones_own_follows_what_one_does_and_nobody_elses() {
    use crate::paging::Window;
    use crate::store::item::{self, Filter, Order};
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        (1..=3).try_for_each(|id| insert(tx, id, 1, "paper"))?;
        Ok(tx.execute_batch("UPDATE item SET added_at = '2026-01-01T00:00:00.000000Z'")?)
    })
    .expect("items");
    let loved = |viewer| {
        let item_index = db.shared.item_index.clone();
        let read = db.read_blocking(move |conn| {
            let filter = Filter {
                favourite: Some(true),
                ..Filter::default()
            };
            let window = Window {
                offset: 0,
                limit: 9,
            };
            item::page(
                conn,
                &item_index.view(),
                Visible::of(UserId(viewer)),
                &filter,
                Order::default(),
                window,
            )
        });
        let ids = read
            .expect("a page")
            .items
            .into_iter()
            .map(|card| card.id.0);
        ids.collect::<Vec<_>>()
    };
    let love = |viewer: i64, item: i64| {
        let sql = "INSERT INTO favourite (user_id, item_id, created_at) VALUES (?1, ?2, '')";
        db.write_blocking(move |tx| Ok(tx.execute(sql, [viewer, item])?))
            .expect("a favourite");
    };
    assert_eq!((loved(1), loved(2)), (vec![], vec![]));
    love(1, 3);
    assert_eq!((loved(1), loved(2)), (vec![3], vec![]));
    love(2, 1);
    love(1, 2);
    assert_eq!((loved(1), loved(1)), (vec![2, 3], vec![2, 3]));
    assert_eq!(loved(2), [1]);
    execute(&db, "DELETE FROM item WHERE id = 2").expect("one less");
    assert_eq!(loved(1), [3]);
    execute(&db, "DELETE FROM library_grant WHERE user_id = 1").expect("no grant");
    assert_eq!((loved(1), loved(2)), (vec![], vec![1]));
}
