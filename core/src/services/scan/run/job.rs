//! Scan jobs: requests, execution and cancellation.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, Transaction};
use serde_json::{Value, json};

use super::Stop;
use crate::App;
use crate::error::{StoreError, StoreResult};
use crate::events::Event;
use crate::fs::disk::{Disk, LocalDisk};
use crate::id::{JobId, LibraryId};
use crate::job_kind::SCAN;
use crate::jobs::{JobContext, JobError};
use crate::scan::stages::{DISK_FULL, Scan, scan};
use crate::scan::walk::scope::Scope;
use crate::store::job::{self, JobStatus};
use crate::store::library::scan_run::{self, Counters, End};
use crate::time::Timestamp;

/// Interval at which a scan checks if the cancelled scan before it has ended.
const PREDECESSOR_POLL: Duration = Duration::from_millis(50);

/// Result of a scan that was stopped before or during its run.
fn cancelled() -> Value {
    json!({ "cancelled": true })
}

/// Requests a scan and returns its job. The caller wakes the workers after the commit.
///
/// A queued or running scan of the library is reused. `accept_missing` is added to a queued job. A
/// queued scan of some folders becomes a scan of the whole library. A running scan of some folders,
/// or a cancelled scan that has not ended yet, gets a successor.
///
/// # Errors
///
/// Returns [`StoreError::Conflict`] if `accept_missing` is set while a scan of the whole library
/// runs.
pub fn request(
    tx: &Transaction<'_>,
    library: LibraryId,
    accept_missing: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    let payload = json!({ "accept_missing": accept_missing });
    let existing = match job::unfinished(tx, SCAN, library.0)? {
        Some(existing) if !scan_run::is_cancelled(tx, existing.id)? => existing,
        _ => return job::enqueue(tx, SCAN, Some(library.0), &payload, now),
    };
    if scan_run::is_of_folders(tx, existing.id)? {
        if is_queued(&existing) {
            let mut whole = Scope::of_payload(&job::payload(tx, existing.id)?.unwrap_or_default());
            whole.folders = None;
            let mut whole = whole.to_payload();
            whole.insert("accept_missing".to_owned(), json!(accept_missing));
            job::set_payload(tx, existing.id, &whole.into())?;
            job::make_due(tx, existing.id, now)?;
            return Ok(existing.id);
        }
        return job::enqueue(tx, SCAN, Some(library.0), &payload, now);
    }
    job::make_due(tx, existing.id, now)?;
    if accept_missing && !(is_queued(&existing) && job::set_payload(tx, existing.id, &payload)?) {
        return Err(StoreError::Conflict(
            "A scan of this library is running; ask again when it has ended.".to_owned(),
        ));
    }
    Ok(existing.id)
}

/// Requests a scan of changed folders. The caller wakes the workers after the commit. A queued scan
/// takes over the folders. Returns `None` while a scan runs, because it may already have passed the
/// changed folders: the caller must try again later.
pub fn request_some(
    tx: &Transaction<'_>,
    library: LibraryId,
    scope: &Scope,
    now: Timestamp,
) -> StoreResult<Option<JobId>> {
    let Some(existing) = job::unfinished(tx, SCAN, library.0)? else {
        let payload = scope.to_payload().into();
        let id = job::enqueue(tx, SCAN, Some(library.0), &payload, now)?;
        return Ok(Some(id));
    };
    if !is_queued(&existing) {
        return Ok(None);
    }
    let payload = job::payload(tx, existing.id)?.unwrap_or_default();
    let mut wanted = Scope::of_payload(&payload);
    wanted.merge(scope.clone());
    let mut merged = wanted.to_payload();
    merged.insert(
        "accept_missing".to_owned(),
        json!(accepts_missing(&payload)),
    );
    job::set_payload(tx, existing.id, &merged.into())?;
    job::make_due(tx, existing.id, now)?;
    Ok(Some(existing.id))
}

/// Returns `true` if the library's newest scan is running. [`request_some`] would then return
/// `None`.
pub fn is_running(connection: &Connection, library: LibraryId) -> StoreResult<bool> {
    let existing = job::unfinished(connection, SCAN, library.0)?;
    Ok(existing.is_some_and(|existing| !is_queued(&existing)))
}

fn accepts_missing(payload: &Value) -> bool {
    payload.get("accept_missing") == Some(&Value::Bool(true))
}

