//! What users go on with in another profile is known after every change that bears on it.

use proptest::prelude::*;

use super::*;
use crate::access::Visible;
use crate::clock::Clock;
use crate::db::migrate;
use crate::id::UserId;
use crate::store::catalogue;
use crate::store::file;
use crate::store::progress::{self, NewPlace};

const ITEMS: i64 = 3;
const FILES: i64 = 4;

/// Two users and a library of a few items with a few parts each, none of them probed.
const WORLD: &str = "
    INSERT INTO user (id, username, username_key, password_hash, role, created_at)
    VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'user', '');
    INSERT INTO library (id, name, name_key, path, created_at) VALUES (1, 'A', 'a', x'61', '');
    INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (2, 1);
    INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');
    INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
    SELECT value, 1, 'paper', value, 'A', 'a', 'A', '' FROM generate_series(1, 3);
    INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, sequence)
    SELECT 10 * item.id + part.value, item.id, 1, CAST(item.id || part.value AS BLOB), 0, 0, '',
           part.value
      FROM item, generate_series(1, 4) AS part;";

/// Every row whose file to go on with has another profile than the item, by looking at all.
const TRUTH: &str = "
    SELECT p.user_id || ' ' || p.item_id || ' ' || ifnull(profile.container, 'unknown')
      FROM item_progress AS p
      JOIN item ON item.id = p.item_id
      JOIN file ON file.id = p.continue_file_id AND file.item_id = p.item_id AND file.missing = 0
      LEFT JOIN media_profile AS profile ON profile.container = file.container
     WHERE profile.id IS NOT item.profile_id
     ORDER BY p.user_id, p.item_id";

const KEPT: &str = "
    SELECT p.user_id || ' ' || p.item_id || ' ' || ifnull(profile.container, 'unknown')
      FROM item_progress AS p
      LEFT JOIN media_profile AS profile ON profile.id = p.off_profile
     WHERE p.off_profile IS NOT NULL
     ORDER BY p.user_id, p.item_id";

fn world(conn: &Connection) {
    let series = |count: i64| {
        let values: Vec<String> = (1..=count).map(|n| format!("({n})")).collect();
        format!(
            "(SELECT column1 AS value FROM (VALUES {}))",
            values.join(", ")
        )
    };
    let sql = WORLD
        .replace("generate_series(1, 3)", &series(ITEMS))
        .replace("generate_series(1, 4)", &series(FILES));
    conn.execute_batch(&sql).expect("rows");
}

fn lines(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}

#[derive(Debug, Clone)]
enum Change {
    /// A user finishes a part of an item or is in the middle of it.
    Place(i64, i64, i64, bool),
    /// A scan finds this in a file.
    Probe(i64, i64, Option<&'static str>),
    /// A scan does not find a file, or finds it again.
    Presence(i64, i64, bool),
    /// A scan puts a part at another place.
    Reorder(i64, i64, i64),
    /// All places of a user in an item are taken away.
    Clear(i64, i64),
}

fn change() -> impl Strategy<Value = Change> {
    let (user, item, part) = (1..=2i64, 1..=ITEMS, 1..=FILES);
    let container = prop::sample::select(vec![None, Some("tin"), Some("jar"), Some("box")]);
    prop_oneof![
        4 => (user.clone(), item.clone(), part.clone(), any::<bool>())
            .prop_map(|(user, item, part, done)| Change::Place(user, item, part, done)),
        3 => (item.clone(), part.clone(), container)
            .prop_map(|(item, part, container)| Change::Probe(item, part, container)),
        2 => (item.clone(), part.clone(), any::<bool>())
            .prop_map(|(item, part, there)| Change::Presence(item, part, there)),
        1 => (item.clone(), part, 1..9i64)
            .prop_map(|(item, part, place)| Change::Reorder(item, part, place)),
        1 => (user, item).prop_map(|(user, item)| Change::Clear(user, item)),
    ]
}

fn apply(tx: &Transaction<'_>, clock: &Clock, change: &Change) -> StoreResult<()> {
    let visible = |user, item| {
        let visible = Visible::of(UserId(user)).item(tx, ItemId(item));
        visible.map(|item| item.expect("granted"))
    };
    let item = match *change {
        Change::Place(user, item, part, finished) => {
            let place = NewPlace {
                file: Some(FileId(10 * item + part)),
                position: 1,
                finished,
                locator: None,
                recorded_at: None,
            };
            progress::save(tx, visible(user, item)?, &place, clock.now())?;
            return Ok(());
        }
        Change::Clear(user, item) => {
            progress::clear(tx, visible(user, item)?, clock.now())?;
            return Ok(());
        }
        Change::Probe(item, part, container) => {
            let sql = "UPDATE file SET container = ?2 WHERE id = ?1";
            tx.execute(sql, (10 * item + part, container))?;
            item
        }
        Change::Presence(item, part, is_there) => {
            let id = FileId(10 * item + part);
            if is_there {
                file::set_present(tx, id, (0, 0))?;
            } else {
                file::mark_missing(tx, id, clock.now())?;
            }
            item
        }
        Change::Reorder(item, part, place) => {
            let sql = "UPDATE file SET sequence = ?2 WHERE id = ?1";
            tx.execute(sql, (10 * item + part, place))?;
            item
        }
    };
    catalogue::settle(tx, ItemId(item), clock.now())?;
    progress::recompute(tx, ItemId(item))?;
    settle(tx, ItemId(item))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rows_of_users_follow_every_change(changes in prop::collection::vec(change(), 1..40)) {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut conn).expect("a schema");
        world(&conn);
        let clock = Clock::system();
        for change in &changes {
            let tx = conn.transaction().expect("a transaction");
            apply(&tx, &clock, change).expect("a change");
            tx.commit().expect("a commit");
            prop_assert_eq!(lines(&conn, KEPT), lines(&conn, TRUTH), "{:?}", change);
        }
    }
}

#[test]
fn rows_from_before_are_filled_in() {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate_to(&mut conn, 17).expect("an old schema");
    world(&conn);
    conn.execute_batch(
        "INSERT INTO media_profile (id, container) VALUES (1, 'tin');
         UPDATE file SET container = 'tin' WHERE id IN (11, 12, 21);
         UPDATE file SET container = 'jar' WHERE id IN (13, 31);
         UPDATE item SET profile_id = 1 WHERE id IN (1, 2);
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                    updated_at)
         VALUES (1, 1, 1, 12, 12, ''), (2, 1, 1, 13, 13, ''), (1, 2, 1, 22, 22, ''),
                (2, 2, 1, 21, 21, ''), (1, 3, 1, 31, 31, ''), (2, 3, 1, 32, NULL, '');",
    )
    .expect("rows");
    migrate::migrate(&mut conn).expect("an upgrade");
    assert_eq!(lines(&conn, KEPT), ["1 2 unknown", "1 3 jar", "2 1 jar"]);
    assert_eq!(lines(&conn, KEPT), lines(&conn, TRUTH));
}

#[test]
fn no_query_walks_a_table() {
    for sql in [CONTINUED, SET_OFF, CODECS] {
        progress::tests::assert_searches(sql);
    }
}
