//! What the tests of searching share.

use rusqlite::Connection;

use crate::db::{id_set, migrate};

/// How SQLite would run a statement on an empty database.
pub(super) fn plan(sql: &str) -> String {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    id_set::register(&conn).expect("the aggregate");
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>();
    rows.expect("a plan").join("\n")
}
