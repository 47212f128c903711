//! Background job that searches for covers. Only one runs at a time, at a low priority.

use std::thread;

use rusqlite::Transaction;
use serde_json::{Value, json};

use super::work::{Tally, Work};
use crate::app::{Context, ScanEnd};
use crate::error::StoreResult;
use crate::job_kind::COVERS;
use crate::jobs::{JobContext, JobError};
use crate::process::lower_priority;
use crate::store::cover;

/// Queues the search for covers after a scan.
pub fn after_scan(app: &Context, tx: &Transaction<'_>, _: ScanEnd) -> StoreResult<()> {
    cover::request_job(tx, app.clock.now())
}

/// Runs the job. If another one is already running, that one makes an additional pass before it
/// ends.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(turn) = context.app.jobs.take_turn(COVERS) else {
        return Ok(json!({ "left_to_another": true }));
    };
    // A lowered thread priority cannot be raised again, so the work runs on a separate thread.
    let worked = thread::scope(|scope| {
        let work = scope.spawn(|| {
            lower_priority();
            let mut work = Work::new(context)?;
            let mut turn = Some(turn);
            while let Some(mine) = turn {
                work.process_queue()?;
                turn = mine.end();
            }
            Ok(work.end())
        });
        work.join()
    });
    match worked {
        Ok(tally) => tally.map(Tally::result),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
