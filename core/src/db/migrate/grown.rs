//! Databases of every earlier version, each as full as it could be then: brought up to the newest,
//! nothing is lost on the way, and what follows from other rows is right.

mod content;

use std::collections::BTreeSet;

use rusqlite::types::Value;

use super::*;

use content::ROWS;

/// How many items there are; every tenth is missing.
const ITEMS: i64 = 120;

/// What is worked out from other rows: made anew on the way from versions before the one beside it.
const WORKED_OUT: [(&str, &[&str], usize); 1] = [(
    "item_progress",
    &["fraction", "continue_file_id", "finished", "file_id"],
    PLACES_TELL_ITEMS,
)];

/// A database of a version, full.
fn grown(at: usize) -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    migrate_to(&mut connection, at).expect("an old schema");
    connection
        .execute_batch(&format!(
            "CREATE TEMP TABLE n AS
             WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {ITEMS})
             SELECT i FROM n;"
        ))
        .expect("numbers");
    for (first, last, sql) in ROWS {
        if (first..=last).contains(&at) {
            connection
                .execute_batch(sql)
                .unwrap_or_else(|error| panic!("rows since {first} at version {at}: {error}"));
        }
    }
    connection
        .execute_batch("DROP TABLE temp.n")
        .expect("clean");
    connection
}

fn rows(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).expect(sql);
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns).map(|column| row.get(column)).collect()
    });
    rows.expect("rows").collect::<Result<_, _>>().expect("rows")
}

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let text = |row: Vec<Value>| match row.into_iter().next() {
        Some(Value::Text(text)) => text,
        other => panic!("{other:?}"),
    };
    rows(connection, sql).into_iter().map(text).collect()
}

