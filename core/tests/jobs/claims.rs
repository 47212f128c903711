//! Claims: which job a worker takes, and which jobs never run at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};

use ledge_core::db::Db;
use ledge_core::id::JobId;
use ledge_core::jobs::{JobContext, JobError};
use ledge_core::store::job;
use serde_json::{Value, json};

use super::{bench, handler};

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
fn jobs_for_same_target_never_run_concurrently() {
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
fn long_job_yields_to_waiting_jobs_of_other_kinds() {
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
