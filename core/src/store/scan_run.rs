//! Runs of scans: their counters, their errors, and how they ended.

pub mod acceptance;

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisibleLibrary;
use crate::clock::Timestamp;
use crate::id::{JobId, LibraryId, RunId};
use crate::scan::HANDLER_KIND;
use crate::store::{StoreResult, job, library};

/// Texts of errors that are kept of a run.
pub const MAX_ERRORS: usize = 100;

/// Where a library's scan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanState {
    /// No scan was ever asked for.
    Never,
    /// Waits for a worker.
    Queued,
    /// At work.
    Running,
    /// Ended well.
    Done,
    /// Ended without marking anything missing, or broke off; `error` says why.
    Failed,
    /// Stopped on request; what it had catalogued stays.
    Cancelled,
}

/// The latest scan of a library. All counters count files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScanStatus {
    /// Where it stands.
    pub status: ScanState,
    /// The job that does it.
    pub job_id: Option<JobId>,
    /// Files seen so far.
    pub scanned: u64,
    /// Files there are; null until every folder was seen.
    pub total: Option<u64>,
    /// Files that are new.
    pub added: u64,
    /// Files with new content at the same path.
    pub updated: u64,
    /// Files found at another path.
    pub moved: u64,
    /// Files that went missing in this scan.
    pub missing: u64,
    /// Missing files that are there again.
    pub restored: u64,
    /// What could not be read, at most 100; paths are below the library's root.
    pub errors: Vec<String>,
    /// How many more there were.
    pub errors_overflow: u64,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// Why it failed.
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

/// What a run has counted so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// Files seen.
    pub scanned: u64,
    /// Files there are, once every folder was seen.
    pub total: Option<u64>,
    /// New files.
    pub added: u64,
    /// Files with new content.
    pub updated: u64,
    /// Files found at another path.
    pub moved: u64,
    /// Files that went missing.
    pub missing: u64,
    /// Missing files that are there again.
    pub restored: u64,
    /// Texts of errors.
    pub errors: Vec<String>,
    /// Errors beyond those kept.
    pub errors_overflow: u64,
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Everything was seen and what is gone is marked.
    Done,
    /// Nothing was marked missing; the sentence says why.
    Failed(String),
    /// Stopped on request, or with the server.
    Cancelled,
}

/// What a scan works on.
#[derive(Debug, Clone)]
pub struct Target {
    /// The library's root.
    pub root: PathBuf,
    /// What it is limited to; `None` for every kind.
    pub kinds: Option<Vec<String>>,
    /// Whether the root was a mount point at the last complete scan; `None` before the first.
    pub root_is_mount: Option<bool>,
}

/// What a scan of this library works on.
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

/// Keeps whether the root is a mount point.
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

/// Notes in a running job that it was asked to stop, which outlives the process.
pub fn note_cancelled(tx: &Transaction<'_>, job: JobId) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET payload = json_set(payload, '$.cancelled', json('true'))
          WHERE id = :id AND status = 'running'",
        named_params! { ":id": job },
    )?;
    Ok(())
}

/// Whether a job was asked to stop while it ran.
pub fn is_cancelled(connection: &Connection, job: JobId) -> StoreResult<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM job WHERE id = :id AND payload ->> 'cancelled' = 1")?;
    Ok(statement.exists(named_params! { ":id": job })?)
}

/// Whether a job scans some folders only.
pub fn is_of_folders(connection: &Connection, job: JobId) -> StoreResult<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM job WHERE id = :id AND payload ->> 'folders' IS NOT NULL")?;
    Ok(statement.exists(named_params! { ":id": job })?)
}

/// Jobs before `job` that scan the same library now.
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
        named_params! { ":kind": HANDLER_KIND, ":library": library, ":job": job },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Libraries whose last scan of the whole began by `before`, or that were registered by then and never
/// scanned, the longest due first, with their roots; not those whose scan waits or runs. One that
/// began later than `now` was told by a clock that has been set back since, and is due as well: else
/// the library would wait until that time has come.
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
        named_params! { ":kind": HANDLER_KIND, ":before": before, ":now": now },
        |row| Ok((row.get("id")?, library::path_in(row, "path")?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Begins a run, of the whole library or of some folders. What a dead process left running is
/// closed.
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

/// Keeps that a scan was cancelled while it waited; not where another runs, whose end says enough.
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

/// Writes the counters of a run.
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

/// Adds a line to the errors of a library's latest run, once that has ended: what is found out
/// later about a file that it saw. Whether it was added: not where the file is named already.
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

/// Whether a library's latest run had more errors than are kept.
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

/// The latest scan of a library whose grant was asked.
pub fn status(connection: &Connection, library: VisibleLibrary) -> StoreResult<ScanStatus> {
    status_unscoped(connection, library.id())
}

/// The latest scan of a library.
pub fn status_unscoped(connection: &Connection, library: LibraryId) -> StoreResult<ScanStatus> {
    let waiting = job::unfinished(connection, HANDLER_KIND, library.0)?;
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
        // Claimed a moment ago, queued, or to be tried again.
        _ => Ok(ScanStatus::waiting(ScanState::Queued, Some(job.id))),
    }
}

/// A run that nobody works on any more: its job has ended without saying how.
fn broken_off(connection: &Connection, run: &mut ScanStatus) -> StoreResult<()> {
    let job = match run.job_id {
        Some(id) => job::get(connection, id)?,
        None => None,
    };
    run.status = ScanState::Failed;
    run.finished_at = job.as_ref().and_then(|job| job.finished_at);
    run.error = Some(
        job.and_then(|job| job.error)
            .unwrap_or_else(|| "The scan was broken off.".to_owned()),
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
