//! Migration tests. `version_32.sql` is a database of version 32 with rows in every table, and
//! `back_to_version_30.sql` makes one of version 30 from it. Their upgrades must lose nothing, and
//! must yield the schema of a new database.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;

use super::*;

/// A database of version 32 with rows in every table.
const VERSION_32: &str = include_str!("version_32.sql");
/// Makes a database of version 30 from one of version 32.
const BACK_TO_VERSION_30: &str = include_str!("back_to_version_30.sql");

/// New names of tables, columns and stored values, by old name.
const RENAMED: [(&str, &str); 11] = [
    ("beneath", "scanned_values"),
    ("said", "kind_data"),
    ("mark", "read_signature"),
    ("chosen", "is_default"),
    ("off_profile", "continue_profile_id"),
    ("late", "is_stale"),
    ("set_at", "scheduled_at"),
    ("cover_due", "cover_queue"),
    ("match_refused", "match_rejected"),
    ("item_settled", "enrichment_checked"),
    ("beside", "local_files"),
];

fn fresh() -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database");
    migrate(&mut connection).expect("a schema");
    connection
}

fn version_32() -> Connection {
    let connection = Connection::open_in_memory().expect("a database");
    connection
        .execute_batch(VERSION_32)
        .expect("an old database");
    assert_eq!(version(&connection).expect("a version"), 32);
    connection
}

fn version_30() -> Connection {
    let connection = version_32();
    connection
        .execute_batch(BACK_TO_VERSION_30)
        .expect("an older database");
    assert_eq!(version(&connection).expect("a version"), OLDEST);
    connection
}

fn upgraded(mut connection: Connection) -> Connection {
    migrate(&mut connection).expect("an upgrade");
    connection
}