/// Tables that hold rows, the shadows of the search index among them; the index itself is read
/// through these.
fn tables(connection: &Connection) -> Vec<String> {
    texts(
        connection,
        "SELECT name FROM sqlite_schema
          WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
}

fn columns(connection: &Connection, table: &str) -> Vec<String> {
    texts(
        connection,
        &format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"),
    )
}

/// Every row of these tables, in these columns.
type Content = Vec<(String, String, Vec<Vec<Value>>)>;

fn content(connection: &Connection, of: &[(String, String)]) -> Content {
    of.iter()
        .map(|(table, columns)| {
            let sql = format!("SELECT {columns} FROM \"{table}\" ORDER BY {columns}");
            (table.clone(), columns.clone(), rows(connection, &sql))
        })
        .collect()
}

/// What has to be the same afterwards: all that was there, but for what is worked out.
fn to_be_kept(old: &Connection, at: usize) -> Vec<(String, String)> {
    let is_worked_out = |table: &str, column: &str| {
        WORKED_OUT.iter().any(|(name, columns, before)| {
            *name == table && columns.contains(&column) && at < *before
        })
    };
    tables(old)
        .into_iter()
        .map(|table| {
            let kept: Vec<_> = columns(old, &table)
                .into_iter()
                .filter(|column| !is_worked_out(&table, column))
                .map(|column| format!("\"{column}\""))
                .collect();
            (table, kept.join(", "))
        })
        .collect()
}

/// Pairs of queries that have to answer the same: what triggers keep, and what it is kept of.
const FOLLOWS: [(&str, &str); 7] = [
    (
        "SELECT library_id, kind, subkind, missing, initial, n FROM item_count WHERE n > 0
          ORDER BY 1, 2, 3, 4, 5",
        "SELECT library_id, kind, ifnull(subkind, ''), missing, initial, count(*) FROM item
          GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5",
    ),
    (
        "SELECT person_id, library_id, n FROM person_count ORDER BY 1, 2",
        "SELECT person_id, library_id, count(DISTINCT item_id) FROM item_person
           JOIN item ON item.id = item_id GROUP BY 1, 2 ORDER BY 1, 2",
    ),
    (
        "SELECT series_id, library_id, n FROM series_count ORDER BY 1, 2",
        "SELECT series_id, library_id, count(*) FROM item WHERE series_id IS NOT NULL
          GROUP BY 1, 2 ORDER BY 1, 2",
    ),
    (
        "SELECT library_id, kind, subkind, profile_id, n FROM item_profile_total WHERE n > 0
          ORDER BY 1, 2, 3, 4",
        "SELECT library_id, kind, ifnull(subkind, ''), profile_id, count(*) FROM item
          WHERE profile_id IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4",
    ),
    (
        "SELECT user_id, item_id, library_id, missing FROM item_progress ORDER BY 1, 2",
        "SELECT DISTINCT user_id, item.id, library_id, item.missing FROM progress
           JOIN item ON item.id = item_id ORDER BY 1, 2",
    ),
    (
        "SELECT item_id, library_id, missing FROM item_view ORDER BY 1",
        "SELECT item.id, item.library_id, item.missing FROM item_view
           JOIN item ON item.id = item_id ORDER BY 1",
    ),
    (
        "SELECT item.id, profile.container, profile.vcodec, profile.acodec FROM item
           JOIN media_profile AS profile ON profile.id = profile_id ORDER BY 1",
        "SELECT item_id, container, vcodec, acodec FROM file
          WHERE sequence = 1 AND missing = 0 AND container IS NOT NULL ORDER BY 1",
    ),
];

fn is_whole(connection: &Connection, at: usize) {
    assert_eq!(
        texts(connection, "PRAGMA integrity_check"),
        ["ok"],
        "from version {at}"
    );
    let broken = rows(connection, "PRAGMA foreign_key_check");
    assert_eq!(broken, Vec::<Vec<Value>>::new(), "from version {at}");
    for index in ["search_word", "search_infix"] {
        connection
            .execute_batch(&format!(
                "INSERT INTO {index} ({index}) VALUES ('integrity-check')"
            ))
            .unwrap_or_else(|error| panic!("{index} from version {at}: {error}"));
    }
}

/// The row of a search index that lists its pieces also counts how often it was told something.
fn is_structure(table: &str, row: &[Value]) -> bool {
    table.ends_with("_data") && row.first() == Some(&Value::Integer(10))
}

#[test]
fn a_full_database_of_every_earlier_version_loses_nothing() {
    let mut fresh = Connection::open_in_memory().expect("a database");
    migrate(&mut fresh).expect("fresh");
    let newest = super::tests::schema(&fresh);
    for at in 1..=LATEST {
        let mut connection = grown(at);
        is_full(&connection, at);
        let kept = to_be_kept(&connection, at);
        let before = content(&connection, &kept);
        migrate(&mut connection).expect("an upgrade");
        assert_eq!(version(&connection).expect("a version"), LATEST);
        assert_eq!(
            super::tests::schema(&connection),
            newest,
            "from version {at}"
        );
        for (before, after) in before.iter().zip(content(&connection, &kept)) {
            // Ids are never given twice: the counters stay, and new tables have their own. So does
            // what a search index is told.
            let is_there = |row: &Vec<Value>| is_structure(&before.0, row) || after.2.contains(row);
            let same = if before.0 == "sqlite_sequence" || before.0.starts_with("search_") {
                before.2.iter().all(is_there)
            } else {
                *before == after
            };
            assert!(
                same,
                "{} from version {at}:\n{before:?}\n{after:?}",
                before.0
            );
        }
        is_whole(&connection, at);
        for (kept, from) in FOLLOWS {
            assert_eq!(
                rows(&connection, kept),
                rows(&connection, from),
                "{kept} from version {at}"
            );
        }
    }
}

/// Every table has rows, or the test shows nothing of it.
fn is_full(connection: &Connection, at: usize) {
    let empty: BTreeSet<String> = tables(connection)
        .into_iter()
        .filter(|table| rows(connection, &format!("SELECT 1 FROM \"{table}\" LIMIT 1")).is_empty())
        .collect();
    assert_eq!(empty, BTreeSet::new(), "at version {at}");
}

#[test]
fn covers_of_what_was_there_are_looked_for_once() {
    for at in [3, 9, 20] {
        let mut connection = grown(at);
        migrate(&mut connection).expect("an upgrade");
        let due = rows(&connection, "SELECT item_id FROM cover_due ORDER BY id");
        let all: Vec<_> = (1..=ITEMS).map(|id| vec![Value::Integer(id)]).collect();
        assert_eq!(due, all, "from version {at}");
    }
}
