//! How much there is of everything, for who runs the server.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::store::StoreResult;

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Accounts, disabled ones included.
    pub users: u64,
    /// Libraries.
    pub libraries: u64,
    /// Items by kind; `true` for those that are missing.
    pub items: BTreeMap<(String, bool), u64>,
    /// Jobs by status.
    pub jobs: BTreeMap<String, u64>,
    /// Size of the database in bytes, without its log.
    pub bytes: u64,
}

/// Counts them. Items come from counts that are kept, so that a large library costs no more.
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