/// The rows of an older database are in the queues, so that only later ones are new.
#[test]
fn queue_positions_are_behind_the_rows_of_an_older_database() {
    let positions = "SELECT queue, last_id FROM queue_position ORDER BY queue";
    let last = "SELECT 'digest', max(id) FROM file UNION ALL SELECT 'work', max(id) FROM item";
    let upgraded = upgraded(version_32());
    assert_eq!(rows(&upgraded, positions), rows(&upgraded, last));
    let zero = |queue: &str| vec![Value::Text(queue.to_owned()), Value::Integer(0)];
    assert_eq!(rows(&fresh(), positions), [zero("digest"), zero("work")]);
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

/// Returns the new name of a table, of a column or of a stored value.
fn renamed(name: &str) -> &str {
    let found = RENAMED.iter().find(|(old, _)| *old == name);
    found.map_or(name, |(_, new)| new)
}

/// Returns the statement of a schema object in a comparable form: without comments, quotes and
/// line breaks, and with the columns of a table in alphabetical order.
fn comparable(sql: &str) -> String {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let plain: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let plain = plain.join(" ").replace('"', "");
    let plain = plain
        .replace("( ", "(")
        .replace(" )", ")")
        .replace(" ,", ",");
    let parts = plain
        .split_once('(')
        .and_then(|(head, rest)| Some((head, rest.rsplit_once(')')?)));
    let Some((head, (columns, tail))) = parts.filter(|(head, _)| head.starts_with("CREATE TABLE"))
    else {
        return plain;
    };
    let mut depth = 0;
    let columns = columns.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    let columns: BTreeSet<&str> = columns.map(str::trim).collect();
    format!("{head}{columns:?}{tail}")
}

/// Returns the tables, indexes and triggers by name.
fn schema(connection: &Connection) -> BTreeMap<String, String> {
    let objects = rows(
        connection,
        "SELECT name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_autoindex%'",
    );
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    objects
        .iter()
        .map(|row| (text(&row[0]), comparable(&text(&row[1]))))
        .collect()
}

/// Returns the columns of all tables. Includes the shadow tables of the search indexes, which
/// contain the rows of the virtual tables.
fn columns(connection: &Connection) -> BTreeMap<String, Vec<String>> {
    let tables = texts(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    );
    let columns = tables.into_iter().map(|table| {
        let sql = format!("SELECT name FROM pragma_table_info('{table}')");
        let columns = texts(connection, &sql);
        (table, columns)
    });
    columns.collect()
}

/// Returns the columns of all tables in the names of the current schema.
fn renamed_columns(connection: &Connection) -> BTreeMap<String, Vec<String>> {
    let all = columns(connection).into_iter();
    let all = all.map(|(table, columns)| {
        let columns = columns.iter().map(|column| renamed(column).to_owned());
        (renamed(&table).to_owned(), columns.collect())
    });
    all.collect()
}

/// Returns the rows of all tables by table and columns, in the names of the current schema.
fn content(connection: &Connection) -> BTreeMap<String, Vec<String>> {
    content_of(connection, columns(connection))
}

/// Returns the rows of these columns by table and columns, in the names of the current schema.
fn content_of(
    connection: &Connection,
    columns: BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, Vec<String>> {
    let mut content = BTreeMap::new();
    for (table, mut columns) in columns {
        columns.sort_unstable_by_key(|column| renamed(column).to_owned());
        let sql = format!("SELECT {} FROM {table}", columns.join(", "));
        let mut lines: Vec<String> = rows(connection, &sql)
            .into_iter()
            .map(|row| {
                let values = row.into_iter().map(|value| match value {
                    Value::Text(text) => Value::Text(renamed(&text).to_owned()),
                    value => value,
                });
                format!("{:?}", values.collect::<Vec<_>>())
            })
            .collect();
        lines.sort_unstable();
        let columns: Vec<&str> = columns.iter().map(|column| renamed(column)).collect();
        content.insert(format!("{} {columns:?}", renamed(&table)), lines);
    }
    content
}

/// Pairs of queries with equal results: a derived table, and its source.
const DERIVED: [(&str, &str); 6] = [
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
        "SELECT library_id, kind, person_id, n FROM author_count ORDER BY 1, 2, 3",
        "SELECT library_id, kind, person_id, count(DISTINCT item_id) FROM item_person
           JOIN item ON item.id = item_id WHERE role = 'author' AND missing = 0
          GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    ),
    (
        "SELECT series_id, library_id, n FROM series_count ORDER BY 1, 2",
        "SELECT series_id, library_id, count(*) FROM item WHERE series_id IS NOT NULL
          GROUP BY 1, 2 ORDER BY 1, 2",
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
];

#[test]
fn migrate_twice_changes_nothing() {
    let mut connection = fresh();
    assert_eq!(version(&connection).expect("a version"), LATEST);
    let before = schema(&connection);
    migrate(&mut connection).expect("the second time");
    assert_eq!(schema(&connection), before);
}

#[test]
fn upgraded_database_has_schema_of_new_database() {
    for old in [version_30(), version_32()] {
        let connection = upgraded(old);
        assert_eq!(version(&connection).expect("a version"), LATEST);
        assert_eq!(schema(&connection), schema(&fresh()));
    }
}

#[test]
fn upgrade_of_older_versions_loses_nothing() {
    let old = renamed_columns(&version_32());
    let before = content(&version_32());
    let empty: Vec<_> = before.iter().filter(|(_, rows)| rows.is_empty()).collect();
    assert!(empty.is_empty(), "tables that are not tested: {empty:?}");
    for connection in [upgraded(version_30()), upgraded(version_32())] {
        // New tables and columns have no old values.
        let after = content_of(&connection, old.clone());
        for (table, rows) in &before {
            // New tables have sequences of their own.
            let is_old =
                |row: &&String| !table.starts_with("sqlite_sequence") || rows.contains(row);
            let kept: Option<Vec<&String>> = after
                .get(table)
                .map(|rows| rows.iter().filter(is_old).collect());
            assert_eq!(kept, Some(rows.iter().collect()), "{table}");
        }
    }
    let connection = upgraded(version_32());
    assert_eq!(texts(&connection, "PRAGMA integrity_check"), ["ok"]);
    let broken = rows(&connection, "PRAGMA foreign_key_check");
    assert_eq!(broken, Vec::<Vec<Value>>::new());
    for index in ["search_word", "search_infix"] {
        connection
            .execute_batch(&format!(
                "INSERT INTO {index} ({index}) VALUES ('integrity-check')"
            ))
            .expect(index);
    }
    for (derived, source) in DERIVED {
        assert_eq!(
            rows(&connection, derived),
            rows(&connection, source),
            "{derived}"
        );
    }
}

#[test]
fn upgrade_computes_the_values_of_new_sort_orders() {
    let mut connection = version_32();
    connection
        .execute_batch(
            "UPDATE item SET year = 1999, facts = json_object('date', '1999-03-31') WHERE id = 1;
             UPDATE item SET year = 2001, facts = json_object('date', '1999-03-31') WHERE id = 2;
             UPDATE item SET year = NULL, facts = '{}' WHERE id > 2;",
        )
        .expect("dates of release");
    let sizes = rows(
        &connection,
        "SELECT item.id, sum(size) FROM item JOIN file ON item_id = item.id
          WHERE file.missing = item.missing GROUP BY item.id ORDER BY item.id",
    );
    migrate(&mut connection).expect("an upgrade");
    assert!(!sizes.is_empty());
    let sorted = rows(
        &connection,
        "SELECT id, sort_size FROM item WHERE sort_size < 9223372036854775807 ORDER BY id",
    );
    assert_eq!(sorted, sizes);
    let released = rows(
        &connection,
        "SELECT id, sort_released FROM item WHERE sort_released < 9223372036854775807 ORDER BY id",
    );
    let expected = [[1, 19_990_331], [2, 20_010_000]].map(|row| row.map(Value::Integer).to_vec());
    assert_eq!(released, expected);
}

#[test]
fn upgrade_keeps_pictures_and_accepts_posters_of_seasons() {
    let mut connection = version_32();
    // Step 53 creates the table of pictures again.
    let before = 52;
    for step in &STEPS[32 - OLDEST..before - OLDEST] {
        connection.execute_batch(step).expect("an upgrade");
    }
    connection
        .execute_batch(&format!(
            "INSERT INTO picture (id, item_id, role, season, number, provider, url, failures,
                                  cover_id)
             SELECT 7, item.id, 'still', 1, 2, 'tmdb', 'https://example.org/1', 1, cover.id
               FROM item, cover LIMIT 1;
             INSERT INTO picture (id, person_id, role, provider, url)
             SELECT 9, id, 'portrait', 'tmdb', 'https://example.org/2' FROM person LIMIT 1;
             PRAGMA user_version = {before}"
        ))
        .expect("pictures");
    let pictures = "SELECT * FROM picture ORDER BY id";
    let stored = rows(&connection, pictures);
    assert_eq!(stored.len(), 2);
    let covers = rows(&connection, "SELECT id FROM cover ORDER BY id");
    migrate(&mut connection).expect("an upgrade");
    assert_eq!(rows(&connection, pictures), stored);
    // The old table is dropped without its triggers.
    assert_eq!(
        rows(&connection, "SELECT id FROM cover ORDER BY id"),
        covers
    );
    connection
        .execute_batch(
            "INSERT INTO picture (item_id, role, season, provider)
             SELECT item_id, 'season', 1, 'tmdb' FROM picture WHERE id = 7",
        )
        .expect("a poster");
}

#[test]
fn failed_upgrade_leaves_database_unchanged() {
    let mut connection = version_32();
    connection
        .execute_batch("CREATE TABLE cover_queue (x); INSERT INTO cover_queue VALUES (1)")
        .expect("a table with a name of the new schema");
    let before = (schema(&connection), content(&connection));
    migrate(&mut connection).expect_err("a name that is taken");
    assert_eq!(version(&connection).expect("a version"), 32);
    assert!((schema(&connection), content(&connection)) == before);
}

#[test]
fn database_of_later_version_is_refused_unchanged() {
    let mut connection = Connection::open_in_memory().expect("a database");
    connection
        .pragma_update(None, "user_version", 99)
        .expect("a version");
    let error = migrate(&mut connection).expect_err("refused").to_string();
    assert!(error.contains("99") && error.contains("newer"), "{error}");
    assert!(schema(&connection).is_empty());
}

#[test]
fn database_of_earlier_version_is_refused_unchanged() {
    for earlier in [1, 11, OLDEST - 1] {
        let mut connection = version_32();
        connection
            .pragma_update(None, "user_version", earlier)
            .expect("a version");
        let before = (schema(&connection), content(&connection));
        let error = migrate(&mut connection).expect_err("refused").to_string();
        assert!(
            error.contains(&format!("schema version {earlier} of a development build"))
                && error.contains("start a build with schema version 30 once"),
            "{error}"
        );
        assert!((schema(&connection), content(&connection)) == before);
    }
}
