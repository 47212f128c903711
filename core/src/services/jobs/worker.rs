//! Worker threads: they claim jobs, run their handlers and record the outcome.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Transaction;
use serde_json::Value;

use crate::App;
use crate::app::JobQueue;
use crate::error::{StoreError, StoreResult};
use crate::events::{Event, JobChange};
use crate::id::JobId;
use crate::rng::random_below;
use crate::store::job::{self, Claimed, JobStatus, retry_delay};
use crate::time::Timestamp;

/// Attempts before an error is final.
const MAX_ATTEMPTS: i64 = 6;
/// Poll interval of an idle worker, plus a jitter of up to the same length. Polling finds jobs that
/// become due and jobs of another process; all other changes wake the workers.
const IDLE_WAIT: Duration = Duration::from_secs(2);

/// Outcome of a handler without a result.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Another attempt may succeed.
    #[error("{0:#}")]
    Retry(anyhow::Error),
    /// Further attempts are pointless.
    #[error("{0}")]
    Permanent(String),
    /// The server is stopping; the job runs again after the next start.
    #[error("the server is stopping")]
    Stopping,
    /// Other work has priority; the job continues after the queued jobs.
    #[error("other work has priority")]
    GiveWay,
    /// The job cannot continue before this duration has passed. The attempt does not count.
    #[error("postponed for {} s", .0.as_secs())]
    PutOff(Duration),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Closed => Self::Stopping,
            error => Self::Retry(error.into()),
        }
    }
}

/// Arguments of a handler.
#[derive(Debug)]
pub struct JobContext<'a> {
    /// Application context.
    pub app: &'a App,
    /// The claimed job.
    pub job: &'a Claimed,
    cancelled: Arc<AtomicBool>,
}

impl JobContext<'_> {
    /// Returns `true` if cancellation of this job was requested.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Returns `true` if the server is stopping. The handler must then end soon with
    /// [`JobError::Stopping`].
    pub fn is_stopping(&self) -> bool {
        self.app.jobs.is_stopping()
    }
}

/// Runs a job of one kind and returns its result as JSON.
pub type Handler = fn(&JobContext<'_>) -> Result<Value, JobError>;

/// Handlers by job kind, with limits of concurrent jobs.
#[derive(Debug, Clone, Default)]
pub struct JobHandlers {
    handlers: BTreeMap<&'static str, Handler>,
    limits: Vec<(&'static str, usize)>,
}

impl JobHandlers {
    /// Adds a handler for jobs of this kind.
    #[must_use]
    pub fn with(mut self, kind: &'static str, handler: Handler) -> Self {
        self.handlers.insert(kind, handler);
        self
    }

    /// Adds a handler with at most `limit` concurrent jobs. This keeps workers available while long
    /// jobs mostly wait.
    #[must_use]
    pub fn with_limit(mut self, kind: &'static str, limit: usize, handler: Handler) -> Self {
        self.limits.push((kind, limit.max(1)));
        self.with(kind, handler)
    }

    /// Returns the kinds that have reached their limit.
    fn full(&self, jobs: &JobQueue) -> Vec<&'static str> {
        let full = self
            .limits
            .iter()
            .filter(|(kind, limit)| jobs.count(kind) >= *limit);
        full.map(|(kind, _)| *kind).collect()
    }
}

/// The running worker threads.
#[derive(Debug)]
pub struct Workers {
    app: App,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Stops the workers and waits for them. Unfinished jobs are queued again.
    pub fn stop(self) {
        self.app.jobs.stop();
        for thread in self.threads {
            // A worker catches the panics of its handlers, so no panic is lost here.
            let _ = thread.join();
        }
    }
}

/// Requeues the jobs of a previous process that was interrupted, and starts `count` workers.
pub fn start(app: &App, handlers: JobHandlers, count: usize) -> StoreResult<Workers> {
    let now = app.clock.now();
    let stale = app.db.write_blocking(move |tx| {
        job::reschedule_after_clock_change(tx, now)?;
        job::recover_stale(tx, MAX_ATTEMPTS, now)
    })?;
    if stale > 0 {
        tracing::info!(
            jobs = stale,
            "requeued jobs that the previous process left running"
        );
    }
    let handlers = Arc::new(handlers);
    let mut threads = Vec::with_capacity(count);
    for n in 0..count {
        let app = app.clone();
        let handlers = handlers.clone();
        let thread = thread::Builder::new()
            .name(format!("job-{n}"))
            .spawn(move || work(&app, &handlers))
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        threads.push(thread);
    }
    Ok(Workers {
        app: app.clone(),
        threads,
    })
}

fn work(app: &App, handlers: &Arc<JobHandlers>) {
    while !app.jobs.is_stopping() {
        let seen = app.jobs.wakes();
        match claim(app, handlers) {
            Ok(Some((claimed, cancelled))) => run(app, handlers, &claimed, &cancelled),
            Ok(None) => app.jobs.wait(seen, max_wait()),
            Err(StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "a job could not be claimed");
                app.jobs.wait(seen, max_wait());
            }
        }
    }
}

