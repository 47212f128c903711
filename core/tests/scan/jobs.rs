//! Tests of scan jobs: requests, status and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ledge_core::error::{StoreError, StoreResult};
use ledge_core::id::JobId;
use ledge_core::job_kind::SCAN;
use ledge_core::jobs::{self, JobHandlers, Workers};
use ledge_core::scan;
use ledge_core::store::library::scan_run::{self, ScanState, ScanStatus};

use crate::world::World;

fn request(world: &World, accept_missing: bool) -> StoreResult<JobId> {
    let (library, now) = (world.library, world.app.clock.now());
    let id = world
        .app
        .db
        .write_blocking(move |tx| scan::request(tx, library, accept_missing, now));
    world.app.jobs.wake();
    id
}

fn status(world: &World) -> ScanStatus {
    let library = world.library;
    world
        .app
        .db
        .read_blocking(move |conn| scan_run::status_unscoped(conn, library))
        .expect("a status")
}

fn workers(world: &World) -> Workers {
    let handlers = JobHandlers::default().with(SCAN, scan::run_job);
    jobs::start(&world.app, handlers, 2).expect("workers")
}

fn wait_for(world: &World, state: ScanState) -> ScanStatus {
    let start = Instant::now();
    loop {
        let status = status(world);
        if status.status == state {
            return status;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{status:?}");
        std::thread::yield_now();
    }
}

#[test]
fn scan_state_goes_from_never_to_queued_to_done() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    world.write("a/torn.sheet", "damaged");
    assert_eq!(status(&world).status, ScanState::Never);
    let job = request(&world, false).expect("a job");
    let queued = status(&world);
    assert_eq!(
        (queued.status, queued.job_id),
        (ScanState::Queued, Some(job))
    );
    let workers = workers(&world);
    let done = wait_for(&world, ScanState::Done);
    assert_eq!((done.scanned, done.total, done.added), (2, Some(2), 2));
    assert_eq!((done.job_id, done.errors_overflow), (Some(job), 0));
    assert_eq!(done.errors, ["a/torn.sheet: it is torn"]);
    assert!(done.started_at.is_some() && done.finished_at.is_some());
    workers.stop();
    assert_eq!(
        world.one(
            "SELECT status, result ->> 'added', result ->> 'errors' FROM job WHERE kind = 'scan'"
        ),
        "done|2|1"
    );
}

#[test]
fn second_request_reuses_queued_job_and_adds_acceptance() {
    let world = World::new();
    let first = request(&world, false).expect("a job");
    assert_eq!(request(&world, true).expect("the same"), first);
    assert_eq!(request(&world, false).expect("the same"), first);
    assert_eq!(
        world.one("SELECT payload FROM job WHERE kind = 'scan'"),
        r#"{"accept_missing":true}"#
    );
    world.sql("UPDATE job SET status = 'running'");
    assert_eq!(request(&world, false).expect("the same"), first);
    let refused = request(&world, true).expect_err("too late");
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused:?}");
}

#[test]
fn queued_scan_is_cancelled_before_start() {
    let world = World::new();
    request(&world, false).expect("a job");
    scan::cancel(&world.app, world.library).expect("cancelled");
    assert_eq!(
        world.one("SELECT status, result FROM job WHERE kind = 'scan'"),
        r#"done|{"cancelled":true}"#
    );
    let query = "SELECT run.status, run.is_whole, run.job_id = job.id
                  FROM scan_run AS run, job
                 WHERE job.kind = 'scan'";
    assert_eq!(world.rows(query), ["cancelled|1|1"]);
    scan::cancel(&world.app, world.library).expect("nothing to do");
    assert_eq!(world.rows(query).len(), 1);
}

#[test]
fn cancelled_running_scan_ends_its_job() {
    let world = World::new();
    // The library is large enough that the scan is still running.
    for n in 0..4_000 {
        world.write(&format!("{}/{n}.sheet", n % 50), format!("body {n}"));
    }
    let workers = workers(&world);
    request(&world, false).expect("a job");
    wait_for(&world, ScanState::Running);
    scan::cancel(&world.app, world.library).expect("cancelled");
    let ended = wait_for(&world, ScanState::Cancelled);
    workers.stop();
    assert_eq!(ended.missing, 0);
    assert_eq!(
        world.one("SELECT status, result ->> 'cancelled' FROM job WHERE kind = 'scan'"),
        "done|1"
    );
}

