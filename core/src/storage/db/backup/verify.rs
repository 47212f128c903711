//! Integrity checks of a database.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::StoreResult;

/// Maximum number of reported problems. More would give no further information.
const MAX_PROBLEMS: usize = 20;

/// Returns the problems of a database, one line each, or an empty list. Reads the whole database.
pub fn problems(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut problems = integrity(connection)?;
    problems.extend(dangling(connection)?);
    problems.truncate(MAX_PROBLEMS);
    Ok(problems)
}

/// Returns the problems that SQLite finds in pages, indexes, constraints and the search indexes.
fn integrity(connection: &Connection) -> StoreResult<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA integrity_check(20)")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Returns the problems of rows that refer to absent rows.
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

/// Returns the number of rows of every table by its name.
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
    fn problems_are_found_in_damaged_database_only() {
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
            .expect("a dangling grant");
        let found = problems(&database).expect("a check").join("\n");
        assert!(
            found.contains("library_grant refer to rows of user"),
            "{found}"
        );
    }
}