fn reschedule_after_clock_change(app: &App) -> StoreResult<()> {
    let clock = app.clock.clone();
    let hastened = app
        .db
        .write_blocking(move |tx| job::reschedule_after_clock_change(tx, clock.now()))?;
    if hastened > 0 {
        tracing::info!(
            jobs = hastened,
            "the clock was set back; waiting jobs are due now"
        );
    }
    Ok(())
}

/// Returns the poll interval with jitter, so that the workers do not poll at the same time.
fn max_wait() -> Duration {
    let millis = u64::try_from(IDLE_WAIT.as_millis()).unwrap_or(u64::MAX);
    IDLE_WAIT + Duration::from_millis(random_below(millis))
}

/// Claims the next due job. The check costs a read; only a due job costs a write.
///
/// The cancellation flag is registered before other code can observe the job as running.
fn claim(
    app: &App,
    handlers: &Arc<JobHandlers>,
) -> StoreResult<Option<(Claimed, Arc<AtomicBool>)>> {
    let (clock, full) = (app.clock.clone(), handlers.full(&app.jobs));
    // The rows themselves show that the clock was set back, even if no worker observed the later
    // time.
    let (is_set_back, is_due) = app.db.read_blocking(move |conn| {
        let due = job::next_due(conn, &full)?;
        // Read after the rows: a row that was written in between would otherwise be in the future.
        let now = clock.now();
        let is_set_back = job::waits_for_earlier_clock(conn, now)?;
        Ok((is_set_back, due.is_some_and(|due| due <= now)))
    })?;
    if is_set_back {
        reschedule_after_clock_change(app)?;
    } else if !is_due {
        return Ok(None);
    }
    let (clock, jobs, handlers) = (app.clock.clone(), app.jobs.clone(), handlers.clone());
    let begun = Arc::new(OnceLock::new());
    let noted = begun.clone();
    let claimed = app.db.write_blocking(move |tx| {
        // The writer thread serialises claims, so the limits hold here.
        let claimed = job::claim(tx, &handlers.full(&jobs), clock.now())?;
        Ok(claimed.map(|claimed| {
            let cancelled = jobs.begin(claimed.id, &claimed.kind);
            noted.get_or_init(|| claimed.id);
            (claimed, cancelled)
        }))
    });
    if let (Err(_), Some(id)) = (&claimed, begun.get()) {
        // The row is still queued. A registered job would count towards the limit of its kind.
        app.jobs.end(*id);
    }
    let claimed = claimed?;
    if let Some((claimed, _)) = &claimed {
        publish(app, claimed, JobStatus::Running);
    }
    Ok(claimed)
}

fn publish(app: &App, claimed: &Claimed, status: JobStatus) {
    app.events.publish(Event::Job(JobChange {
        id: claimed.id,
        kind: claimed.kind.clone(),
        ref_id: claimed.ref_id,
        status,
    }));
}

