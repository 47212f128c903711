//! Handlers of the enrichment jobs: for one item, or for a whole library.

mod item;
mod walk;

use std::time::{Duration, Instant};

use rusqlite::Transaction;
use serde_json::{Value, json};

use self::item::EnrichItem;
pub(super) use self::item::Outcome;
use self::walk::Walk;
use super::payload::{ItemsPayload, Payload, queue_again, try_item_again};
use super::picture::further;
use super::progress::Progress;
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::job_kind::{ENRICH_ITEM, ENRICH_ITEMS, ENRICH_LIBRARY};
use crate::jobs::{JobContext, JobError};
use crate::store::job;
use crate::store::matches::subject;

/// Maximum number of attempts for a failed query. After that, a user must request it.
const MAX_ATTEMPTS: u32 = 6;
/// Run time after which other waiting jobs go before further items.
const TURN: Duration = Duration::from_secs(5);

/// Runs a job for one item.
pub fn run_item_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(item) = context.job.ref_id.map(ItemId) else {
        return Err(JobError::Permanent("The job names no item.".to_owned()));
    };
    let payload = Payload::of(&context.job.payload);
    let enrich_item = EnrichItem {
        app: context.app,
        since: payload.since,
        is_stopped: &|| context.is_stopping() || context.is_cancelled(),
    };
    let item_outcome = enrich_item.enrich(item)?;
    let mut progress = Progress {
        total: 1,
        ..Progress::default()
    };
    progress.count(item_outcome.outcome);
    if let Some(rest) = item_outcome.again {
        try_again(context, payload.attempt, rest)?;
    }
    let mut result = progress.result();
    if let Some(result) = result.as_object_mut() {
        result.insert("outcome".to_owned(), json!(item_outcome.outcome.as_str()));
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

/// Runs a job for several items. An item whose provider does not respond gets a job of its own.
pub fn run_items_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let payload = ItemsPayload::of(&context.job.payload);
    let (app, id) = (context.app, context.job.id);
    let stored = app.db.read_blocking(move |conn| job::get(conn, id))?;
    let result = stored.and_then(|job| job.result);
    // After an interruption, the job continues after the items that it has processed.
    let mut progress = Progress::of(result.as_ref());
    progress.total = payload.items.len() as u64;
    let seen = usize::try_from(progress.seen).unwrap_or(usize::MAX);
    let enrich_item = EnrichItem {
        app,
        since: payload.since,
        is_stopped: &|| context.is_stopping() || context.is_cancelled(),
    };
    let begun = Instant::now();
    for item in payload.items.into_iter().skip(seen) {
        if context.is_stopping() {
            return Err(JobError::Stopping);
        }
        let item_outcome = enrich_item.enrich(item)?;
        progress.count(item_outcome.outcome);
        let (result, now) = (progress.result(), app.clock.now());
        let is_other_due = app.db.bulk_blocking(move |tx| {
            if let Some(rest) = item_outcome.again {
                try_item_again(tx, item, rest, now)?;
            }
            job::report(tx, id, &result)?;
            job::is_other_due(tx, ENRICH_ITEMS, now)
        })?;
        if is_other_due && begun.elapsed() > TURN {
            return Err(JobError::GiveWay);
        }
    }
    Ok(progress.result())
}

/// Runs a job for a library.
pub fn run_library_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(library) = context.job.ref_id.map(LibraryId) else {
        return Err(JobError::Permanent("The job names no library.".to_owned()));
    };
    let payload = Payload::of(&context.job.payload);
    let mut walk = Walk::begin(context, library, payload.since)?;
    if !walk.run()? {
        let mut result = walk.end().result();
        if let Some(result) = result.as_object_mut() {
            result.insert("cancelled".to_owned(), json!(true));
        }
        return Ok(result);
    }
    further::fetch_of_library(context.app, library, &|| {
        context.is_stopping() || context.is_cancelled()
    })?;
    if let Some(rest) = walk.again() {
        try_again(context, payload.attempt, rest)?;
    }
    Ok(walk.end().result())
}

/// Queues a retry of the failed queries. Answers of other providers stay valid.
fn try_again(context: &JobContext<'_>, attempt: u32, rest: Duration) -> Result<(), JobError> {
    let Some(ref_id) = context.job.ref_id.filter(|_| attempt < MAX_ATTEMPTS) else {
        return Ok(());
    };
    let kind = match context.job.kind.as_str() {
        ENRICH_ITEM => ENRICH_ITEM,
        _ => ENRICH_LIBRARY,
    };
    let now = context.app.clock.now();
    let queue = move |tx: &Transaction<'_>| queue_again(tx, (kind, ref_id), attempt, rest, now);
    Ok(context.app.db.write_blocking(queue)?)
}