#[test]
fn stopped_server_leaves_scan_queued_for_next_start() {
    let world = World::new();
    for n in 0..4_000 {
        world.write(&format!("{}/{n}.sheet", n % 50), format!("body {n}"));
    }
    let first = workers(&world);
    request(&world, false).expect("a job");
    wait_for(&world, ScanState::Running);
    first.stop();
    assert_eq!(
        world.one("SELECT status FROM job WHERE kind = 'scan'"),
        "queued"
    );
    assert_eq!(status(&world).status, ScanState::Queued);
    let next = world.restarted();
    let workers = workers(&next);
    let done = wait_for(&next, ScanState::Done);
    workers.stop();
    assert_eq!(done.total, Some(4_000));
    assert_eq!(
        next.one("SELECT count(*) FROM file WHERE missing = 0"),
        "4000"
    );
}

#[test]
fn aborted_scan_reports_failure() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    let broken = Arc::new(AtomicBool::new(false));
    let tripped = broken.clone();
    world.eyes.trick("a", move |listing| {
        assert!(tripped.load(Ordering::Relaxed), "a crash in the middle");
        listing
    });
    assert!(world.try_scan().is_err());
    let status = status(&world);
    assert_eq!(status.status, ScanState::Failed);
    assert!(status.error.is_some());
    broken.store(true, Ordering::Relaxed);
    assert_eq!(world.scan().added, 1);
    assert_eq!(
        world.rows("SELECT status FROM scan_run ORDER BY id"),
        ["cancelled", "done"]
    );
}

#[test]
fn request_during_cancellation_gets_new_job() {
    let world = World::new();
    for n in 0..4_000 {
        world.write(&format!("{}/{n}.sheet", n % 50), format!("body {n}"));
    }
    let workers = workers(&world);
    let first = request(&world, false).expect("a job");
    wait_for(&world, ScanState::Running);
    scan::cancel(&world.app, world.library).expect("cancelled");
    let successor = request(&world, true).expect("a job of its own");
    assert_ne!(successor, first);
    assert_eq!(request(&world, false).expect("the same"), successor);
    let done = wait_for(&world, ScanState::Done);
    workers.stop();
    assert_eq!((done.job_id, done.total), (Some(successor), Some(4_000)));
    assert_eq!(
        world.rows("SELECT status, error FROM scan_run ORDER BY id"),
        ["cancelled|null", "done|null"]
    );
    assert_eq!(
        world.rows(
            "SELECT later.id FROM scan_run AS later JOIN scan_run AS earlier
                 ON earlier.id < later.id AND later.started_at < earlier.finished_at"
        ),
        Vec::<String>::new()
    );
}

#[test]
fn cancelled_scan_is_not_restarted_after_server_stop() {
    let world = World::new();
    world.write("a/one.sheet", "first");
    request(&world, false).expect("a job");
    world.sql("UPDATE job SET status = 'running', attempts = 1");
    scan::cancel(&world.app, world.library).expect("cancelled");
    let workers = workers(&world);
    let start = Instant::now();
    while world.one("SELECT status FROM job WHERE kind = 'scan'") != "done" {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::yield_now();
    }
    workers.stop();
    assert_eq!(
        world.one("SELECT result FROM job WHERE kind = 'scan'"),
        r#"{"cancelled":true}"#
    );
    assert_eq!(world.files().len(), 0);
}

#[test]
fn second_request_starts_scan_that_waits_for_retry() {
    let world = World::new();
    let job = request(&world, false).expect("a job");
    world.sql("UPDATE job SET run_at = '2030-01-01T00:00:00.000000Z', attempts = 2");
    assert_eq!(request(&world, false).expect("the same"), job);
    assert_eq!(
        world.one("SELECT run_at FROM job WHERE kind = 'scan'"),
        world.app.clock.now().to_string()
    );
}
