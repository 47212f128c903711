//! Requests for enrichment, and the enrichment status of a library.

use rusqlite::{Connection, Transaction};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::payload::{ItemsPayload, Payload};
use super::progress::Progress;
use crate::App;
use crate::app::{Context, ScanEnd};
use crate::error::StoreResult;
use crate::events::Event;
use crate::id::{ItemId, JobId, LibraryId};
use crate::job_kind::{ENRICH_ITEM, ENRICH_ITEMS, ENRICH_LIBRARY};
use crate::store::job::{self, Job, JobStatus};
use crate::time::Timestamp;

/// Requests the enrichment of a library. The caller wakes the workers after the commit. A queued or
/// running job is reused. With `force`, earlier answers are not valid.
pub fn request_library(
    tx: &Transaction<'_>,
    library: LibraryId,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    request(tx, ENRICH_LIBRARY, library.0, force, now)
}

/// Requests the enrichment of one item, with the same rules as [`request_library`].
pub fn request_item(
    tx: &Transaction<'_>,
    item: ItemId,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    request(tx, ENRICH_ITEM, item.0, force, now)
}

/// Requests the enrichment of several items as one job. The caller wakes the workers after the
/// commit. With `force`, earlier answers are not valid.
pub fn request_items(
    tx: &Transaction<'_>,
    items: Vec<ItemId>,
    force: bool,
    now: Timestamp,
) -> StoreResult<JobId> {
    let payload = ItemsPayload {
        items,
        since: force.then_some(now),
    };
    job::enqueue(tx, ENRICH_ITEMS, None, &payload.to_value(), now)
}

/// Requests the enrichment after a complete scan, if the settings demand it and a provider is
/// available.
pub fn after_scan(app: &Context, tx: &Transaction<'_>, end: ScanEnd) -> StoreResult<()> {
    let has_providers = app.providers.iter().next().is_some();
    let (is_wanted, _) = app.providers.after_scans();
    if !end.is_complete || !is_wanted || !has_providers {
        return Ok(());
    }
    let (library, now) = (end.library, app.clock.now());
    let existing = job::unfinished(tx, ENRICH_LIBRARY, library.0)?;
    if existing.is_some_and(|job| job.status == JobStatus::Running.as_str()) {
        // The running job may already have passed the new items.
        let payload = Payload::default().to_value();
        let kind = ENRICH_LIBRARY;
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
    let Some(existing) = job::unfinished(tx, kind, ref_id)? else {
        return job::enqueue(tx, kind, Some(ref_id), &wanted.to_value(), now);
    };
    let queued = Payload::of(&job::payload(tx, existing.id)?.unwrap_or_default());
    let is_queued = existing.status == JobStatus::Queued.as_str();
    if is_queued {
        // A job that waits for a retry starts again. A job that was interrupted resumes.
        if force || queued.attempt > 1 {
            let since = wanted.since.or(queued.since);
            let payload = Payload { since, ..wanted };
            job::set_payload(tx, existing.id, &payload.to_value())?;
            job::clear_result(tx, existing.id)?;
        }
        job::make_due(tx, existing.id, now)?;
        return Ok(existing.id);
    }
    if force && queued.since.is_none() {
        // The running job accepts earlier answers.
        return job::enqueue(tx, kind, Some(ref_id), &wanted.to_value(), now);
    }
    Ok(existing.id)
}

/// Stops the enrichment of a library: queued jobs at once, a running job after its current item.
pub fn cancel_library(app: &App, library: LibraryId) -> StoreResult<()> {
    let (now, jobs) = (app.clock.now(), app.jobs.clone());
    let stopped = app.db.write_blocking(move |tx| {
        let existing = job::all_unfinished(tx, ENRICH_LIBRARY, library.0)?;
        let mut stopped = Vec::with_capacity(existing.len());
        for job in existing {
            if !job::cancel_queued(tx, job.id, &json!({ "cancelled": true }), now)? {
                // The flag is set inside the transaction, so that the write that would requeue the
                // job sees it.
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

/// Status of a library's enrichment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EnrichmentStatus {
    /// State of the enrichment.
    pub status: EnrichmentState,
    /// Id of the newest job, if there is one.
    pub job_id: Option<JobId>,
    /// Time of the next run, if providers did not respond.
    pub next_at: Option<Timestamp>,
    /// Counts of this run, or of the last run if the next one has not started.
    #[serde(flatten)]
    pub progress: Progress,
    /// Start time.
    pub started_at: Option<Timestamp>,
    /// End time.
    pub finished_at: Option<Timestamp>,
    /// Reason of a failure.
    pub error: Option<String>,
}

/// State of an enrichment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnrichmentState {
    /// No enrichment was requested yet.
    Never,
    /// The job waits for a worker.
    Queued,
    /// The job is running.
    Running,
    /// The job is complete.
    Done,
    /// The job failed.
    Failed,
    /// A user cancelled the job.
    Cancelled,
}

/// Returns the status of a library's enrichment. The caller must check the access.
pub fn status_unscoped(
    connection: &Connection,
    library: LibraryId,
) -> StoreResult<EnrichmentStatus> {
    let jobs = job::newest(connection, ENRICH_LIBRARY, library.0, 2)?;
    let mut newest = jobs.into_iter();
    let (mut job, mut before) = (newest.next(), newest.next());
    if before
        .as_ref()
        .is_some_and(|before| before.status == JobStatus::Running.as_str())
    {
        // The newest job waits for this one and has no counts yet.
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
    // Between two attempts, the counts of the first attempt are returned.
    let waits = state == EnrichmentState::Queued && job.result.is_none();
    let retried = before.filter(|_| waits);
    let result = retried
        .as_ref()
        .map_or(&job, |before| before)
        .result
        .as_ref();
    let mut progress = Progress::of(result);
    let cursor = progress.cursor.take();
    let is_put_off = state == EnrichmentState::Queued && cursor.is_some_and(|cursor| cursor.waits);
    let next_at = (is_put_off || waits && retried.is_some()).then_some(job.run_at);
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
