//! The queue and its workers.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a handler answers a result, whatever it does"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ledge_core::clock::{Clock, ManualClock, Timestamp};
use ledge_core::db::Db;
use ledge_core::enrich::Providers;
use ledge_core::events::Events;
use ledge_core::http::page::Window;
use ledge_core::id::{JobId, LibraryId};
use ledge_core::jobs::{self, Handler, JobContext, JobError, JobHandlers, JobQueue};
use ledge_core::registry::{PlaybackEngine, Registry};
use ledge_core::scan;
use ledge_core::store::StoreError;
use ledge_core::store::job::{self, Job, JobFilter};
use ledge_core::watch::Watches;
use ledge_core::{App, Context, Settings};
use serde_json::{Value, json};

static ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// When every test begins.
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
        settings: Arc::new(Settings {
            ffprobe: None,
            read_time_limit: Duration::from_secs(1),
            data: folder.path().to_owned(),
            enrich_after_scans: false,
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

    /// Puts a queued job off for an hour, by a clock that says `now`.
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

    /// Waits for a condition that the workers bring about.
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

const DAY: Duration = Duration::from_hours(24);
const YEAR: Duration = Duration::from_hours(365 * 24);

fn done(_: &JobContext<'_>) -> Result<Value, JobError> {
    Ok(Value::Null)
}

#[test]
fn a_job_queued_by_a_clock_that_was_set_back_does_not_wait_for_that_time() {
    let bench = bench();
    // Before the start, and while the workers run.
    let early = bench.enqueue("note", 1);
    bench.hand.set_back(YEAR);
    let workers = bench.run(handler("note", done));
    bench.until(early, |job| job.status == "done");
    bench.hand.advance(YEAR);
    let late = bench
        .app
        .db
        .write_blocking({
            let now = bench.app.clock.now();
            move |tx| {
                let delay = Duration::from_secs(10);
                job::enqueue_later(tx, ("note", Some(2)), &json!({}), now, delay)
            }
        })
        .expect("a job");
    // Whoever is due is done; it waits as long as that is the time.
    let other = bench.enqueue("note", 3);
    bench.until(other, |job| job.status == "done");
    assert_eq!(bench.job(late).status, "queued");
    bench.hand.set_back(YEAR);
    bench.app.jobs.wake();
    bench.until(late, |job| job.status == "done");
    workers.stop();
}

#[test]
fn a_job_put_off_by_a_clock_that_was_ahead_does_not_wait_for_that_time() {
    /// The clock goes ahead while it works; then it puts itself off, by one of two ways.
    fn later(context: &JobContext<'_>) -> Result<Value, JobError> {
        static IS_BEGUN: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
        let which = usize::try_from(context.job.ref_id.expect("an id")).expect("small");
        if which == 0 || IS_BEGUN[which].swap(true, Ordering::SeqCst) {
            return Ok(Value::Null);
        }
        while context.app.clock.now() <= begin() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        match which {
            1 => Err(JobError::Retry(std::io::Error::other("not today").into())),
            _ => Err(JobError::PutOff(Duration::from_mins(2))),
        }
    }
    let bench = bench();
    // Before the start: one of the last process, whose clock was a day ahead.
    let old = bench.enqueue("later", 0);
    bench.put_off(old, bench.app.clock.now().plus(DAY));
    let workers = bench.run(handler("later", later));
    bench.until(old, |job| job.status == "done");
    // While they work: these were queued when the clock was right.
    let jobs = [1, 2].map(|n| bench.enqueue("later", n));
    bench.hand.advance(DAY);
    for id in jobs {
        bench.until(id, |job| {
            job.status == "queued" && job.run_at > job.created_at
        });
    }
    bench.hand.set_back(DAY);
    bench.app.jobs.wake();
    for id in jobs {
        bench.until(id, |job| job.status == "done");
    }
    workers.stop();
}

#[test]
fn a_job_queued_while_the_clock_was_ahead_and_no_worker_looked_does_not_wait() {
    static IS_RIGHT: AtomicBool = AtomicBool::new(false);
    fn long(context: &JobContext<'_>) -> Result<Value, JobError> {
        while context.job.ref_id == Some(1) && !IS_RIGHT.load(Ordering::SeqCst) {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        Ok(Value::Null)
    }
    let bench = bench();
    let workers = jobs::start(&bench.app, handler("long", long), 1).expect("a worker");
    let busy = bench.enqueue("long", 1);
    bench.until(busy, |job| job.status == "running");
    bench.hand.advance(DAY);
    let late = bench.enqueue("long", 2);
    bench.hand.set_back(DAY);
    IS_RIGHT.store(true, Ordering::SeqCst);
    bench.until(late, |job| job.status == "done");
    workers.stop();
}

#[test]
fn a_scan_asked_for_while_the_clock_was_ahead_begins_once_it_is_right() {
    const AHEAD: Duration = Duration::from_mins(30);
    let bench = bench();
    let id = bench.enqueue(scan::HANDLER_KIND, 1);
    // It waits for another attempt, by the clock that is right.
    bench.put_off(id, bench.app.clock.now());
    bench.hand.advance(AHEAD);
    let now = bench.app.clock.now();
    let ask = move |tx: &rusqlite::Transaction<'_>| scan::request(tx, LibraryId(1), false, now);
    assert_eq!(bench.app.db.write_blocking(ask).expect("the same"), id);
    bench.hand.set_back(AHEAD);
    let workers = bench.run(handler(scan::HANDLER_KIND, done));
    bench.until(id, |job| job.status == "done");
    workers.stop();
}

#[test]
fn what_is_put_off_by_the_clock_that_is_waits_also_after_a_new_start() {
    let bench = bench();
    let id = bench.enqueue("note", 1);
    bench.put_off(id, bench.app.clock.now());
    let workers = bench.run(handler("note", done));
    // Whoever is due is done, so that the queue was looked at.
    let other = bench.enqueue("note", 2);
    bench.until(other, |job| job.status == "done");
    assert_eq!(bench.job(id).status, "queued");
    workers.stop();
}

#[test]
fn each_job_runs_exactly_once_with_four_workers() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    fn count(_: &JobContext<'_>) -> Result<Value, JobError> {
        RUNS.fetch_add(1, Ordering::SeqCst);
        Ok(json!({"counted": true}))
    }
    let bench = bench();
    let ids: Vec<JobId> = (0..200).map(|n| bench.enqueue("count", n)).collect();
    let workers = bench.run(handler("count", count));
    for id in &ids {
        let job = bench.until(*id, |job| job.status == "done");
        assert_eq!(
            (job.attempts, job.result),
            (1, Some(json!({"counted": true})))
        );
        assert!(job.started_at.is_some() && job.finished_at.is_some());
    }
    workers.stop();
    assert_eq!(RUNS.load(Ordering::SeqCst), 200);
}

#[test]
fn a_panic_fails_its_job_and_nothing_else() {
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
fn whoever_sees_a_job_running_can_cancel_it() {
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
        // Without a pause, so that it is seen at the first moment it can be.
        while bench.job(id).status == "queued" {}
        assert!(bench.app.jobs.cancel(id), "the {n}th has no flag yet");
        let done = bench.until(id, |job| job.status == "done");
        assert_eq!(done.result, Some(json!({"cancelled": true})));
    }
    workers.stop();
}

#[test]
fn a_failed_job_is_not_tried_again_beside_another_for_the_same_thing() {
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
fn an_unknown_kind_fails_for_good() {
    let bench = bench();
    let workers = bench.run(JobHandlers::default());
    let job = bench.until(bench.enqueue("nobody", 1), |job| job.status == "failed");
    assert_eq!(job.attempts, 1);
    assert!(job.error.expect("a reason").contains("`nobody`"));
    workers.stop();
}

#[test]
fn an_error_is_tried_again_later_and_later_up_to_a_limit() {
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
fn what_a_dead_process_left_running_is_queued_again_at_start() {
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
fn stopping_puts_back_what_runs() {
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
fn a_running_job_learns_that_it_is_cancelled() {
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
fn what_is_cancelled_while_it_gives_way_or_is_put_off_does_not_go_on() {
    fn polite(context: &JobContext<'_>) -> Result<Value, JobError> {
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        // Whoever looked a moment before the flag was raised.
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
fn what_is_put_off_keeps_its_result_and_waits() {
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
fn the_same_work_is_never_done_by_two_jobs_at_once() {
    static AT_ONCE: AtomicUsize = AtomicUsize::new(0);
    fn alone(_: &JobContext<'_>) -> Result<Value, JobError> {
        let others = AT_ONCE.fetch_add(1, Ordering::SeqCst);
        std::thread::yield_now();
        AT_ONCE.fetch_sub(1, Ordering::SeqCst);
        Ok(json!(others))
    }
    let bench = bench();
    let ids: Vec<JobId> = (0..50).map(|_| bench.enqueue("alone", 7)).collect();
    let workers = bench.run(handler("alone", alone));
    for id in ids {
        let job = bench.until(id, |job| job.status == "done");
        assert_eq!(job.result, Some(json!(0)));
    }
    workers.stop();

    let (first, second) = (bench.enqueue("other", 1), bench.enqueue("other", 1));
    let free = bench.enqueue("other", 2);
    let now = bench.app.clock.now();
    let claim = || {
        let claimed = bench
            .app
            .db
            .write_blocking(move |tx| job::claim(tx, &[], now));
        claimed.expect("a claim").map(|job| job.id)
    };
    assert_eq!((claim(), claim(), claim()), (Some(first), Some(free), None));
    let due = bench.app.db.read_blocking(|conn| job::next_due(conn, &[]));
    assert_eq!(
        due.expect("a read"),
        None,
        "nobody looks for what cannot begin"
    );
    bench
        .app
        .db
        .write_blocking(move |tx| job::finish(tx, first, &json!({}), now))
        .expect("a write");
    assert_eq!(claim(), Some(second));
}

#[test]
fn long_work_gives_way_to_every_other_kind_that_could_begin() {
    let bench = bench();
    bench.enqueue("long", 1);
    let now = bench.app.clock.now();
    let is_other_due = || {
        let read = move |conn: &rusqlite::Connection| job::is_other_due(conn, "long", now);
        bench.app.db.read_blocking(read).expect("a read")
    };
    let claim = || {
        let claimed = bench
            .app
            .db
            .write_blocking(move |tx| job::claim(tx, &[], now));
        claimed.expect("a claim").expect("a job").kind
    };
    assert_eq!(claim(), "long");
    bench.enqueue("long", 2);
    assert!(!is_other_due(), "its own kind waits");
    bench.enqueue("short", 1);
    assert!(is_other_due());
    assert_eq!((claim(), claim()), ("long".to_owned(), "short".to_owned()));
    bench.enqueue("short", 1);
    assert!(!is_other_due(), "it waits for the one that runs");
}

#[test]
fn two_processes_never_claim_the_same_job() {
    let bench = bench();
    let id = bench.enqueue("any", 1);
    let other = Db::open(&bench.folder.path().join("ledge.db")).expect("a second handle");
    let now = bench.app.clock.now();
    let claims: Vec<bool> = [&bench.app.db, &other]
        .into_iter()
        .map(|db| {
            db.write_blocking(move |tx| job::claim(tx, &[], now))
                .expect("a claim")
                .is_some()
        })
        .collect();
    assert_eq!(claims, [true, false]);
    assert_eq!(bench.job(id).attempts, 1);
}

#[test]
fn a_list_is_narrowed_by_status_and_kind() {
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
