//! The handlers of the jobs that enrich: one item, or a whole library.

use std::time::Duration;

use rusqlite::Transaction;
use serde_json::{Value, json};

use super::item::Going;
use super::progress::Progress;
use super::request::Payload;
use super::walk::Walk;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::jobs::{JobContext, JobError, retry_delay};
use crate::store::StoreResult;
use crate::store::job::{self, JobStatus};
use crate::store::matches::subject;

/// What jobs about a library are called; their `ref_id` is its id.
pub const LIBRARY_HANDLER_KIND: &str = "enrich";
/// What jobs about an item are called; their `ref_id` is its id.
pub const ITEM_HANDLER_KIND: &str = "enrich_item";

/// How often what failed is tried before it waits to be asked for.
const MAX_ATTEMPTS: u32 = 6;

/// The handler of jobs about one item.
pub fn run_item_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(item) = context.job.ref_id.map(ItemId) else {
        return Err(JobError::Permanent("The job names no item.".to_owned()));
    };
    let payload = Payload::of(&context.job.payload);
    let going = Going {
        app: context.app,
        since: payload.since,
        is_stopped: &|| context.is_stopping() || context.is_cancelled(),
    };
    let went = going.go_through(item)?;
    let mut progress = Progress {
        total: 1,
        ..Progress::default()
    };
    progress.count(went.outcome);
    if let Some(rest) = went.again {
        try_again(context, payload.attempt, rest)?;
    }
    let mut result = progress.result();
    if let Some(result) = result.as_object_mut() {
        result.insert("outcome".to_owned(), json!(went.outcome.as_str()));
    }
    let library = context
        .app
        .db
        .read_blocking(move |conn| subject::library_unscoped(conn, item))?;
    if let Some(library) = library {
        context.app.events.publish(Event::Enrichment(library));
    }
    Ok(result)
}

/// The handler of jobs about a library.
pub fn run_library_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(library) = context.job.ref_id.map(LibraryId) else {
        return Err(JobError::Permanent("The job names no library.".to_owned()));
    };
    let payload = Payload::of(&context.job.payload);
    let mut walk = Walk::begin(context, library, payload.since)?;
    if !walk.go()? {
        let mut result = walk.end().result();
        if let Some(result) = result.as_object_mut() {
            result.insert("cancelled".to_owned(), json!(true));
        }
        return Ok(result);
    }
    if let Some(rest) = walk.again() {
        try_again(context, payload.attempt, rest)?;
    }
    Ok(walk.end().result())
}

/// What failed is asked again later, and nothing else: what was answered stands.
fn try_again(context: &JobContext<'_>, attempt: u32, rest: Duration) -> Result<(), JobError> {
    let Some(ref_id) = context.job.ref_id.filter(|_| attempt < MAX_ATTEMPTS) else {
        return Ok(());
    };
    let kind = match context.job.kind.as_str() {
        ITEM_HANDLER_KIND => ITEM_HANDLER_KIND,
        _ => LIBRARY_HANDLER_KIND,
    };
    let now = context.app.clock.now();
    let queue = move |tx: &Transaction<'_>| queue_again(tx, (kind, ref_id), attempt, rest, now);
    Ok(context.app.db.write_blocking(queue)?)
}

/// Has an item asked about again whose chosen match lacks its cover.
pub(super) fn try_item_again(
    tx: &Transaction<'_>,
    item: ItemId,
    rest: Duration,
    now: Timestamp,
) -> StoreResult<()> {
    queue_again(tx, (ITEM_HANDLER_KIND, item.0), 1, rest, now)
}

fn queue_again(
    tx: &Transaction<'_>,
    (kind, ref_id): (&str, i64),
    attempt: u32,
    rest: Duration,
    now: Timestamp,
) -> StoreResult<()> {
    let known = job::all_unfinished(tx, kind, ref_id)?;
    if known
        .iter()
        .any(|job| job.status == JobStatus::Queued.as_str())
    {
        // That one asks for whatever is not answered.
        return Ok(());
    }
    let payload = Payload {
        since: None,
        attempt: attempt + 1,
    };
    let delay = retry_delay(i64::from(attempt)).max(rest);
    job::enqueue_later(tx, (kind, Some(ref_id)), &payload.to_value(), now, delay)?;
    Ok(())
}
