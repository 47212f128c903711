//! Scans as jobs: asked for, done, cancelled.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, Transaction};
use serde_json::{Value, json};

use super::disk::{Disk, LocalDisk};
use super::run::Stop;
use super::scope::Scope;
use super::stages::{DISK_FULL, Scan, scan};
use crate::App;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{JobId, LibraryId};
use crate::jobs::{JobContext, JobError};
use crate::store::job::{self, JobStatus};
use crate::store::scan_run::{self, Counters, End};
use crate::store::{StoreError, StoreResult};

/// What jobs of this handler are called; their `ref_id` is the library's id.
pub const HANDLER_KIND: &str = "scan";

/// How often a scan looks whether the cancelled one before it has ended.
const PREDECESSOR_POLL: Duration = Duration::from_millis(50);

/// The result of a scan that was stopped before or while it ran.
fn cancelled() -> Value {
    json!({ "cancelled": true })
}

/// Asks for a scan; wake the workers after the commit. While one is queued or running that job
/// is the answer; `accept_missing` is added to a queued one and refused while one runs. One of
/// some folders becomes one of the whole library while it is queued, and gets a successor while it
/// runs; so does one that was cancelled and only winds down.
pub fn request(
    tx: &Transaction<'_>,
    library: LibraryId,
    accept_missing: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    let payload = json!({ "accept_missing": accept_missing });
    let known = match job::unfinished(tx, HANDLER_KIND, library.0)? {
        Some(known) if !scan_run::is_cancelled(tx, known.id)? => known,
        _ => return job::enqueue(tx, HANDLER_KIND, Some(library.0), &payload, now),
    };
    if scan_run::is_of_folders(tx, known.id)? {
        if is_queued(&known) {
            let mut whole = Scope::of_payload(&job::payload(tx, known.id)?.unwrap_or_default());
            whole.folders = None;
            let mut whole = whole.to_payload();
            whole.insert("accept_missing".to_owned(), json!(accept_missing));
            job::set_payload(tx, known.id, &whole.into())?;
            job::make_due(tx, known.id, now)?;
            return Ok(known.id);
        }
        return job::enqueue(tx, HANDLER_KIND, Some(library.0), &payload, now);
    }
    job::make_due(tx, known.id, now)?;
    if accept_missing && !(is_queued(&known) && job::set_payload(tx, known.id, &payload)?) {
        return Err(StoreError::Conflict(
            "A scan of this library is running; ask again when it has ended.".to_owned(),
        ));
    }
    Ok(known.id)
}

/// Asks for a scan of what changed; wake the workers after the commit. What is queued takes it
/// over. `None` while a scan runs: what changed may be behind it already, so ask again.
pub fn request_some(
    tx: &Transaction<'_>,
    library: LibraryId,
    scope: &Scope,
    now: Timestamp,
) -> StoreResult<Option<JobId>> {
    let Some(known) = job::unfinished(tx, HANDLER_KIND, library.0)? else {
        let payload = scope.to_payload().into();
        let id = job::enqueue(tx, HANDLER_KIND, Some(library.0), &payload, now)?;
        return Ok(Some(id));
    };
    if !is_queued(&known) {
        return Ok(None);
    }
    let payload = job::payload(tx, known.id)?.unwrap_or_default();
    let mut wanted = Scope::of_payload(&payload);
    wanted.merge(scope.clone());
    let mut merged = wanted.to_payload();
    merged.insert(
        "accept_missing".to_owned(),
        json!(accepts_missing(&payload)),
    );
    job::set_payload(tx, known.id, &merged.into())?;
    job::make_due(tx, known.id, now)?;
    Ok(Some(known.id))
}

/// Whether a library's newest scan runs, so that [`request_some`] would have to be asked again.
pub fn is_running(connection: &Connection, library: LibraryId) -> StoreResult<bool> {
    let known = job::unfinished(connection, HANDLER_KIND, library.0)?;
    Ok(known.is_some_and(|known| !is_queued(&known)))
}

fn accepts_missing(payload: &Value) -> bool {
    payload.get("accept_missing") == Some(&Value::Bool(true))
}

fn is_queued(job: &job::Job) -> bool {
    job.status == JobStatus::Queued.as_str()
}

/// Stops the scans of a library: a queued one at once, a running one after its current chunk.
/// Nothing happens where there is none.
pub fn cancel(app: &App, library: LibraryId) -> StoreResult<()> {
    // A queued one may wait for one that runs.
    while cancel_newest(app, library)? {}
    Ok(())
}

/// Whether there may be another one.
fn cancel_newest(app: &App, library: LibraryId) -> StoreResult<bool> {
    let now = app.clock.now();
    let known = app.db.write_blocking(move |tx| {
        let Some(known) = job::unfinished(tx, HANDLER_KIND, library.0)? else {
            return Ok(None);
        };
        if job::cancel_queued(tx, known.id, &cancelled(), now)? {
            scan_run::never_began(tx, library, known.id, now)?;
        }
        scan_run::note_cancelled(tx, known.id)?;
        job::get(tx, known.id)
    })?;
    let Some(job) = known else {
        return Ok(false);
    };
    let is_running = job.status == JobStatus::Running.as_str();
    if is_running {
        app.jobs.cancel(job.id);
    }
    app.events.publish(Event::Job(job.into()));
    Ok(!is_running)
}

/// The handler of scan jobs.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(library) = context.job.ref_id.map(LibraryId) else {
        return Err(JobError::Permanent("The job names no library.".to_owned()));
    };
    if context.job.payload.get("cancelled") == Some(&Value::Bool(true)) {
        // The server ended before the scan that was to stop had done so.
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
        // Not even the end of the run could be written. A retry would walk the library in vain.
        Err(StoreError::DiskFull) => return Err(JobError::Permanent(DISK_FULL.to_owned())),
        scanned => scanned?,
    };
    match scanned {
        // The library was deleted while its scan waited.
        None => Ok(cancelled()),
        Some((End::Cancelled, _)) if !context.is_cancelled() && context.is_stopping() => {
            Err(JobError::Stopping)
        }
        Some((end, counters)) => Ok(result(&end, &counters)),
    }
}

/// Two scans of one library never work side by side: those before this one were cancelled and end
/// after the chunk that they have in hand. `false` if this one was cancelled meanwhile.
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
