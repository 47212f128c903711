//! Size and last scan of a library, for administrators.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::error::StoreResult;
use crate::id::LibraryId;
use crate::time::Timestamp;

/// Size and last scan of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryUsage {
    /// Size of the present files in bytes.
    pub size: i64,
    /// End of the last complete scan.
    pub last_scan_at: Option<Timestamp>,
}

/// Items of unknown size have the largest integer. The index contains all columns.
const SIZE: &str = "
    SELECT ifnull(sum(sort_size), 0)
      FROM item INDEXED BY item_by_size
     WHERE library_id = :library AND missing = 0 AND sort_size < 9223372036854775807";

const LAST_SCAN: &str = "
    SELECT finished_at
      FROM scan_run
     WHERE library_id = :library AND status = 'done'
     ORDER BY id DESC
     LIMIT 1";

/// Returns size and last scan of a library.
pub fn of_library_unscoped(conn: &Connection, library: LibraryId) -> StoreResult<LibraryUsage> {
    let library = named_params! { ":library": library };
    let size = conn
        .prepare_cached(SIZE)?
        .query_row(library, |row| row.get(0))?;
    let last_scan_at: Option<Option<Timestamp>> = conn
        .prepare_cached(LAST_SCAN)?
        .query_row(library, |row| row.get(0))
        .optional()?;
    Ok(LibraryUsage {
        size,
        last_scan_at: last_scan_at.flatten(),
    })
}
