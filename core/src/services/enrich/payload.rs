//! Payload of the enrichment jobs, and their retries.

use std::time::Duration;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StoreResult;
use crate::id::ItemId;
use crate::job_kind::ENRICH_ITEM;
use crate::store::job::{self, JobStatus, retry_delay};
use crate::time::Timestamp;

/// Payload of the enrichment jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// Answers from before this time are not valid. Without it, all answers are valid.
    pub(super) since: Option<Timestamp>,
    /// Number of the attempt for failed queries, starting at 1.
    pub(super) attempt: u32,
}

impl Default for Payload {
    fn default() -> Self {
        Self {
            since: None,
            attempt: 1,
        }
    }
}

impl Payload {
    pub(super) fn of(payload: &Value) -> Self {
        serde_json::from_value(payload.clone()).unwrap_or_default()
    }

    pub(super) fn to_value(self) -> Value {
        // Serialization of plain data cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Payload of a job for several items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ItemsPayload {
    /// The items, in the order of their processing.
    pub(super) items: Vec<ItemId>,
    /// Answers from before this time are not valid. Without it, all answers are valid.
    pub(super) since: Option<Timestamp>,
}

impl ItemsPayload {
    pub(super) fn of(payload: &Value) -> Self {
        serde_json::from_value(payload.clone()).unwrap_or_default()
    }

    pub(super) fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("plain data is JSON")
    }
}

/// Queues a retry for an item.
pub(super) fn try_item_again(
    tx: &Transaction<'_>,
    item: ItemId,
    rest: Duration,
    now: Timestamp,
) -> StoreResult<()> {
    queue_again(tx, (ENRICH_ITEM, item.0), 1, rest, now)
}

/// Queues a retry, unless a job that is queued already includes it.
pub(super) fn queue_again(
    tx: &Transaction<'_>,
    (kind, ref_id): (&str, i64),
    attempt: u32,
    rest: Duration,
    now: Timestamp,
) -> StoreResult<()> {
    let existing = job::all_unfinished(tx, kind, ref_id)?;
    if existing
        .iter()
        .any(|job| job.status == JobStatus::Queued.as_str())
    {
        // The queued job already queries everything without an answer.
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
