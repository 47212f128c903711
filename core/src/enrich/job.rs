//! The handlers of the jobs that enrich: one item, or a whole library.

use std::time::Duration;

use serde_json::{Value, json};

use super::item::{Going, Outcome};
use super::progress::Progress;
use super::request::Payload;
use super::walk::Walk;
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::jobs::{JobContext, JobError, retry_delay};
use crate::store::matches::subject;
use crate::store::{StoreResult, job};

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
    let outcome = going.go_through(item)?;
    let mut progress = Progress {
        total: 1,
        ..Progress::default()
    };
    progress.count(&outcome);
    if let Outcome::Failed(rest) = outcome {
        try_again(context, payload.attempt, rest)?;
    }
    let mut result = progress.result();
    if let Some(result) = result.as_object_mut() {
        result.insert("outcome".to_owned(), json!(outcome.as_str()));
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
    let rest = walk.rest();
    let progress = walk.end();
    if progress.failed > 0 {
        try_again(context, payload.attempt, rest)?;
    }
    Ok(progress.result())
}

/// What failed is asked again later, and nothing else: what was answered stands.
fn try_again(
    context: &JobContext<'_>,
    attempt: u32,
    rest: Option<Duration>,
) -> Result<(), JobError> {
    if attempt >= MAX_ATTEMPTS {
        return Ok(());
    }
    let (kind, ref_id) = match context.job.kind.as_str() {
        ITEM_HANDLER_KIND => (ITEM_HANDLER_KIND, context.job.ref_id),
        _ => (LIBRARY_HANDLER_KIND, context.job.ref_id),
    };
    let payload = Payload {
        since: None,
        attempt: attempt + 1,
    };
    let delay = retry_delay(i64::from(attempt)).max(rest.unwrap_or_default());
    let now = context.app.clock.now();
    let queued: StoreResult<()> = context.app.db.write_blocking(move |tx| {
        let id = job::enqueue(tx, kind, ref_id, &payload.to_value(), now)?;
        job::put_off(tx, id, now.plus(delay))
    });
    Ok(queued?)
}
