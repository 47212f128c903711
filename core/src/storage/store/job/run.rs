//! Attempts of a job: claim, progress, end, retry, and recovery after a crash or a changed clock.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde_json::Value;

use super::{Claimed, list};
use crate::error::StoreResult;
use crate::id::JobId;
use crate::time::Timestamp;

/// Delay after the first failed attempt; each further failure doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(10);

const CLAIM: &str = "
    UPDATE job
       SET status = 'running', started_at = :now, attempts = attempts + 1
     WHERE id = (SELECT id FROM job
                  WHERE status = 'queued' AND run_at <= :now
                    AND kind NOT IN (SELECT value FROM json_each(:full))
                    AND NOT EXISTS (SELECT 1 FROM job AS same
                                     WHERE same.status = 'running' AND same.kind = job.kind
                                       AND same.ref_id = job.ref_id)
                  ORDER BY run_at, id LIMIT 1)
 RETURNING id, kind, ref_id, payload, attempts";

/// Claims the job that has been due longest, without the kinds in `full`. A job of the same kind
/// and object as a running one must wait. No other worker can claim the job.
pub fn claim(tx: &Transaction<'_>, full: &[&str], now: Timestamp) -> StoreResult<Option<Claimed>> {
    let mut statement = tx.prepare_cached(CLAIM)?;
    let claimed = statement
        .query_row(named_params! { ":now": now, ":full": list(full) }, |row| {
            let payload: String = row.get("payload")?;
            Ok(Claimed {
                id: row.get("id")?,
                kind: row.get("kind")?,
                ref_id: row.get("ref_id")?,
                payload: serde_json::from_str(&payload).unwrap_or(Value::Null),
                attempts: row.get("attempts")?,
            })
        })
        .optional()?;
    Ok(claimed)
}

/// Ends a job successfully.
pub fn finish(tx: &Transaction<'_>, id: JobId, result: &Value, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'done', result = :result, error = NULL, finished_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":result": result.to_string(), ":now": now },
    )?;
    Ok(())
}

/// Writes the progress of a running job.
pub fn report(tx: &Transaction<'_>, id: JobId, result: &Value) -> StoreResult<()> {
    tx.prepare_cached("UPDATE job SET result = :result WHERE id = :id AND status = 'running'")?
        .execute(named_params! { ":id": id, ":result": result.to_string() })?;
    Ok(())
}

/// Clears the result of a queued job, so that it starts from its beginning.
pub fn clear_result(tx: &Transaction<'_>, id: JobId) -> StoreResult<()> {
    tx.execute(
        "UPDATE job SET result = NULL WHERE id = :id AND status = 'queued'",
        named_params! { ":id": id },
    )?;
    Ok(())
}

/// Makes a queued job that waits for another attempt due at once.
pub fn make_due(tx: &Transaction<'_>, id: JobId, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET run_at = :now, scheduled_at = :now
          WHERE id = :id AND status = 'queued' AND run_at > :now",
        named_params! { ":id": id, ":now": now },
    )?;
    Ok(())
}

/// Ends a job with an error, without further attempts.
pub fn fail(tx: &Transaction<'_>, id: JobId, error: &str, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'failed', error = :error, finished_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":error": error, ":now": now },
    )?;
    Ok(())
}

/// Queues a job again after a failed attempt, due after `delay`.
pub fn retry_later(
    tx: &Transaction<'_>,
    id: JobId,
    error: &str,
    now: Timestamp,
    delay: Duration,
) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'queued', error = :error, run_at = :run_at, scheduled_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":error": error, ":now": now, ":run_at": now.plus(delay) },
    )?;
    Ok(())
}

/// Queues a job again that its worker could not continue, due after `delay`. The attempt does not
/// count.
pub fn put_back(
    tx: &Transaction<'_>,
    id: JobId,
    now: Timestamp,
    delay: Duration,
) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'queued', attempts = max(attempts - 1, 0), run_at = :run_at,
                scheduled_at = :now, started_at = NULL
          WHERE id = :id AND status = 'running'",
        named_params! { ":id": id, ":now": now, ":run_at": now.plus(delay) },
    )?;
    Ok(())
}

/// Ends a running job that was cancelled; its reported progress stays.
pub fn cancel_running(tx: &Transaction<'_>, id: JobId, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'done', error = NULL, finished_at = :now,
                result = json_set(ifnull(result, '{}'), '$.cancelled', json('true'))
          WHERE id = :id AND status = 'running'",
        named_params! { ":id": id, ":now": now },
    )?;
    Ok(())
}

/// Requeues the jobs of a previous process that was interrupted, and returns their number. A job
/// with `max_attempts` attempts fails instead, because it may have ended the process.
pub fn recover_stale(
    tx: &Transaction<'_>,
    max_attempts: i64,
    now: Timestamp,
) -> StoreResult<usize> {
    tx.execute(
        "UPDATE job
            SET status = 'failed', error = 'The server ended repeatedly while this job ran.',
                finished_at = :now
          WHERE status = 'running' AND attempts >= :max",
        named_params! { ":now": now, ":max": max_attempts },
    )?;
    let recovered = tx.execute(
        "UPDATE job
            SET status = 'queued', run_at = :now, scheduled_at = :now, started_at = NULL
          WHERE status = 'running'",
        named_params! { ":now": now },
    )?;
    Ok(recovered)
}

/// Tolerated difference between a job's time and the current time, for overtaking requests and
/// small clock corrections.
const SLACK: Duration = Duration::from_mins(1);
/// Longest delay of a job. Providers request at most a week.
const LONGEST_WAIT: Duration = Duration::from_hours(8 * 24);

/// Makes jobs due that were scheduled before the clock was set back; otherwise they would wait for
/// the old time. Returns their number.
pub fn reschedule_after_clock_change(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<usize> {
    let hastened = tx.execute(
        "UPDATE job
            SET run_at = :now, scheduled_at = :now
          WHERE status = 'queued' AND run_at > :now
            AND (ifnull(scheduled_at, created_at) > :soon OR run_at > :far)",
        named_params! {
            ":now": now,
            ":soon": now.plus(SLACK),
            ":far": now.plus(LONGEST_WAIT),
        },
    )?;
    Ok(hastened)
}

/// Returns `true` if a job waits that was scheduled before the clock was set back. No job is due
/// before the time at which it was scheduled.
pub fn waits_for_earlier_clock(connection: &Connection, now: Timestamp) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1
           FROM job INDEXED BY job_queued
          WHERE status = 'queued' AND run_at > :soon
            AND (ifnull(scheduled_at, created_at) > :soon OR run_at > :far)",
    )?;
    Ok(statement.exists(named_params! {
        ":soon": now.plus(SLACK),
        ":far": now.plus(LONGEST_WAIT),
    })?)
}

/// Returns the delay before the next attempt after `attempts` failures.
pub fn retry_delay(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 16) - 1).unwrap_or(0);
    FIRST_DELAY * 2u32.pow(doublings)
}