fn is_queued(job: &job::Job) -> bool {
    job.status == JobStatus::Queued.as_str()
}

/// Stops the scans of a library: a queued scan at once, a running scan after its current chunk.
/// Does nothing if there is no scan.
pub fn cancel(app: &App, library: LibraryId) -> StoreResult<()> {
    // A queued scan may wait for a running one.
    while cancel_newest(app, library)? {}
    Ok(())
}

/// Cancels the newest scan. Returns `true` if there may be another one.
fn cancel_newest(app: &App, library: LibraryId) -> StoreResult<bool> {
    let now = app.clock.now();
    let existing = app.db.write_blocking(move |tx| {
        let Some(existing) = job::unfinished(tx, SCAN, library.0)? else {
            return Ok(None);
        };
        if job::cancel_queued(tx, existing.id, &cancelled(), now)? {
            scan_run::never_began(tx, library, existing.id, now)?;
        }
        scan_run::note_cancelled(tx, existing.id)?;
        job::get(tx, existing.id)
    })?;
    let Some(job) = existing else {
        return Ok(false);
    };
    let is_running = job.status == JobStatus::Running.as_str();
    if is_running {
        app.jobs.cancel(job.id);
    }
    app.events.publish(Event::Job(job.into()));
    Ok(!is_running)
}

/// Runs a scan job.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(library) = context.job.ref_id.map(LibraryId) else {
        return Err(JobError::Permanent("The job names no library.".to_owned()));
    };
    if context.job.payload.get("cancelled") == Some(&Value::Bool(true)) {
        // The server stopped before the cancelled scan had ended.
        return Ok(cancelled());
    }
    if !wait_for_predecessors(context, library)? {
        return Ok(cancelled());
    }
    let wanted = Scan {
        library,
        job: Some(context.job.id),
        accept_missing: accepts_missing(&context.job.payload),
        scope: Scope::of_payload(&context.job.payload),
    };
    let local = |root: &std::path::Path| Arc::new(LocalDisk::new(root)) as Arc<dyn Disk>;
    let control = || {
        if context.is_cancelled() {
            Some(Stop::Cancelled)
        } else if context.is_stopping() {
            Some(Stop::ServerStopping)
        } else {
            None
        }
    };
    let scanned = match scan(context.app, &wanted, &local, &control) {
        // Not even the end of the run could be written. A retry would fail after a complete walk.
        Err(StoreError::DiskFull) => return Err(JobError::Permanent(DISK_FULL.to_owned())),
        scanned => scanned?,
    };
    match scanned {
        // The library was deleted while its scan was queued.
        None => Ok(cancelled()),
        Some((End::Cancelled, _)) if !context.is_cancelled() && context.is_stopping() => {
            Err(JobError::Stopping)
        }
        Some((end, counters)) => Ok(result(&end, &counters)),
    }
}

/// Waits for earlier scans of the same library, so that two scans never run at the same time. Those
/// scans are cancelled and end after their current chunk. Returns `false` if this scan was
/// cancelled in the meantime.
fn wait_for_predecessors(context: &JobContext<'_>, library: LibraryId) -> Result<bool, JobError> {
    let (app, id) = (context.app, context.job.id);
    let before = app
        .db
        .read_blocking(move |conn| scan_run::running_before(conn, library, id))?;
    while before.iter().any(|job| app.jobs.is_running(*job)) {
        if context.is_stopping() {
            return Err(JobError::Stopping);
        }
        if context.is_cancelled() {
            return Ok(false);
        }
        thread::sleep(PREDECESSOR_POLL);
    }
    Ok(true)
}

fn result(end: &End, counters: &Counters) -> Value {
    let mut result = json!({
        "scanned": counters.scanned,
        "added": counters.added,
        "updated": counters.updated,
        "moved": counters.moved,
        "missing": counters.missing,
        "restored": counters.restored,
        "errors": counters.errors.len() as u64 + counters.errors_overflow,
    });
    let note = match end {
        End::Done => None,
        End::Failed(why) => Some(("failed", Value::from(why.as_str()))),
        End::Cancelled => Some(("cancelled", Value::Bool(true))),
    };
    if let (Some(result), Some((key, value))) = (result.as_object_mut(), note) {
        result.insert(key.to_owned(), value);
    }
    result
}
