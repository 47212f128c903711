//! Corrections of the system clock: jobs that a fast clock queued or postponed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ledge_core::id::LibraryId;
use ledge_core::jobs::{JobContext, JobError};
use ledge_core::store::job;
use ledge_core::{job_kind, jobs, scan};
use serde_json::{Value, json};

use super::{begin, bench, done, handler};

const DAY: Duration = Duration::from_hours(24);

const YEAR: Duration = Duration::from_hours(365 * 24);

#[test]
fn job_queued_before_clock_is_set_back_runs_at_once() {
    let bench = bench();
    // The clock is set back before the start, and while the workers run.
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
    // A due job runs. The postponed one waits until its time.
    let other = bench.enqueue("note", 3);
    bench.until(other, |job| job.status == "done");
    assert_eq!(bench.job(late).status, "queued");
    bench.hand.set_back(YEAR);
    bench.app.jobs.wake();
    bench.until(late, |job| job.status == "done");
    workers.stop();
}

#[test]
fn job_postponed_by_fast_clock_runs_after_correction() {
    /// The clock jumps ahead while the job runs. The job then postpones itself in one of two ways.
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
    // A job from the previous process, whose clock was a day ahead.
    let old = bench.enqueue("later", 0);
    bench.put_off(old, bench.app.clock.now().plus(DAY));
    let workers = bench.run(handler("later", later));
    bench.until(old, |job| job.status == "done");
    // These jobs were queued while the clock was right, and run during the jump.
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
fn job_queued_by_fast_clock_while_workers_are_busy_runs_after_correction() {
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
fn scan_requested_by_fast_clock_starts_after_correction() {
    const AHEAD: Duration = Duration::from_mins(30);
    let bench = bench();
    let id = bench.enqueue(job_kind::SCAN, 1);
    // The job waits for a retry, according to the right clock.
    bench.put_off(id, bench.app.clock.now());
    bench.hand.advance(AHEAD);
    let now = bench.app.clock.now();
    let ask = move |tx: &rusqlite::Transaction<'_>| scan::request(tx, LibraryId(1), false, now);
    assert_eq!(bench.app.db.write_blocking(ask).expect("the same"), id);
    bench.hand.set_back(AHEAD);
    let workers = bench.run(handler(job_kind::SCAN, done));
    bench.until(id, |job| job.status == "done");
    workers.stop();
}

#[test]
fn postponed_job_waits_across_restart() {
    let bench = bench();
    let id = bench.enqueue("note", 1);
    bench.put_off(id, bench.app.clock.now());
    let workers = bench.run(handler("note", done));
    // A due job runs, which shows that the queue was read.
    let other = bench.enqueue("note", 2);
    bench.until(other, |job| job.status == "done");
    assert_eq!(bench.job(id).status, "queued");
    workers.stop();
}
