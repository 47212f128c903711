//! A database of version 11 in use: nothing that people have in it is lost on the way up, and what
//! follows from it is made anew.

use rusqlite::types::Value;

use super::*;

/// The schema before items told what to go on with.
const OLD: usize = 11;

const ROWS: &str = "
    INSERT INTO user (id, username, username_key, password_hash, role, created_at)
    VALUES (1, 'Ada', 'ada', 'h', 'admin', '2026-01-01T00:00:00.000000Z'),
           (2, 'Bob', 'bob', 'h', 'user', '2026-01-02T00:00:00.000000Z');
    INSERT INTO session (token_hash, user_id, created_at, renewed_at, expires_at)
    VALUES (x'01', 1, 'a', 'b', 'c');
    INSERT INTO library (id, name, name_key, path, created_at)
    VALUES (1, 'Shelf', 'shelf', x'2f61', ''), (2, 'Attic', 'attic', x'2f62', '');
    INSERT INTO library_grant (library_id, user_id) VALUES (1, 1), (1, 2), (2, 1);
    INSERT INTO series (id, kind, name, name_key) VALUES (1, 'reel', 'Saga', 'saga');
    INSERT INTO person (id, name, name_key) VALUES (1, 'Ann Ode', 'ann ode');
    INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at,
                      series_id, series_index, authors, title_source, missing, missing_since)
    VALUES (1, 1, 'reel', 'a', 'Parts', 'parts', 'P', 't', 1, 2.5, 'Ann Ode', 3, 0, NULL),
           (2, 2, 'sheet', 'b', 'Gone', 'gone', 'G', 't', NULL, NULL, '', 0, 1, 's'),
           (3, 1, 'sheet', 'c', 'Read', 'read', 'R', 't', 1, NULL, 'Ann Ode', 0, 0, NULL),
           (4, 1, 'sheet', 'd', 'New', 'new', 'N', 't', NULL, NULL, '', 0, 0, NULL);
    INSERT INTO item_person (item_id, position, person_id, role)
    VALUES (1, 0, 1, 'author'), (1, 1, 1, 'narrator'), (3, 0, 1, 'author');
    INSERT INTO folder (id, library_id, path) VALUES (1, 1, x''), (2, 2, x'');
    INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, sequence, extent,
                      missing, missing_since)
    VALUES (1, 1, 1, x'31', 1, 1, 't', 1, 100, 0, NULL),
           (2, 1, 1, x'32', 1, 1, 't', 2, 100, 0, NULL),
           (3, 1, 1, x'33', 1, 1, 't', 3, 200, 0, NULL),
           (4, 2, 2, x'34', 1, 1, 't', NULL, 50, 1, 's'),
           (5, 3, 1, x'35', 1, 1, 't', NULL, 50, 0, NULL),
           (6, 4, 1, x'36', 1, 1, 't', NULL, NULL, 0, NULL);
    INSERT INTO progress (user_id, file_id, item_id, position, finished, locator, updated_at)
    VALUES (1, 1, 1, 100, 1, NULL, '2026-02-01T00:00:00.000000Z'),
           (1, 2, 1, 100, 1, 'end', '2026-02-02T00:00:00.000000Z'),
           (2, 1, 1, 50, 0, NULL, '2026-02-03T00:00:00.000000Z'),
           (1, 4, 2, 10, 0, NULL, '2026-02-04T00:00:00.000000Z'),
           (1, 5, 3, 50, 1, NULL, '2026-02-05T00:00:00.000000Z'),
           (2, 5, 3, 20, 0, '/4', '2026-02-06T00:00:00.000000Z');
    INSERT INTO item_progress (user_id, item_id, file_id, finished, updated_at)
    VALUES (1, 1, 2, 0, '2026-02-02T00:00:00.000000Z'),
           (2, 1, 1, 0, '2026-02-03T00:00:00.000000Z'),
           (1, 2, 4, 0, '2026-02-04T00:00:00.000000Z'),
           (1, 3, 5, 1, '2026-02-05T00:00:00.000000Z'),
           (2, 3, 5, 0, '2026-02-06T00:00:00.000000Z');
    INSERT INTO progress_history
           (user_id, item_id, file_id, position, finished, locator, updated_at, replaced_at)
    VALUES (1, 1, 1, 30, 0, 'x', '2026-01-30T00:00:00.000000Z', '2026-02-01T00:00:00.000000Z'),
           (2, 3, 5, 3, 0, NULL, '2026-01-31T00:00:00.000000Z', '2026-02-06T00:00:00.000000Z');
    INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, 1, 'f'), (2, 3, 'g');
    INSERT INTO item_view (user_id, item_id, n, viewed_at)
    VALUES (1, 1, 3, 'v'), (1, 2, 2, 'w'), (2, 3, 9, 'x');
    INSERT INTO annotation (user_id, item_id, file_id, type, position, locator, text, note, color,
                            created_at)
    VALUES (1, 1, 2, 'highlight', 7, '/2', 'words', 'why', 'red', 'c'),
           (2, 3, 5, 'bookmark', 0, NULL, NULL, NULL, NULL, 'd');
    INSERT INTO file_ticket (token_hash, file_id, session_hash, expires_at)
    VALUES (x'02', 5, x'01', 'e');
    INSERT INTO game_save (user_id, item_id, slot, core, size, sha256, updated_at, body)
    VALUES (1, 4, 'auto', 'snes9x', 3, 'aa', 'u', x'000102'), (2, 4, 'auto', NULL, 0, 'bb', 'u', x'');
    INSERT INTO game_save_version (user_id, item_id, slot, n, core, size, sha256, saved_at, body)
    VALUES (1, 4, 'auto', 1, NULL, 2, 'cc', 's', x'ff00'), (1, 4, 'auto', 2, 'x', 1, 'dd', 's', x'07');
    INSERT INTO job (kind, ref_id, status, run_at, created_at) VALUES ('scan', 1, 'queued', 'r', 'c');
