//! Tests of the column `continue_profile_id`, which every relevant change must keep correct.

use proptest::prelude::*;

use super::*;
use crate::access::Visible;
use crate::db::migrate;
use crate::id::UserId;
use crate::store::user_data::progress::{self, NewProgress};
use crate::store::{catalogue, file};
use crate::time::Clock;

const ITEMS: i64 = 3;
const FILES: i64 = 4;

/// Two users and a library of three items with several parts each, none of them probed.
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

/// Computes from all rows which files to continue with have another profile than the item.
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
      LEFT JOIN media_profile AS profile ON profile.id = p.continue_profile_id
     WHERE p.continue_profile_id IS NOT NULL
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
    /// A user saves progress in a part: user, item, file, finished.
    Place(i64, i64, i64, bool),
    /// A scan probes a file with this container.
    Probe(i64, i64, Option<&'static str>),
    /// A scan marks a file as missing or present.
    ItemIndex(i64, i64, bool),
    /// A scan changes the sequence number of a part.
    Reorder(i64, i64, i64),
    /// A user's progress in an item is reset.
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
            .prop_map(|(item, part, there)| Change::ItemIndex(item, part, there)),
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
            let place = NewProgress {
                file: Some(FileId(10 * item + part)),
                position: 1,
                finished,
                locator: None,
                within: None,
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
        Change::ItemIndex(item, part, is_there) => {
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
    fn off_profile_follows_every_change(changes in prop::collection::vec(change(), 1..40)) {
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
fn profile_queries_search_indexes_without_scans() {
    for sql in [CONTINUED, SET_OFF, CODECS] {
        progress::tests::assert_searches(sql);
    }
}
