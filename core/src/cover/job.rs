//! Looking for covers as a background job: one at a time, whatever asks for it, and behind
//! everything else that wants the processor.

use std::thread;

use rusqlite::Transaction;
use serde_json::{Value, json};

use super::work::{Tally, Work};
use crate::background::stand_back;
use crate::clock::Timestamp;
use crate::jobs::{JobContext, JobError};
use crate::store::cover::due;
use crate::store::{StoreResult, job};

/// What jobs of this handler are called; they belong to no library.
pub const HANDLER_KIND: &str = "covers";

/// Has covers looked for if any item waits for one; wake the workers after the commit.
pub fn request(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<()> {
    if due::is_any_unscoped(tx)? && !job::is_queued(tx, HANDLER_KIND)? {
        job::enqueue(tx, HANDLER_KIND, None, &json!({}), now)?;
    }
    Ok(())
}

/// The handler of these jobs. Where another is at work that one looks once more before it ends.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(turn) = context.app.jobs.take_turn(HANDLER_KIND) else {
        return Ok(json!({ "left_to_another": true }));
    };
    // A priority once lowered stays so: a thread of its own keeps the worker's as it is.
    let worked = thread::scope(|scope| {
        let work = scope.spawn(|| {
            stand_back();
            let mut work = Work::new(context)?;
            let mut turn = Some(turn);
            while let Some(mine) = turn {
                work.look_through()?;
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
