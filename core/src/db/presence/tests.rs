//! The places follow what is committed, and nothing else.

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

/// Library, kind and presence of the items 1 to 9.
fn seen(db: &Db) -> Vec<(i64, i64, String, bool)> {
    let view = db.shared.presence.view();
    (1..10)
        .filter_map(|id| {
            let place = view.place(ItemId(id))?;
            Some((id, place.library.0, place.kind.to_string(), place.missing))
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
    again.shared.presence.ready().await.expect("the places");
    assert_eq!(seen(&again), [row(1, 1, "paper", false)]);
    assert!(
        again
            .shared
            .presence
            .view()
            .place(ItemId(200_000))
            .is_some()
    );
    again.close();
    assert!(matches!(
        again.shared.presence.ready().await,
        Err(StoreError::Closed)
    ));
}

#[test]
fn loading_never_overrules_the_writer() {
    let (_folder, db) = database();
    db.write_blocking(|tx| (1..4).try_for_each(|id| insert(tx, id, 1, "paper")))
        .expect("items");
    // A presence that the writer tells of a deletion and a change before the old state is loaded.
    let presence = Presence::new();
    presence.shared.entries.set_all(1, 1, GONE);
    let number = presence.number(Place {
        library: LibraryId(1),
        kind: "sound".into(),
        subkind: None,
        missing: true,
    });
    presence.shared.entries.set_all(2, 2, number);
    db.read_blocking({
        let presence = presence.clone();
        move |conn| load::load(&presence, conn, &AtomicBool::new(false))
    })
    .expect("the old state");
    let view = presence.view();
    assert_eq!(view.place(ItemId(1)), None);
    assert_eq!(
        view.place(ItemId(2)).map(|place| &*place.kind),
        Some("sound")
    );
    assert_eq!(
        view.place(ItemId(3)).map(|place| &*place.kind),
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
    let view = db.shared.presence.view();
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
        let told = |groups: &Groups<'_>, most: usize| {
            let mut told = Vec::new();
            groups.each(&every, |group, id| {
                told.push((group, id.0));
                if told.len() < most {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
            told
        };
        assert_eq!(told(&one, 9), [(0, 1)]);
        assert_eq!(told(&both, 9), [(0, 2), (0, 1)]);
        assert_eq!(told(&both, 1), [(0, 2)]);
        assert_eq!(told(&nobody, 9), []);
        Ok(())
    })
    .expect("a check");
}

/// What a viewer has begun and loves, as the numbers tell: whether it is as it was.
fn is_unchanged(db: &Db, change: impl FnOnce(&Db)) -> bool {
    let view = db.shared.presence.view();
    let viewer = UserId(1);
    let before = view.viewers_state(viewer).expect("nothing goes on");
    change(db);
    let now = db.shared.presence.view().viewers_state(viewer);
    assert_eq!(view.viewers_state(viewer).is_some(), now == Some(before));
    now.expect("nothing goes on any more") == before
}

const PLACE: &str = "
    INSERT INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
    VALUES (1, 1, 1, 1, '')
        ON CONFLICT DO UPDATE SET finished = excluded.finished, updated_at = 'later'";

#[test]
fn a_viewers_changes_are_told_and_nobody_elses() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        insert(tx, 1, 1, "paper")?;
        insert(tx, 2, 1, "paper")?;
        tx.execute_batch(
            "INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'61');
             INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
             VALUES (1, 1, 1, x'61', 0, 0, ''), (2, 2, 1, x'62', 0, 0, '');",
        )?;
        Ok(())
    })
    .expect("items");
    let tells = |sql: &'static str| !is_unchanged(&db, |db| execute(db, sql).expect("a change"));
    assert!(tells(PLACE));
    assert!(!tells(PLACE), "a later place in the same item");
    assert!(tells(
        "UPDATE item_progress SET finished = 1 WHERE item_id = 1"
    ));
    assert!(tells(
        "INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, 2, '')"
    ));
    assert!(tells("DELETE FROM favourite"));
    assert!(!tells(
        "INSERT INTO favourite (user_id, item_id, created_at) VALUES (2, 2, '')"
    ));
    assert!(!tells("UPDATE item SET title = 'other'"));
    assert!(
        tells("DELETE FROM item WHERE id = 1"),
        "its place goes with it"
    );
    assert!(!tells("SELECT 1"));
}

#[test]
fn while_a_change_is_made_nobody_can_say_what_a_reader_sees() {
    let (_folder, db) = database();
    execute(
        &db,
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1, 1, 'paper', '1', 'T', 'T', 'T', '')",
    )
    .expect("an item");
    let presence = db.shared.presence.clone();
    let before = presence.view();
    let during = db.write_blocking(move |tx| {
        let sql = "INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, 1, '')";
        tx.execute_batch(sql)?;
        let states = [UserId(1), UserId(2)].map(|viewer| presence.view().viewers_state(viewer));
        Ok(states.map(|state| state.is_some()))
    });
    assert_eq!(during.expect("a favourite"), [false, true]);
    assert_eq!(before.viewers_state(UserId(1)), None);
    assert!(db.shared.presence.view().viewers_state(UserId(1)).is_some());
    // What was rolled back is over, too.
    let failed = db.write_blocking(|tx| -> StoreResult<()> {
        tx.execute_batch("DELETE FROM favourite")?;
        Err(StoreError::Busy)
    });
    assert!(failed.is_err());
    assert!(db.shared.presence.view().viewers_state(UserId(1)).is_some());
}

#[test]
fn a_list_of_ones_own_follows_what_one_does_and_nobody_elses() {
    use crate::http::page::Window;
    use crate::store::item::{self, Direction, Filter, Sort};
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        (1..=3).try_for_each(|id| insert(tx, id, 1, "paper"))?;
        Ok(tx.execute_batch("UPDATE item SET added_at = '2026-01-01T00:00:00.000000Z'")?)
    })
    .expect("items");
    let loved = |viewer| {
        let presence = db.shared.presence.clone();
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
                Some(&presence.view()),
                Visible::of(UserId(viewer)),
                &filter,
                Sort::Title,
                Direction::Asc,
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
