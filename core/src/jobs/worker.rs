//! The workers: claim a job, run its handler, write down what came of it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Transaction;
use serde_json::Value;

use crate::App;
use crate::clock::{Timestamp, random_below};
use crate::events::{Event, JobChange};
use crate::id::JobId;
use crate::jobs::JobQueue;
use crate::store::job::{self, Claimed, JobStatus};
use crate::store::{StoreError, StoreResult};

/// Attempts before an error is final.
const MAX_ATTEMPTS: i64 = 6;
/// Wait after the first failed attempt; each further one doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(10);
/// An idle worker looks at the queue after this and up to as long again: queued jobs of another
/// process and jobs that come due are found this way, everything else wakes the workers.
const IDLE_WAIT: Duration = Duration::from_secs(2);
/// What took so long may have used much memory; to give back what little jobs leave would cost more
/// than it brings.
const LONG: Duration = Duration::from_secs(1);

/// How a handler ends when it does not report a result.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Another attempt may succeed.
    #[error("{0:#}")]
    Retry(anyhow::Error),
    /// No further attempt makes sense.
    #[error("{0}")]
    Permanent(String),
    /// The server is stopping; the job is to be done again after the next start.
    #[error("the server is stopping")]
    Stopping,
    /// Other work goes first; the job goes on after what is queued.
    #[error("other work goes first")]
    GiveWay,
    /// Nothing can be done for so long; the job goes on then, and the attempt does not count.
    #[error("nothing can be done for {} s", .0.as_secs())]
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

/// What a handler gets.
#[derive(Debug)]
pub struct JobContext<'a> {
    /// The application.
    pub app: &'a App,
    /// The job.
    pub job: &'a Claimed,
    cancelled: Arc<AtomicBool>,
}

impl JobContext<'_> {
    /// Whether somebody asked this job to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Whether the server is stopping: end soon, with [`JobError::Stopping`].
    pub fn is_stopping(&self) -> bool {
        self.app.jobs.is_stopping()
    }
}

/// Does one kind of job and reports a result as JSON.
pub type Handler = fn(&JobContext<'_>) -> Result<Value, JobError>;

/// The handlers by the name of their jobs.
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

    /// Adds a handler of which no more than `limit` run at once: for work that goes on for long
    /// and waits most of the time, beside which other work is to find a worker.
    #[must_use]
    pub fn with_limit(mut self, kind: &'static str, limit: usize, handler: Handler) -> Self {
        self.limits.push((kind, limit.max(1)));
        self.with(kind, handler)
    }

    /// The kinds of which as many run as may.
    fn full(&self, jobs: &JobQueue) -> Vec<&'static str> {
        let full = self
            .limits
            .iter()
            .filter(|(kind, limit)| jobs.count(kind) >= *limit);
        full.map(|(kind, _)| *kind).collect()
    }
}

/// The running workers.
#[derive(Debug)]
pub struct Workers {
    app: App,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Stops the workers and waits for them; what they did not end is queued again.
    pub fn stop(self) {
        self.app.jobs.stop();
        for thread in self.threads {
            // A worker catches the panics of its handlers, so that there is none to pass on.
            let _ = thread.join();
        }
    }
}