";

/// What people have, in the columns that both schemas know.
const KEPT: [(&str, &str); 15] = [
    (
        "user",
        "id, username, password_hash, role, disabled, created_at",
    ),
    (
        "session",
        "token_hash, user_id, created_at, renewed_at, expires_at",
    ),
    ("library", "id, name, path, created_at"),
    ("library_grant", "user_id, library_id"),
    (
        "item",
        "id, library_id, group_key, title, authors, series_id, title_source, missing_since",
    ),
    ("item_person", "item_id, position, person_id, role"),
    (
        "file",
        "id, item_id, folder_id, name, sequence, extent, missing, missing_since",
    ),
    (
        "progress",
        "user_id, file_id, item_id, position, finished, locator, updated_at",
    ),
    (
        "progress_history",
        "id, user_id, item_id, file_id, position, finished, locator, updated_at, replaced_at",
    ),
    ("favourite", "user_id, item_id, created_at"),
    ("item_view", "user_id, item_id, n, viewed_at"),
    (
        "annotation",
        "id, user_id, item_id, file_id, type, position, locator, text, note, color, created_at",
    ),
    (
        "file_ticket",
        "token_hash, file_id, session_hash, expires_at",
    ),
    (
        "game_save",
        "user_id, item_id, slot, core, size, sha256, updated_at, body",
    ),
    (
        "game_save_version",
        "id, user_id, item_id, slot, n, core, size, sha256, saved_at, body",
    ),
];

fn rows(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).expect("a statement");
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns).map(|column| row.get(column)).collect()
    });
    let rows = rows.expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

fn kept(connection: &Connection) -> Vec<Vec<Vec<Value>>> {
    let read = |(table, columns): &(&str, &str)| {
        let rows = rows(
            connection,
            &format!("SELECT {columns} FROM {table} ORDER BY {columns}"),
        );
        assert!(!rows.is_empty(), "{table}");
        rows
    };
    KEPT.iter().map(read).collect()
}

/// Numbers in the rows of a query; NULL is −1.
fn numbers(connection: &Connection, sql: &str) -> Vec<Vec<f64>> {
    let number = |value: Value| match value {
        Value::Null => -1.0,
        Value::Integer(n) => f64::from(i32::try_from(n).expect("small")),
        Value::Real(n) => n,
        other => panic!("{other:?}"),
    };
    let rows = rows(connection, sql);
    rows.into_iter()
        .map(|row| row.into_iter().map(number).collect())
        .collect()
}

fn old() -> Connection {
    let connection = Connection::open_in_memory().expect("a database");
    for sql in MIGRATIONS.iter().take(OLD) {
        connection.execute_batch(sql).expect("an old schema");
    }
    connection
        .pragma_update(None, "user_version", OLD)
        .expect("a version");
    connection.execute_batch(ROWS).expect("rows");
    connection
}

#[test]
fn what_people_have_outlives_every_migration() {
    let mut connection = old();
    let before = kept(&connection);
    migrate(&mut connection).expect("an upgrade");
    assert_eq!(version(&connection).expect("a version"), LATEST);
    assert_eq!(kept(&connection), before);
    let broken = rows(&connection, "PRAGMA foreign_key_check");
    assert_eq!(broken, Vec::<Vec<Value>>::new());
    assert_eq!(
        numbers(&connection, "SELECT DISTINCT late FROM progress_history"),
        [[0.0]]
    );
}

#[test]
fn what_follows_from_places_is_made_anew_for_everybody() {
    let mut connection = old();
    migrate(&mut connection).expect("an upgrade");
    let places = "SELECT user_id, item_id, library_id, file_id, finished, fraction,
                         continue_file_id, missing
                    FROM item_progress ORDER BY user_id, item_id";
    assert_eq!(
        numbers(&connection, places),
        [
            // Two of three parts are finished: on with the third.
            [1.0, 1.0, 1.0, 2.0, 0.0, 0.5, 3.0, 0.0],
            [1.0, 2.0, 2.0, 4.0, 0.0, 0.2, -1.0, 1.0],
            [1.0, 3.0, 1.0, 5.0, 1.0, 1.0, -1.0, 0.0],
            [2.0, 1.0, 1.0, 1.0, 0.0, 0.125, 1.0, 0.0],
            [2.0, 3.0, 1.0, 5.0, 0.0, 0.4, 5.0, 0.0],
        ]
    );
    let views = "SELECT user_id, item_id, library_id, n, missing FROM item_view ORDER BY 1, 2";
    assert_eq!(
        numbers(&connection, views),
        [
            [1.0, 1.0, 1.0, 3.0, 0.0],
            [1.0, 2.0, 2.0, 2.0, 1.0],
            [2.0, 3.0, 1.0, 9.0, 0.0],
        ]
    );
    assert_eq!(
        numbers(&connection, "SELECT * FROM person_count"),
        [[1.0, 1.0, 2.0]]
    );
    assert_eq!(
        numbers(&connection, "SELECT * FROM series_count"),
        [[1.0, 1.0, 2.0]]
    );
}

#[test]
fn a_migration_that_fails_leaves_the_old_database_as_it_was() {
    let mut connection = old();
    connection
        .execute_batch("CREATE TABLE series_count (x)")
        .expect("what is in the way");
    let before = kept(&connection);
    migrate(&mut connection).expect_err("a name that is taken");
    assert_eq!(version(&connection).expect("a version"), OLD);
    assert_eq!(kept(&connection), before);
}
