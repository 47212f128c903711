//! Pages say the same with the sets as without, whatever was changed just before.

use rusqlite::Transaction;

use super::*;
use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::db::Db;
use crate::http::page::Window;
use crate::id::LibraryId;
use crate::registry::{PlaybackEngine, Registry};
use crate::store::favourite;
use crate::store::item::card::cards_with;
use crate::store::item::detail::detail_with;
use crate::store::item::{cards, detail};
use crate::store::progress::tests::plan;
use crate::store::progress::{NewPlace, clear, log, save};

static PLAYER: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Player",
    rank: 1,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};
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

fn registry() -> Registry {
    Registry::of(Vec::new(), vec![&PLAYER], Vec::new()).expect("a registry")
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
    let registry = registry();
    let item = |id: &ItemId| detail(conn, &registry, view, visible, *id);
    let items = ids.iter().map(item).collect::<StoreResult<Vec<_>>>()?;
    let page = serde_json::to_string(&(cards, log, items)).expect("a page");
    Ok((page, Own::of(conn, view, visible, 60)?.is_some()))
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

fn loved_sql(conn: &Connection) -> StoreResult<Vec<i64>> {
    let mut statement = conn.prepare("SELECT item_id FROM favourite ORDER BY item_id DESC")?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// What the sets and what the tables say.
async fn loved(db: &Db) -> (Vec<i64>, Vec<i64>) {
    let loved = db.read_with_presence(|conn, view| {
        let stored = loved_sql(conn)?;
        let own = Own::of(conn, Some(view), viewer(), 60)?.expect("sets");
        Ok((own.loved().descending().map(|id| id.0).collect(), stored))
    });
    loved.await.expect("sets")
}

/// What another connection writes is not told of: by that, sets that were made anew can be told
/// from those that were changed.
#[tokio::test]
async fn a_few_changes_are_looked_up_and_many_have_the_sets_made_anew() {
    let (folder, db) = database();
    let love = |ids: &'static [i64]| {
        db.write(move |tx| ids.iter().try_for_each(|id| change(tx, 0, ItemId(*id), 1)))
    };
    love(&[1, 3, 4]).await.expect("favourites");
    assert_eq!(loved(&db).await, (vec![4, 3, 1], vec![4, 3, 1]));
    let other = crate::db::open::existing(&folder.path().join("ledge.db")).expect("a connection");
    other
        .execute("INSERT INTO favourite VALUES (1, 40, '')", [])
        .expect("a favourite");
    love(&[6]).await.expect("a favourite");
    assert_eq!(loved(&db).await, (vec![6, 4, 3, 1], vec![40, 6, 4, 3, 1]));
    love(&[7]).await.expect("a favourite");
    love(&[9]).await.expect("a favourite");
    assert_eq!(loved(&db).await.0, [9, 7, 6, 4, 3, 1]);
    love(&[10, 12, 13, 15, 16]).await.expect("favourites");
    let (sets, stored) = loved(&db).await;
    assert_eq!(sets, stored);
    assert_eq!(sets.len(), 12);
}

/// So many single changes as are known one by one are looked up; with one more nobody can tell.
#[tokio::test]
async fn sets_are_made_anew_once_the_oldest_change_is_forgotten() {
    let (folder, db) = database();
    let love = |id: i64| db.write(move |tx| change(tx, 0, ItemId(id), 1));
    for id in [1, 3, 4] {
        love(id).await.expect("a favourite");
    }
    loved(&db).await;
    let other = crate::db::open::existing(&folder.path().join("ledge.db")).expect("a connection");
    other
        .execute("INSERT INTO favourite VALUES (1, 40, '')", [])
        .expect("a favourite");
    for id in [6, 7, 9, 10] {
        love(id).await.expect("a favourite");
    }
    assert_eq!(loved(&db).await.0, [10, 9, 7, 6, 4, 3, 1]);
    for id in [12, 13, 15, 16, 18] {
        love(id).await.expect("a favourite");
    }
    let (sets, stored) = loved(&db).await;
    assert_eq!(sets, stored);
    assert_eq!(sets.len(), 13);
}

#[tokio::test]
async fn what_is_loved_just_before_a_page_is_read_is_on_it() {
    let (_folder, db) = database();
    let love = |tx: &Transaction<'_>, id| change(tx, 0, ItemId(id), 1);
    db.write(move |tx| [1, 3, 4].iter().try_for_each(|id| love(tx, *id)))
        .await
        .expect("favourites");
    loved(&db).await;
    let writer = db.clone();
    let page = db.read_with_presence(move |conn, view| {
        // Nothing is read yet: of what is written now the transaction will know.
        let own = Own::of(conn, Some(view), viewer(), 60)?.expect("sets");
        let held = own.holds();
        writer.write_blocking(move |tx| love(tx, 6))?;
        let cards = cards_with(conn, Some(&own), viewer(), &[6, 7].map(ItemId))?;
        let mut hearts: Vec<bool> = cards.iter().map(|card| card.favourite).collect();
        let item = detail_with(conn, &registry(), Some(&own), viewer(), ItemId(6))?;
        hearts.push(item.expect("an item").card.favourite);
        Ok((held, own.holds(), hearts))
    });
    assert_eq!(
        page.await.expect("a page"),
        (true, false, vec![true, false, true])
    );
}

#[tokio::test]
async fn for_a_single_item_no_sets_are_made_but_used() {
    let (_folder, db) = database();
    let love = |id: i64| db.write(move |tx| change(tx, 0, ItemId(id), 1));
    love(1).await.expect("a favourite");
    love(3).await.expect("a favourite");
    let of_one = || {
        let own = db
            .read_with_presence(|conn, view| Ok(Own::of(conn, Some(view), viewer(), 1)?.is_some()));
        async { own.await.expect("an answer") }
    };
    assert!(!of_one().await);
    loved(&db).await;
    assert!(of_one().await);
}

#[test]
fn rows_are_counted_and_found_along_indexes() {
    for (sql, steps) in [
        (
            ARE_MANY,
            [
                "COVERING INDEX item_progress_by_state (user_id=? AND finished=?)",
                "favourite USING PRIMARY KEY (user_id=?)",
            ],
        ),
        (
            HAS,
            [
                "item_progress USING PRIMARY KEY (user_id=? AND item_id=?)",
                "favourite USING PRIMARY KEY (user_id=? AND item_id=?)",
            ],
        ),
    ] {
        let plan = plan(sql);
        for step in steps {
            assert!(plan.contains(step), "{step}\n{plan}");
        }
        let scans = plan.lines().filter(|line| line.starts_with("SCAN"));
        for scan in scans {
            // Of what the statement itself makes.
            let is_small = scan == "SCAN CONSTANT ROW" || scan.starts_with("SCAN (subquery-");
            assert!(is_small, "{scan}\n{plan}");
        }
    }
}
