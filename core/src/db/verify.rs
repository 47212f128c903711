//! Whether a database is whole.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::store::StoreResult;

/// More of them say no more.
const MAX_PROBLEMS: usize = 20;

/// What is wrong with a database, a line each; empty where nothing is. It reads all of it.
pub fn problems(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut problems = integrity(connection)?;
    problems.extend(dangling(connection)?);
    problems.truncate(MAX_PROBLEMS);
    Ok(problems)
}

/// What SQLite says of pages, indexes, constraints and the search indexes.
fn integrity(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA integrity_check(20)")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Rows that refer to rows that are not there.
fn dangling(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT DISTINCT \"table\", parent FROM pragma_foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(format!(
            "rows of {table} refer to rows of {parent} that are not there"
        ))
    })?;
    Ok(rows.take(MAX_PROBLEMS).collect::<Result<_, _>>()?)
}

/// Rows of every table, by its name.
pub fn counts(connection: &Connection) -> StoreResult<BTreeMap<String, u64>> {
    let mut tables = connection.prepare(
        "SELECT name
           FROM sqlite_schema
          WHERE type = 'table'
            AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    let mut counts = BTreeMap::new();
    for name in names {
        let name = name?;
        let quoted = name.replace('"', "\"\"");
        let sql = format!("SELECT count(*) FROM \"{quoted}\"");
        let count = connection.query_row(&sql, [], |row| row.get(0))?;
        counts.insert(name, count);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{migrate, open};

    #[test]
    fn a_whole_database_has_no_problems_and_a_damaged_one_has() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let mut database = open::writable(&path).expect("a database");
        migrate::migrate(&mut database).expect("a schema");
        assert_eq!(problems(&database).expect("a check"), [""; 0]);
        database
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO library_grant (user_id, library_id) VALUES (7, 8);",
            )
            .expect("a grant of nothing to nobody");
        let found = problems(&database).expect("a check").join("\n");
        assert!(
            found.contains("library_grant refer to rows of user"),
            "{found}"
        );
    }
}
