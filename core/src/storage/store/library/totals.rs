//! Totals of the database for administrators.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::StoreResult;

/// Row counts and size of the database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Accounts, including disabled ones.
    pub users: u64,
    /// Number of libraries.
    pub libraries: u64,
    /// Items by kind; the flag is `true` for missing items.
    pub items: BTreeMap<(String, bool), u64>,
    /// Jobs by status.
    pub jobs: BTreeMap<String, u64>,
    /// Size of the database in bytes, without its log.
    pub bytes: u64,
}

/// Counts the totals. Items come from stored counts, so the cost does not depend on the library
/// size.
pub fn count(connection: &Connection) -> StoreResult<Totals> {
    let one = |sql| -> StoreResult<u64> {
        let mut statement = connection.prepare_cached(sql)?;
        Ok(statement.query_row([], |row| row.get(0))?)
    };
    Ok(Totals {
        users: one("SELECT count(*) FROM user")?,
        libraries: one("SELECT count(*) FROM library")?,
        items: items(connection)?,
        jobs: jobs(connection)?,
        bytes: one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
    })
}

fn items(connection: &Connection) -> StoreResult<BTreeMap<(String, bool), u64>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, missing, sum(n)
           FROM item_count
          GROUP BY kind, missing",
    )?;
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn jobs(connection: &Connection) -> StoreResult<BTreeMap<String, u64>> {
    let mut statement = connection.prepare_cached(
        "SELECT status, count(*)
           FROM job
          GROUP BY status",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
