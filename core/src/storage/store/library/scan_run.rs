//! Scan runs: counters, errors and results.

pub mod acceptance;

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisibleLibrary;
use crate::error::StoreResult;
use crate::id::{JobId, LibraryId, RunId};
use crate::job_kind::SCAN;
use crate::store::{job, library};
use crate::time::Timestamp;

/// Limit of stored error messages per run.
pub const MAX_ERRORS: usize = 100;

/// Status of a library's scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanState {
    /// No scan was ever requested.
    Never,
    /// Waits for a worker.
    Queued,
    /// Running now.
    Running,
    /// Ended successfully.
    Done,
    /// Ended without marking files as missing, or aborted; `error` contains the reason.
    Failed,
    /// Stopped on request; the files added so far stay.
    Cancelled,
}

/// Latest scan of a library. All counters count files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScanStatus {
    /// Status of the scan.
    pub status: ScanState,
    /// Id of the job that runs the scan.
    pub job_id: Option<JobId>,
    /// Files visited so far.
    pub scanned: u64,
    /// Total number of files; null until every folder has been visited.
    pub total: Option<u64>,
    /// New files.
    pub added: u64,
    /// Files with new content at the same path.
    pub updated: u64,
    /// Files found at another path.
    pub moved: u64,
    /// Files that this scan marked as missing.
    pub missing: u64,
    /// Missing files that were found again.
    pub restored: u64,
    /// Error messages about unreadable files, at most 100. Paths are relative to the library's
    /// root.
    pub errors: Vec<String>,
    /// Number of further errors.
    pub errors_overflow: u64,
    /// Start time.
    pub started_at: Option<Timestamp>,
    /// End time.
    pub finished_at: Option<Timestamp>,
    /// Reason of the failure.
    pub error: Option<String>,
}

impl ScanStatus {
    fn waiting(status: ScanState, job_id: Option<JobId>) -> Self {
        Self {
            status,
            job_id,
            scanned: 0,
            total: None,
            added: 0,
            updated: 0,
            moved: 0,
            missing: 0,
            restored: 0,
            errors: Vec::new(),
            errors_overflow: 0,
            started_at: None,
            finished_at: None,
            error: None,
        }
    }
}

/// Counters of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// Files visited so far.
    pub scanned: u64,
    /// Total number of files, after every folder has been visited.
    pub total: Option<u64>,
    /// New files.
    pub added: u64,
    /// Files with new content.
    pub updated: u64,
    /// Files found at another path.
    pub moved: u64,
    /// Files that were marked as missing.
    pub missing: u64,
    /// Missing files that were found again.
    pub restored: u64,
    /// Error messages.
    pub errors: Vec<String>,
    /// Number of errors beyond the stored messages.
    pub errors_overflow: u64,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// All files were visited, and absent ones are marked as missing.
    Done,
    /// No file was marked as missing; the value is the reason as a sentence.
    Failed(String),
    /// Stopped on request, or because the server stopped.
    Cancelled,
}

/// Library data that a scan needs.
#[derive(Debug, Clone)]
pub struct Target {
    /// Root folder of the library.
    pub root: PathBuf,
    /// Kinds to which the library is limited; `None` for every kind.
    pub kinds: Option<Vec<String>>,
    /// `true` if the root was a mount point at the last complete scan; `None` before the first one.
    pub root_is_mount: Option<bool>,
}

/// Reads the library data for a scan.
pub fn target_unscoped(connection: &Connection, library: LibraryId) -> StoreResult<Option<Target>> {
    let mut statement = connection
        .prepare_cached("SELECT path, kinds, root_is_mount FROM library WHERE id = :library")?;
    let target = statement
        .query_row(named_params! { ":library": library }, |row| {
            let kinds: Option<String> = row.get("kinds")?;
            Ok(Target {
                root: library::path_in(row, "path")?,
                kinds: kinds.and_then(|text| serde_json::from_str(&text).ok()),
                root_is_mount: row.get("root_is_mount")?,
            })
        })
        .optional()?;
    Ok(target)
}

/// Writes the flag for a root that is a mount point.
pub fn set_root_is_mount(
    tx: &Transaction<'_>,
    library: LibraryId,
    is_mount: bool,
) -> StoreResult<()> {
    tx.execute(
        "UPDATE library
            SET root_is_mount = :is_mount
          WHERE id = :library AND root_is_mount IS NOT :is_mount",
        named_params! { ":library": library, ":is_mount": is_mount },
    )?;
    Ok(())
}

/// Stores the cancellation request of a running job, so that it survives a restart.
pub fn note_cancelled(tx: &Transaction<'_>, job: JobId) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET payload = json_set(payload, '$.cancelled', json('true'))
          WHERE id = :id AND status = 'running'",
        named_params! { ":id": job },
    )?;
    Ok(())
}

