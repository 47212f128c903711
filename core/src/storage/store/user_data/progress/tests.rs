use rusqlite::{Connection, Transaction};

use super::*;
use crate::access::Visible;
use crate::db::{id_set, migrate};
use crate::id::{ItemId, UserId};

mod replay;
mod rules;

/// Returns the query plan of a statement, one step per line.
pub(crate) fn plan(sql: &str) -> String {
    let conn = database();
    id_set::register(&conn).expect("a function");
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>();
    rows.expect("a plan").join("\n")
}

/// Asserts that the statement searches indexes, without scans and sorting.
#[track_caller]
pub(crate) fn assert_searches(sql: &str) {
    let plan = plan(sql);
    assert!(!plan.contains("SCAN"), "{sql}\n{plan}");
    assert!(!plan.contains("TEMP B-TREE FOR ORDER"), "{sql}\n{plan}");
}

#[test]
fn progress_of_item_is_found_by_index() {
    assert_searches(&of_item_sql());
}

const READER: UserId = UserId(1);
const OTHER: UserId = UserId(2);

/// Creates two users and a library with one folder that both see.
pub(crate) fn database() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    conn.execute_batch(
        "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
         VALUES (1, 'ada', 'ada', '', 'user', ''), (2, 'bob', 'bob', '', 'user', '');
         INSERT INTO library (id, name, name_key, path, created_at) VALUES (1, 'L', 'l', x'2f', '');
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (2, 1);
         INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');",
    )
    .expect("rows");
    conn
}

/// Values of a test file: its sequence number and its length.
#[derive(Debug, Clone, Copy, Default)]
struct New {
    sequence: Option<i64>,
    extent: Option<i64>,
}

/// Inserts an item with these files; their names sort in the given order.
fn put_item(conn: &Connection, files: &[New]) -> (ItemId, Vec<FileId>) {
    conn.execute(
        "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
         SELECT 1, 'paper', 'key ' || count(*), 'T', 't', 'T', '' FROM item",
        [],
    )
    .expect("an item");
    let item = ItemId(conn.last_insert_rowid());
    let file = |new: &New| {
        conn.execute(
            "INSERT INTO file (item_id, folder_id, name, size, mtime_ns, added_at, sequence, extent)
             SELECT ?1, 1, CAST('f' || count(*) AS BLOB), 0, 0, '', ?2, ?3 FROM file",
            (item, new.sequence, new.extent),
        )
        .expect("a file");
        FileId(conn.last_insert_rowid())
    };
    (item, files.iter().map(file).collect())
}

/// Returns the parts 1, 2, … with these lengths.
fn parts_of(extents: &[i64]) -> Vec<New> {
    let part = |(n, extent): (i64, &i64)| New {
        sequence: Some(n),
        extent: Some(*extent),
    };
    (1..).zip(extents).map(part).collect()
}

fn seen(tx: &Transaction<'_>, user: UserId, item: ItemId) -> VisibleItem {
    let item = Visible::of(user).item(tx, item).expect("an answer");
    item.expect("a visible item")
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}
