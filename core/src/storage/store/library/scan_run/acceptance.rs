//! Acceptance of scans: a purge deletes only files that an accepted scan confirms as missing.
//!
//! A scan of the whole library that ended as `done` is accepted: it saw every folder, and what it
//! marked passed the checks of `scan/finish.rs`. It confirms everything that is marked at its end.
//! Runs since then confirm or doubt it:
//!
//! | run since the last accepted scan | purge |
//! |---|---|
//! | `done`, of some folders | allowed: these folders passed the same checks |
//! | `failed`: rejected, the root is unreadable, or the scan broke off | refused |
//! | `cancelled` or killed before it marked anything | allowed: it left no trace |
//! | `cancelled` or killed while it marked files | refused |
//! | `running`, and has marked files | refused until it ends |
//! | `queued`, or `running` and has not marked anything | allowed |
//!
//! Without any run, nothing is marked, and a purge deletes nothing.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::error::StoreResult;
use crate::id::LibraryId;
use crate::time::Timestamp;

/// File counts of a library, compared with its last accepted scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileCounts {
    /// Files that are present.
    pub present: u64,
    /// Files that were marked as missing since that scan and are still missing.
    pub lost_since: u64,
}

/// Returns the reason to refuse a purge, as a sentence for administrators, or `None`.
pub fn objection(connection: &Connection, library: LibraryId) -> StoreResult<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT run.status, run.error, job.error AS job_error,
                ifnull(job.status IN ('queued', 'running'), 0) AS is_alive
           FROM scan_run AS run
           LEFT JOIN job ON job.id = run.job_id
          WHERE run.library_id = :library
            AND run.id > ifnull((SELECT max(id)
                                   FROM scan_run
                                  WHERE library_id = :library AND is_whole = 1
                                    AND status = 'done'), 0)
            AND (run.status = 'failed'
                 OR run.status <> 'done' AND run.missing > 0
                 OR run.status = 'running'
                    AND ifnull(job.status NOT IN ('queued', 'running'), 1))
          ORDER BY run.id DESC
          LIMIT 1",
    )?;
    let why = statement
        .query_row(named_params! { ":library": library }, |row| {
            let status: String = row.get("status")?;
            if status == "running" && row.get("is_alive")? {
                return Ok("A scan of this library marks files as missing. \
                           Purge the library when it has ended."
                    .to_owned());
            }
            let error: Option<String> = row.get("error")?;
            let error = error.map_or_else(|| row.get("job_error"), |error| Ok(Some(error)))?;
            let error = error.unwrap_or_else(|| "The scan was interrupted.".to_owned());
            Ok(format!(
                "The last scan of this library was not accepted, so what is missing may still be \
                 there: {error} Scan the library again, then purge it."
            ))
        })
        .optional()?;
    Ok(why)
}

/// Counts the files of a library. The count includes losses that several scans of single folders
/// found, and marks of an interrupted scan.
pub fn file_counts_unscoped(
    connection: &Connection,
    library: LibraryId,
) -> StoreResult<FileCounts> {
    let accepted: Option<Timestamp> = connection
        .prepare_cached(
            "SELECT finished_at
               FROM scan_run
              WHERE library_id = :library AND is_whole = 1 AND status = 'done'
              ORDER BY id DESC
              LIMIT 1",
        )?
        .query_row(named_params! { ":library": library }, |row| row.get(0))
        .optional()?
        .flatten();
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FILTER (WHERE file.missing = 0),
                count(*) FILTER (WHERE file.missing_since > ifnull(:accepted, ''))
           FROM item
           JOIN file ON file.item_id = item.id
          WHERE item.library_id = :library",
    )?;
    let parameters = named_params! { ":library": library, ":accepted": accepted };
    Ok(statement.query_row(parameters, |row| {
        Ok(FileCounts {
            present: row.get(0)?,
            lost_since: row.get(1)?,
        })
    })?)
}