/// Returns `true` if cancellation of the job was requested while it ran.
pub fn is_cancelled(connection: &Connection, job: JobId) -> StoreResult<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM job WHERE id = :id AND payload ->> 'cancelled' = 1")?;
    Ok(statement.exists(named_params! { ":id": job })?)
}

/// Returns `true` if a job scans only some folders.
pub fn is_of_folders(connection: &Connection, job: JobId) -> StoreResult<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM job WHERE id = :id AND payload ->> 'folders' IS NOT NULL")?;
    Ok(statement.exists(named_params! { ":id": job })?)
}

/// Returns the jobs before `job` that scan the same library now.
pub fn running_before(
    connection: &Connection,
    library: LibraryId,
    job: JobId,
) -> StoreResult<Vec<JobId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id
           FROM job
          WHERE kind = :kind AND ref_id = :library AND status = 'running' AND id < :job",
    )?;
    let rows = statement.query_map(
        named_params! { ":kind": SCAN, ":library": library, ":job": job },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the libraries that are due for a scan, the longest due first. A library is due if its
/// last complete scan began by `before`, or if it was registered by then and never scanned.
/// Libraries with a waiting or running scan are omitted. A start later than `now` results from a
/// clock that was set back; such a library is also due.
pub fn due_unscoped(
    connection: &Connection,
    before: Timestamp,
    now: Timestamp,
) -> StoreResult<Vec<(LibraryId, PathBuf)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, path
           FROM (SELECT library.id, library.path,
                        ifnull((SELECT started_at
                                  FROM scan_run
                                 WHERE library_id = library.id AND is_whole = 1
                                 ORDER BY id DESC
                                 LIMIT 1), library.created_at) AS last
                   FROM library
                  WHERE NOT EXISTS (SELECT 1
                                      FROM job
                                     WHERE kind = :kind AND ref_id = library.id
                                       AND status IN ('queued', 'running')))
          WHERE last <= :before OR last > :now
          ORDER BY last, id",
    )?;
    let rows = statement.query_map(
        named_params! { ":kind": SCAN, ":before": before, ":now": now },
        |row| Ok((row.get("id")?, library::path_in(row, "path")?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Begins a run of the whole library or of some folders. It closes runs that an interrupted process
/// left open.
pub fn begin(
    tx: &Transaction<'_>,
    library: LibraryId,
    job: Option<JobId>,
    is_whole: bool,
    now: Timestamp,
) -> StoreResult<RunId> {
    tx.execute(
        "UPDATE scan_run
            SET status = 'cancelled', finished_at = :now,
                error = 'The server stopped during this scan.'
          WHERE library_id = :library AND status = 'running'",
        named_params! { ":library": library, ":now": now },
    )?;
    tx.execute(
        "INSERT INTO scan_run (library_id, job_id, status, started_at, is_whole)
         VALUES (:library, :job, 'running', :now, :is_whole)",
        named_params! { ":library": library, ":job": job, ":now": now, ":is_whole": is_whole },
    )?;
    Ok(RunId(tx.last_insert_rowid()))
}

/// Records that a scan was cancelled before it began, unless another scan of the library runs.
pub fn never_began(
    tx: &Transaction<'_>,
    library: LibraryId,
    job: JobId,
    now: Timestamp,
) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO scan_run (library_id, job_id, status, started_at, finished_at, is_whole)
         SELECT :library, id, 'cancelled', :now, :now, payload ->> 'folders' IS NULL
           FROM job
          WHERE id = :job
            AND NOT EXISTS (SELECT 1
                              FROM scan_run
                             WHERE library_id = :library AND status = 'running')",
        named_params! { ":library": library, ":job": job, ":now": now },
    )?;
    Ok(())
}

/// Updates the counters of a run.
pub fn record(tx: &Transaction<'_>, run: RunId, counters: &Counters) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE scan_run
            SET scanned = :scanned, total = :total, added = :added, updated = :updated,
                moved = :moved, missing = :missing, restored = :restored, errors = :errors,
                errors_overflow = :errors_overflow
          WHERE id = :run",
    )?
    .execute(named_params! {
        ":run": run,
        ":scanned": counters.scanned,
        ":total": counters.total,
        ":added": counters.added,
        ":updated": counters.updated,
        ":moved": counters.moved,
        ":missing": counters.missing,
        ":restored": counters.restored,
        ":errors": serde_json::Value::from(counters.errors.as_slice()).to_string(),
        ":errors_overflow": counters.errors_overflow,
    })?;
    Ok(())
}

