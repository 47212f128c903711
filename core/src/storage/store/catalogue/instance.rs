//! Identity of this library.

use rusqlite::Connection;

use crate::error::StoreResult;

/// Returns the random id of this library. It never changes.
pub fn uuid(conn: &Connection) -> StoreResult<[u8; 16]> {
    let mut statement = conn.prepare_cached("SELECT uuid FROM instance WHERE id = 1")?;
    Ok(statement.query_row((), |row| row.get(0))?)
}
