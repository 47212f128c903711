//! Length of a file.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::access::VisibleFile;
use crate::error::StoreResult;

/// Returns the length in the file's unit, or `None` if it is unknown.
pub fn of_file(conn: &Connection, file: VisibleFile) -> StoreResult<Option<i64>> {
    let mut statement = conn.prepare_cached("SELECT extent FROM file WHERE id = :file")?;
    let extent = statement
        .query_row(named_params! { ":file": file.id() }, |row| row.get(0))
        .optional()?;
    Ok(extent.flatten())
}