/// Adds an error message about `file` to a library's latest run, if that run has ended. Returns
/// `false` without a change if the run already has an error of this file.
pub fn add_error(
    tx: &Transaction<'_>,
    library: LibraryId,
    file: &str,
    line: &str,
) -> StoreResult<bool> {
    let added = tx
        .prepare_cached(
            "UPDATE scan_run
                SET errors = CASE WHEN json_array_length(errors) < :most
                                  THEN json_insert(errors, '$[#]', :line)
                                  ELSE errors END,
                    errors_overflow = errors_overflow + (json_array_length(errors) >= :most)
              WHERE id = (SELECT max(id) FROM scan_run WHERE library_id = :library)
                AND status <> 'running'
                AND NOT EXISTS (SELECT 1
                                  FROM json_each(errors)
                                 WHERE substr(value, 1, length(:file)) = :file)",
        )?
        .execute(named_params! {
            ":library": library, ":file": file, ":line": line, ":most": MAX_ERRORS,
        })?;
    Ok(added > 0)
}

/// Returns `true` if a library's latest run has more errors than are stored.
pub fn has_more_errors(connection: &Connection, library: LibraryId) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1
           FROM scan_run
          WHERE id = (SELECT max(id) FROM scan_run WHERE library_id = :library)
            AND errors_overflow > 0",
    )?;
    Ok(statement.exists(named_params! { ":library": library })?)
}

/// Ends a run.
pub fn end(tx: &Transaction<'_>, run: RunId, end: &End, now: Timestamp) -> StoreResult<()> {
    let (status, error) = match end {
        End::Done => ("done", None),
        End::Failed(why) => ("failed", Some(why)),
        End::Cancelled => ("cancelled", None),
    };
    tx.execute(
        "UPDATE scan_run
            SET status = :status, error = :error, finished_at = :now
          WHERE id = :run",
        named_params! { ":run": run, ":status": status, ":error": error, ":now": now },
    )?;
    Ok(())
}

/// Returns the latest scan of a library whose grant has been checked.
pub fn status(connection: &Connection, library: VisibleLibrary) -> StoreResult<ScanStatus> {
    status_unscoped(connection, library.id())
}

/// Returns the latest scan of a library.
pub fn status_unscoped(connection: &Connection, library: LibraryId) -> StoreResult<ScanStatus> {
    let waiting = job::unfinished(connection, SCAN, library.0)?;
    let latest = latest(connection, library)?;
    let Some(job) = waiting else {
        let Some(mut run) = latest else {
            return Ok(ScanStatus::waiting(ScanState::Never, None));
        };
        if run.status == ScanState::Running {
            broken_off(connection, &mut run)?;
        }
        return Ok(run);
    };
    match latest {
        Some(run) if run.status == ScanState::Running && run.job_id == Some(job.id) => Ok(run),
        // The job was just claimed, is queued, or waits for a retry.
        _ => Ok(ScanStatus::waiting(ScanState::Queued, Some(job.id))),
    }
}

/// Marks a run as failed if its job ended without recording a result.
fn broken_off(connection: &Connection, run: &mut ScanStatus) -> StoreResult<()> {
    let job = match run.job_id {
        Some(id) => job::get(connection, id)?,
        None => None,
    };
    run.status = ScanState::Failed;
    run.finished_at = job.as_ref().and_then(|job| job.finished_at);
    run.error = Some(
        job.and_then(|job| job.error)
            .unwrap_or_else(|| "The scan was aborted.".to_owned()),
    );
    Ok(())
}

fn latest(connection: &Connection, library: LibraryId) -> StoreResult<Option<ScanStatus>> {
    let mut statement = connection.prepare_cached(
        "SELECT status, job_id, scanned, total, added, updated, moved, missing, restored, errors,
                errors_overflow, started_at, finished_at, error
           FROM scan_run
          WHERE library_id = :library
          ORDER BY id DESC
          LIMIT 1",
    )?;
    let run = statement
        .query_row(named_params! { ":library": library }, |row| {
            let status: String = row.get("status")?;
            let errors: String = row.get("errors")?;
            Ok(ScanStatus {
                status: match status.as_str() {
                    "running" => ScanState::Running,
                    "done" => ScanState::Done,
                    "cancelled" => ScanState::Cancelled,
                    _ => ScanState::Failed,
                },
                job_id: row.get("job_id")?,
                scanned: row.get("scanned")?,
                total: row.get("total")?,
                added: row.get("added")?,
                updated: row.get("updated")?,
                moved: row.get("moved")?,
                missing: row.get("missing")?,
                restored: row.get("restored")?,
                errors: serde_json::from_str(&errors).unwrap_or_default(),
                errors_overflow: row.get("errors_overflow")?,
                started_at: row.get("started_at")?,
                finished_at: row.get("finished_at")?,
                error: row.get("error")?,
            })
        })
        .optional()?;
    Ok(run)
}