fn run(app: &App, handlers: &JobHandlers, claimed: &Claimed, cancelled: &Arc<AtomicBool>) {
    let outcome = match handlers.handlers.get(claimed.kind.as_str()) {
        Some(handler) => {
            let context = JobContext {
                app,
                job: claimed,
                cancelled: cancelled.clone(),
            };
            catch_unwind(AssertUnwindSafe(|| handler(&context)))
                .unwrap_or_else(|panic| Err(JobError::Permanent(panic_text(panic.as_ref()))))
        }
        None => Err(JobError::Permanent(format!(
            "There is no handler for jobs of the kind `{}`.",
            claimed.kind
        ))),
    };
    record(app, claimed, &End::of(claimed, outcome), cancelled);
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("The handler panicked: {}.", text.unwrap_or("no message"))
}

/// Final change of a job's row.
#[derive(Debug, Clone)]
enum End {
    Finished(Value),
    Cancelled,
    Stopped,
    PutBack(Duration),
    Later { error: String, delay: Duration },
    Failed(String),
}

impl End {
    fn of(claimed: &Claimed, outcome: Result<Value, JobError>) -> Self {
        let Claimed { id, kind, .. } = claimed;
        match outcome {
            Ok(result) => Self::Finished(result),
            Err(JobError::Stopping) => Self::Stopped,
            Err(JobError::GiveWay) => Self::PutBack(Duration::ZERO),
            Err(JobError::PutOff(delay)) => Self::PutBack(delay),
            Err(JobError::Retry(error)) if claimed.attempts < MAX_ATTEMPTS => {
                let error = format!("{error:#}");
                tracing::warn!(job = %id, kind, error, "a job failed and will be retried");
                let delay = retry_delay(claimed.attempts);
                Self::Later { error, delay }
            }
            Err(error) => {
                let error = error.to_string();
                tracing::error!(job = %id, kind, error, "a job failed permanently");
                Self::Failed(error)
            }
        }
    }

    /// Returns `Cancelled` in place of `PutBack` if cancellation was requested.
    fn unless_cancelled(self, cancelled: &AtomicBool) -> Self {
        match self {
            Self::PutBack(_) if cancelled.load(Ordering::Acquire) => Self::Cancelled,
            end => end,
        }
    }

    fn status(&self) -> JobStatus {
        match self {
            Self::Finished(_) | Self::Cancelled => JobStatus::Done,
            Self::Stopped | Self::PutBack(_) | Self::Later { .. } => JobStatus::Queued,
            Self::Failed(_) => JobStatus::Failed,
        }
    }

    fn write(&self, tx: &Transaction<'_>, id: JobId, now: Timestamp) -> StoreResult<()> {
        match self {
            Self::Finished(result) => job::finish(tx, id, result, now),
            Self::Cancelled => job::cancel_running(tx, id, now),
            Self::Stopped => job::put_back(tx, id, now, Duration::ZERO),
            Self::PutBack(delay) => job::put_back(tx, id, now, *delay),
            Self::Later { error, delay } => job::retry_later(tx, id, error, now, *delay),
            Self::Failed(error) => job::fail(tx, id, error, now),
        }
    }
}

/// Records a job's outcome, with retries. A row that stayed `running` would prevent further jobs
/// from being queued.
fn record(app: &App, claimed: &Claimed, end: &End, cancelled: &Arc<AtomicBool>) {
    let id = claimed.id;
    loop {
        let seen = app.jobs.wakes();
        let now = app.clock.now();
        let (end, flag, jobs) = (end.clone(), cancelled.clone(), app.jobs.clone());
        let written = app.db.write_blocking(move |tx| {
            // The cancel request raises the flag in its own write. Either the flag is visible here,
            // or that write sees the row after this one.
            let end = end.unless_cancelled(&flag);
            end.write(tx, id, now)?;
            jobs.end(id);
            Ok(end.status())
        });
        match written {
            Ok(status) => return publish(app, claimed, status),
            Err(error) => {
                tracing::error!(%error, job = %id, "a job outcome could not be recorded yet");
                if app.jobs.is_stopping() || matches!(error, StoreError::Closed) {
                    app.jobs.end(id);
                    // The next start requeues the job.
                    return;
                }
            }
        }
        app.jobs.wait(seen, max_wait());
    }
}

#[cfg(test)]
mod tests;
