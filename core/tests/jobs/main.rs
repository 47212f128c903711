//! Tests of the job queue and its workers.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a handler answers a result, whatever it does"
)]

mod claims;
mod clock;

use std::sync::Arc;
use std::time::Duration;

use ledge_core::app::{JobQueue, NowPlaying, Watches};
use ledge_core::db::Db;
use ledge_core::error::StoreError;
use ledge_core::events::Events;
use ledge_core::id::JobId;
use ledge_core::jobs::{Handler, JobContext, JobError, JobHandlers};
use ledge_core::net::Providers;
use ledge_core::paging::Window;
use ledge_core::registry::{PlaybackEngine, Registry};
use ledge_core::store::job;
use ledge_core::store::job::{Job, JobFilter};
use ledge_core::time::{Clock, ManualClock, Timestamp};
use ledge_core::{App, Context, Settings, jobs};
use serde_json::{Value, json};

static ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// Returns the start time of every test.
fn begin() -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000)
}

struct Bench {
    folder: tempfile::TempDir,
    app: App,
    hand: ManualClock,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let (clock, hand) = Clock::manual(begin());
    let app = App::new(Context {
        db: Db::open(&folder.path().join("ledge.db")).expect("a database"),
        registry: Arc::new(Registry::of(vec![], vec![&ENGINE], vec![]).expect("a registry")),
        providers: Providers::default(),
        clock,
        jobs: JobQueue::default(),
        events: Events::default(),
        watches: Watches::default(),
        now_playing: NowPlaying::default(),
        after_scan: &[],
        settings: Arc::new(Settings {
            ffprobe: None,
            read_time_limit: Duration::from_secs(1),
            data: folder.path().to_owned(),
            backups: None,
        }),
    });
    Bench { folder, app, hand }
}

impl Bench {
    fn enqueue(&self, kind: &'static str, ref_id: i64) -> JobId {
        let now = self.app.clock.now();
        let id = self
            .app
            .db
            .write_blocking(move |tx| job::enqueue(tx, kind, Some(ref_id), &json!({}), now))
            .expect("a job");
        self.app.jobs.wake();
        id
    }

    /// Postpones a queued job by an hour, with a clock at `now`.
    fn put_off(&self, id: JobId, now: Timestamp) {
        self.app
            .db
            .write_blocking(move |tx| job::retry_later(tx, id, "", now, Duration::from_hours(1)))
            .expect("it is put off");
    }

    fn job(&self, id: JobId) -> Job {
        self.app
            .db
            .read_blocking(move |conn| job::get(conn, id))
            .expect("a read")
            .expect("the job")
    }

    /// Waits until the workers bring about a condition.
    fn until(&self, id: JobId, condition: impl Fn(&Job) -> bool) -> Job {
        for _ in 0..1000 {
            let job = self.job(id);
            if condition(&job) {
                return job;
            }
            std::thread::park_timeout(Duration::from_millis(10));
        }
        panic!("it never came: {:?}", self.job(id));
    }

    fn run(&self, handlers: JobHandlers) -> jobs::Workers {
        jobs::start(&self.app, handlers, 4).expect("workers")
    }
}

fn handler(kind: &'static str, handler: Handler) -> JobHandlers {
    JobHandlers::default().with(kind, handler)
}

fn done(_: &JobContext<'_>) -> Result<Value, JobError> {
    Ok(Value::Null)
}

#[test]
fn panic_fails_only_its_job() {
    fn explode(context: &JobContext<'_>) -> Result<Value, JobError> {
        assert_ne!(context.job.ref_id, Some(1), "number one explodes");
        Ok(json!(null))
    }
    let bench = bench();
    let workers = bench.run(handler("explode", explode));
    let bad = bench.enqueue("explode", 1);
    let failed = bench.until(bad, |job| job.status == "failed");
    assert!(
        failed
            .error
            .expect("a reason")
            .contains("number one explodes")
    );
    for n in 2..10 {
        bench.until(bench.enqueue("explode", n), |job| job.status == "done");
    }
    workers.stop();
}

#[test]
fn running_job_can_be_cancelled_as_soon_as_it_is_visible() {
    fn wait(context: &JobContext<'_>) -> Result<Value, JobError> {
        while !context.is_cancelled() && !context.is_stopping() {
            std::thread::yield_now();
        }
        Ok(json!({"cancelled": context.is_cancelled()}))
    }
    let bench = bench();
    let workers = bench.run(handler("wait", wait));
    for n in 0..100 {
        let id = bench.enqueue("wait", n);
        // Polls without a pause, to see the job at the first possible moment.
        while bench.job(id).status == "queued" {}
        assert!(bench.app.jobs.cancel(id), "the {n}th has no flag yet");
        let done = bench.until(id, |job| job.status == "done");
        assert_eq!(done.result, Some(json!({"cancelled": true})));
    }
    workers.stop();
}

#[test]
fn failed_job_is_not_retried_while_another_for_same_target_is_queued() {
    let bench = bench();
    let failed = bench.enqueue("index", 1);
    let now = bench.app.clock.now();
    let retry = |id| {
        bench
            .app
            .db
            .write_blocking(move |tx| job::retry(tx, id, now))
    };
    bench
        .app
        .db
        .write_blocking(move |tx| job::fail(tx, failed, "broken", now))
        .expect("a failure");
    let other = bench.enqueue("index", 1);
    assert!(matches!(retry(failed), Err(StoreError::Conflict(_))));
    assert_eq!(bench.job(failed).status, "failed");
    bench
        .app
        .db
        .write_blocking(move |tx| job::finish(tx, other, &json!(null), now))
        .expect("an end");
    assert_eq!(retry(failed).expect("an answer"), Some(true));
}