/// Queues again what a dead process left running, and starts `count` workers.
pub fn start(app: &App, handlers: JobHandlers, count: usize) -> StoreResult<Workers> {
    let now = app.clock.now();
    let stale = app.db.write_blocking(move |tx| {
        job::forget_times_to_come(tx, now)?;
        job::recover_stale(tx, MAX_ATTEMPTS, now)
    })?;
    if stale > 0 {
        tracing::info!(
            jobs = stale,
            "queued again what the last process left running"
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
    let mut has_worked = Duration::ZERO;
    while !app.jobs.is_stopping() {
        let seen = app.jobs.wakes();
        match claim(app, handlers) {
            Ok(Some((claimed, cancelled))) => {
                let begin = Instant::now();
                run(app, handlers, &claimed, &cancelled);
                has_worked += begin.elapsed();
            }
            Ok(None) => {
                // Where others still work, the last of them does it.
                if app.jobs.is_idle() && (app.db.rest() || has_worked >= LONG) {
                    has_worked = Duration::ZERO;
                    ledge_native::return_free_memory();
                }
                app.jobs.wait(seen, patience());
            }
            Err(StoreError::Closed) => return,
            Err(error) => {
                tracing::warn!(%error, "a job could not be claimed");
                app.jobs.wait(seen, patience());
            }
        }
    }
}

fn forget_times_to_come(app: &App) -> StoreResult<()> {
    let clock = app.clock.clone();
    let hastened = app
        .db
        .write_blocking(move |tx| job::forget_times_to_come(tx, clock.now()))?;
    if hastened > 0 {
        tracing::info!(
            jobs = hastened,
            "the clock was set back; what waited is due"
        );
    }
    Ok(())
}

/// Jitter keeps the workers from asking all at the same moment.
fn patience() -> Duration {
    let millis = u64::try_from(IDLE_WAIT.as_millis()).unwrap_or(u64::MAX);
    IDLE_WAIT + Duration::from_millis(random_below(millis))
}

/// A look costs a read; only where something is due does it cost a write.
///
/// The flag that cancels the job is there before anybody can see the job running.
fn claim(
    app: &App,
    handlers: &Arc<JobHandlers>,
) -> StoreResult<Option<(Claimed, Arc<AtomicBool>)>> {
    let (clock, full) = (app.clock.clone(), handlers.full(&app.jobs));
    // The rows tell that the clock was set back, whether or not a worker saw the later time.
    let (is_set_back, is_due) = app.db.read_blocking(move |conn| {
        let due = job::next_due(conn, &full)?;
        // Not before the rows are seen: one written since would be of a time to come.
        let now = clock.now();
        let is_set_back = job::waits_for_times_to_come(conn, now)?;
        Ok((is_set_back, due.is_some_and(|due| due <= now)))
    })?;
    if is_set_back {
        forget_times_to_come(app)?;
    } else if !is_due {
        return Ok(None);
    }
    let (clock, jobs, handlers) = (app.clock.clone(), app.jobs.clone(), handlers.clone());
    let begun = Arc::new(OnceLock::new());
    let noted = begun.clone();
    let claimed = app.db.write_blocking(move |tx| {
        // One worker claims at a time: here the count holds.
        let claimed = job::claim(tx, &handlers.full(&jobs), clock.now())?;
        Ok(claimed.map(|claimed| {
            let cancelled = jobs.begin(claimed.id, &claimed.kind);
            noted.get_or_init(|| claimed.id);
            (claimed, cancelled)
        }))
    });
    if let (Err(_), Some(id)) = (&claimed, begun.get()) {
        // The row is still queued. Counted as running, it would keep its own kind from being claimed.
        app.jobs.end(*id);
    }
    let claimed = claimed?;
    if let Some((claimed, _)) = &claimed {
        tell(app, claimed, JobStatus::Running);
    }
    Ok(claimed)
}

fn tell(app: &App, claimed: &Claimed, status: JobStatus) {
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

/// What becomes of a job's row.
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
                tracing::warn!(job = %id, kind, error, "a job failed; it is tried again");
                let delay = retry_delay(claimed.attempts);
                Self::Later { error, delay }
            }
            Err(error) => {
                let error = error.to_string();
                tracing::error!(job = %id, kind, error, "a job failed for good");
                Self::Failed(error)
            }
        }
    }

    /// What somebody stopped does not go on later.
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

/// Writes down a job's end, again and again if need be: a row that stayed `running` would keep
/// others from being queued.
fn record(app: &App, claimed: &Claimed, end: &End, cancelled: &Arc<AtomicBool>) {
    let id = claimed.id;
    loop {
        let seen = app.jobs.wakes();
        let now = app.clock.now();
        let (end, flag, jobs) = (end.clone(), cancelled.clone(), app.jobs.clone());
        let written = app.db.write_blocking(move |tx| {
            // Whoever cancels raises the flag in a write of their own: either it is seen here, or
            // they see the row as it is from here on.
            let end = end.unless_cancelled(&flag);
            end.write(tx, id, now)?;
            jobs.end(id);
            Ok(end.status())
        });
        match written {
            Ok(status) => return tell(app, claimed, status),
            Err(error) => {
                tracing::error!(%error, job = %id, "a job's end could not be written down yet");
                if app.jobs.is_stopping() || matches!(error, StoreError::Closed) {
                    app.jobs.end(id);
                    // The next start queues the job again.
                    return;
                }
            }
        }
        app.jobs.wait(seen, patience());
    }
}

/// How long to wait after so many failed attempts.
pub fn retry_delay(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 16) - 1).unwrap_or(0);
    FIRST_DELAY * 2u32.pow(doublings)
}

#[cfg(test)]
mod tests;
