//! Asking for enrichment, and how that of a library stands.

use rusqlite::{Connection, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::job::{ITEM_HANDLER_KIND, LIBRARY_HANDLER_KIND};
use super::progress::Progress;
use crate::App;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{ItemId, JobId, LibraryId};
use crate::store::StoreResult;
use crate::store::job::{self, Job, JobStatus};

/// What the handlers need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// Answers from before this time do not stand; all do without it.
    pub(super) since: Option<Timestamp>,
    /// Which attempt this is for what failed: from 1.
    pub(super) attempt: u32,
}

impl Default for Payload {
    fn default() -> Self {
        Self {
            since: None,
            attempt: 1,
        }
    }
}

impl Payload {
    pub(super) fn of(payload: &Value) -> Self {
        serde_json::from_value(payload.clone()).unwrap_or_default()
    }

    pub(super) fn to_value(self) -> Value {
        // Plain data is JSON.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Asks for a library to be enriched; wake the workers after the commit. While that is queued or
/// under way that job is the answer; with `force`, earlier answers do not stand.
pub fn request_library(
    tx: &Transaction<'_>,
    library: LibraryId,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    request(tx, LIBRARY_HANDLER_KIND, library.0, force, now)
}

/// Asks for one item to be enriched; likewise.
pub fn request_item(
    tx: &Transaction<'_>,
    item: ItemId,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    request(tx, ITEM_HANDLER_KIND, item.0, force, now)
}

/// What follows a complete scan, if the person who runs the server wants that.
pub fn after_scan(tx: &Transaction<'_>, library: LibraryId, now: Timestamp) -> StoreResult<()> {
    let known = job::unfinished(tx, LIBRARY_HANDLER_KIND, library.0)?;
    if known.is_some_and(|job| job.status == JobStatus::Running.as_str()) {
        // What the scan found may lie behind the one that runs.
        let payload = Payload::default().to_value();
        let kind = LIBRARY_HANDLER_KIND;
        return job::enqueue(tx, kind, Some(library.0), &payload, now).map(drop);
    }
    request_library(tx, library, false, now).map(drop)
}

fn request(
    tx: &Transaction<'_>,
    kind: &'static str,
    ref_id: i64,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    let wanted = Payload {
        since: force.then_some(now),
        attempt: 1,
    };
    let Some(known) = job::unfinished(tx, kind, ref_id)? else {
        return job::enqueue(tx, kind, Some(ref_id), &wanted.to_value(), now);
    };
    let queued = Payload::of(&job::payload(tx, known.id)?.unwrap_or_default());
    let is_queued = known.status == JobStatus::Queued.as_str();
    if is_queued {
        // What only waited to be tried again begins anew; what was put back goes on.
        if force || queued.attempt > 1 {
            let since = wanted.since.or(queued.since);
            let payload = Payload { since, ..wanted };
            job::set_payload(tx, known.id, &payload.to_value())?;
            job::clear_result(tx, known.id)?;
        }
        job::make_due(tx, known.id, now)?;
        return Ok(known.id);
    }
    if force && queued.since.is_none() {
        // What runs believes earlier answers.
        return job::enqueue(tx, kind, Some(ref_id), &wanted.to_value(), now);
    }
    Ok(known.id)
}

/// Stops the enrichment of a library, whatever of it is queued or under way: queued jobs at once,
/// a running one after its current item.
pub fn cancel_library(app: &App, library: LibraryId) -> StoreResult<()> {
    let (now, jobs) = (app.clock.now(), app.jobs.clone());
    let stopped = app.db.write_blocking(move |tx| {
        let known = job::all_unfinished(tx, LIBRARY_HANDLER_KIND, library.0)?;
        let mut stopped = Vec::with_capacity(known.len());
        for job in known {
            if !job::cancel_queued(tx, job.id, &json!({ "cancelled": true }), now)? {
                // Raised here, the flag is seen by the write that would put the job back.
                jobs.cancel(job.id);
            }
            stopped.extend(job::get(tx, job.id)?);
        }
        Ok(stopped)
    })?;
    if stopped.is_empty() {
        return Ok(());
    }
    for job in stopped {
        app.events.publish(Event::Job(job.into()));
    }
    app.events.publish(Event::Enrichment(library));
    Ok(())
}

/// How the enrichment of a library goes or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EnrichmentStatus {
    /// Where it stands.
    pub status: EnrichmentState,
    /// The job, if there ever was one.
    pub job_id: Option<JobId>,
    /// When it goes on or is tried again, where providers gave no answer.
    pub next_at: Option<Timestamp>,
    /// Counts, of the last run where the next has not begun.
    #[serde(flatten)]
    pub progress: Progress,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<String>,
}

/// Where an enrichment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnrichmentState {
    /// There was none yet.
    Never,
    /// It waits for a worker.
    Queued,
    /// It is under way.
    Running,
    /// It ended.
    Done,
    /// It broke off.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

/// How the enrichment of a library goes or went; the caller asked for the right to know.
pub fn status_unscoped(
    connection: &Connection,
    library: LibraryId,
) -> StoreResult<EnrichmentStatus> {
    let jobs = job::newest(connection, LIBRARY_HANDLER_KIND, library.0, 2)?;
    let mut newest = jobs.into_iter();
    let (mut job, mut before) = (newest.next(), newest.next());
    if before
        .as_ref()
        .is_some_and(|before| before.status == JobStatus::Running.as_str())
    {
        // What waits for it to end says nothing yet.
        job = before.take();
    }
    let Some(job) = job else {
        return Ok(EnrichmentStatus {
            status: EnrichmentState::Never,
            job_id: None,
            next_at: None,
            progress: Progress::default(),
            started_at: None,
            finished_at: None,
            error: None,
        });
    };
    let state = state(&job);
    // Between two attempts the first one's counts are of interest.
    let waits = state == EnrichmentState::Queued && job.result.is_none();
    let told = before.filter(|_| waits);
    let result = told.as_ref().map_or(&job, |before| before).result.as_ref();
    let mut progress = Progress::of(result);
    let cursor = progress.cursor.take();
    let is_put_off = state == EnrichmentState::Queued && cursor.is_some_and(|cursor| cursor.waits);
    let next_at = (is_put_off || waits && told.is_some()).then_some(job.run_at);
    Ok(EnrichmentStatus {
        status: state,
        job_id: Some(job.id),
        next_at,
        progress,
        started_at: job.started_at,
        finished_at: job.finished_at,
        error: job.error,
    })
}

fn state(job: &Job) -> EnrichmentState {
    let is_cancelled = || {
        let result = job.result.as_ref();
        result.and_then(|result| result.get("cancelled")) == Some(&Value::Bool(true))
    };
    match JobStatus::of(&job.status) {
        JobStatus::Queued => EnrichmentState::Queued,
        JobStatus::Running => EnrichmentState::Running,
        JobStatus::Done if is_cancelled() => EnrichmentState::Cancelled,
        JobStatus::Done => EnrichmentState::Done,
        JobStatus::Failed => EnrichmentState::Failed,
    }
}