#[test]
fn job_of_unknown_kind_fails_permanently() {
    let bench = bench();
    let workers = bench.run(JobHandlers::default());
    let job = bench.until(bench.enqueue("nobody", 1), |job| job.status == "failed");
    assert_eq!(job.attempts, 1);
    assert!(job.error.expect("a reason").contains("`nobody`"));
    workers.stop();
}

#[test]
fn failed_job_is_retried_with_growing_delay_up_to_limit() {
    fn never(_: &JobContext<'_>) -> Result<Value, JobError> {
        Err(JobError::Retry(std::io::Error::other("not today").into()))
    }
    let bench = bench();
    let workers = bench.run(handler("never", never));
    let id = bench.enqueue("never", 1);
    let mut delays = Vec::new();
    for attempt in 1..6 {
        let job = bench.until(id, |job| job.attempts == attempt && job.status == "queued");
        let delay = job.run_at.since(bench.app.clock.now());
        delays.push(delay);
        bench.hand.advance(delay);
        bench.app.jobs.wake();
    }
    assert!(
        delays.is_sorted() && delays[4] == delays[0] * 16,
        "{delays:?}"
    );
    let job = bench.until(id, |job| job.status == "failed");
    assert_eq!(job.attempts, 6);
    assert!(job.error.expect("a reason").contains("not today"));
    workers.stop();
}

#[test]
fn running_job_of_dead_process_is_requeued_at_start() {
    fn fine(_: &JobContext<'_>) -> Result<Value, JobError> {
        Ok(json!(null))
    }
    let bench = bench();
    let id = bench.enqueue("fine", 1);
    let now = bench.app.clock.now();
    bench
        .app
        .db
        .write_blocking(move |tx| job::claim(tx, &[], now))
        .expect("a claim")
        .expect("the job");
    assert_eq!(bench.job(id).status, "running");
    let workers = bench.run(handler("fine", fine));
    assert_eq!(bench.until(id, |job| job.status == "done").attempts, 2);
    workers.stop();
}

#[test]
fn stop_requeues_running_job() {
    fn patient(context: &JobContext<'_>) -> Result<Value, JobError> {
        while !context.is_stopping() {
            std::thread::yield_now();
        }
        Err(JobError::Stopping)
    }
    let bench = bench();
    let workers = bench.run(handler("patient", patient));
    let id = bench.enqueue("patient", 1);
    bench.until(id, |job| job.status == "running");
    workers.stop();
    let job = bench.job(id);
    assert_eq!((job.status.as_str(), job.attempts), ("queued", 0));
}

#[test]
fn running_job_observes_cancellation() {
    fn cancellable(context: &JobContext<'_>) -> Result<Value, JobError> {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        Ok(json!({"cancelled": true}))
    }
    let bench = bench();
    let workers = bench.run(handler("cancellable", cancellable));
    let id = bench.enqueue("cancellable", 1);
    bench.until(id, |job| job.status == "running");
    while !bench.app.jobs.cancel(id) {
        std::thread::yield_now();
    }
    let job = bench.until(id, |job| job.status == "done");
    assert_eq!(job.result, Some(json!({"cancelled": true})));
    workers.stop();
}

#[test]
fn job_cancelled_while_yielding_or_postponed_does_not_resume() {
    fn polite(context: &JobContext<'_>) -> Result<Value, JobError> {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        // The job checked the flag just before it was set.
        match context.job.ref_id {
            Some(1) => Err(JobError::GiveWay),
            _ => Err(JobError::PutOff(Duration::from_hours(1))),
        }
    }
    let bench = bench();
    let workers = bench.run(handler("polite", polite));
    for n in 1..=2 {
        let id = bench.enqueue("polite", n);
        bench.until(id, |job| job.status == "running");
        while !bench.app.jobs.cancel(id) {
            std::thread::yield_now();
        }
        let job = bench.until(id, |job| job.status != "running");
        assert_eq!(job.status, "done", "{n}");
        assert_eq!(job.result, Some(json!({ "cancelled": true })));
    }
    workers.stop();
}

#[test]
fn postponed_job_keeps_its_result() {
    fn later(context: &JobContext<'_>) -> Result<Value, JobError> {
        let id = context.job.id;
        let report = json!({ "seen": 3 });
        let db = &context.app.db;
        db.write_blocking(move |tx| job::report(tx, id, &report))?;
        Err(JobError::PutOff(Duration::from_mins(2)))
    }
    let bench = bench();
    let workers = bench.run(handler("later", later));
    let id = bench.enqueue("later", 1);
    let job = bench.until(id, |job| job.run_at > job.created_at);
    assert_eq!((job.status.as_str(), job.attempts), ("queued", 0));
    assert_eq!(job.run_at, job.created_at.plus(Duration::from_mins(2)));
    assert_eq!(job.result, Some(json!({ "seen": 3 })));
    workers.stop();
}

#[test]
fn list_is_filtered_by_status_and_kind() {
    let bench = bench();
    for n in 0..3 {
        bench.enqueue("one", n);
        bench.enqueue("two", n);
    }
    let list = |status, kind: Option<&str>| {
        let filter = JobFilter {
            status,
            kind: kind.map(str::to_owned),
        };
        let window = Window {
            offset: 0,
            limit: 2,
        };
        let (jobs, total) = bench
            .app
            .db
            .read_blocking(move |conn| job::page(conn, &filter, window))
            .expect("a page");
        (jobs.len(), total)
    };
    assert_eq!(list(None, None), (2, 6));
    assert_eq!(list(None, Some("one")), (2, 3));
    assert_eq!(list(Some(job::JobStatus::Failed), None), (0, 0));
}
