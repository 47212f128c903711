//! Jobs: the rows behind the queue.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::clock::Timestamp;
use crate::http::page::Window;
use crate::id::JobId;
use crate::store::{StoreError, StoreResult};

/// A job as the API shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// Id of what it works on.
    pub ref_id: Option<i64>,
    /// `queued`, `running`, `done` or `failed`.
    #[schema(value_type = JobStatus)]
    pub status: String,
    /// How often it was begun.
    pub attempts: i64,
    /// What the handler reported.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// Not begun before.
    pub run_at: Timestamp,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When the last attempt began.
    pub started_at: Option<Timestamp>,
    /// When it ended for good.
    pub finished_at: Option<Timestamp>,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// Ended well.
    Done,
    /// Ended badly, for good.
    Failed,
}

impl JobStatus {
    /// The status behind a word of the database.
    pub(crate) fn of(word: &str) -> Self {
        let all = [Self::Queued, Self::Running, Self::Done];
        let found = all.into_iter().find(|status| status.as_str() == word);
        found.unwrap_or(Self::Failed)
    }

    /// The word in the database and the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// A job that a worker has claimed.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// Its id.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// Id of what it works on.
    pub ref_id: Option<i64>,
    /// What the handler needs to know.
    pub payload: Value,
    /// How often it was begun, this time included.
    pub attempts: i64,
}

const COLUMNS: &str = "id, kind, ref_id, status, attempts, result, error, run_at, created_at,
    started_at, finished_at";

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let result: Option<String> = row.get("result")?;
    Ok(Job {
        id: row.get("id")?,
        kind: row.get("kind")?,
        ref_id: row.get("ref_id")?,
        status: row.get("status")?,
        attempts: row.get("attempts")?,
        result: result.and_then(|text| serde_json::from_str(&text).ok()),
        error: row.get("error")?,
        run_at: row.get("run_at")?,
        created_at: row.get("created_at")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
    })
}

/// Queues a job, due at once.
pub fn enqueue(
    tx: &Transaction<'_>,
    kind: &str,
    ref_id: Option<i64>,
    payload: &Value,
    now: Timestamp,
) -> StoreResult<JobId> {
    enqueue_later(tx, (kind, ref_id), payload, now, Duration::ZERO)
}

/// Queues a job of a kind for an object, due after so long.
pub fn enqueue_later(
    tx: &Transaction<'_>,
    (kind, ref_id): (&str, Option<i64>),
    payload: &Value,
    now: Timestamp,
    delay: Duration,
) -> StoreResult<JobId> {
    tx.prepare_cached(
        "INSERT INTO job (kind, ref_id, payload, status, run_at, created_at)
         VALUES (:kind, :ref_id, :payload, 'queued', :run_at, :now)",
    )?
    .execute(named_params! {
        ":kind": kind,
        ":ref_id": ref_id,
        ":payload": payload.to_string(),
        ":run_at": now.plus(delay),
        ":now": now,
    })?;
    Ok(JobId(tx.last_insert_rowid()))
}

/// The newest job of this kind for this object that has not ended.
pub fn unfinished(connection: &Connection, kind: &str, ref_id: i64) -> StoreResult<Option<Job>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM job
          WHERE kind = :kind AND ref_id = :ref_id AND status IN ('queued', 'running')
          ORDER BY id DESC
          LIMIT 1"
    ))?;
    Ok(statement
        .query_row(named_params! { ":kind": kind, ":ref_id": ref_id }, job)
        .optional()?)
}

/// Every job of this kind for this object that has not ended, the oldest first.
pub fn all_unfinished(connection: &Connection, kind: &str, ref_id: i64) -> StoreResult<Vec<Job>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM job
          WHERE kind = :kind AND ref_id = :ref_id AND status IN ('queued', 'running')
          ORDER BY id"
    ))?;
    let rows = statement.query_map(named_params! { ":kind": kind, ":ref_id": ref_id }, job)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a job of this kind waits for a worker.
pub fn is_queued(connection: &Connection, kind: &str) -> StoreResult<bool> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM job WHERE status = 'queued' AND kind = :kind")?;
    Ok(statement.exists(named_params! { ":kind": kind })?)
}

/// The newest jobs of this kind for this object.
pub fn newest(
    connection: &Connection,
    kind: &str,
    ref_id: i64,
    count: usize,
) -> StoreResult<Vec<Job>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM job
          WHERE kind = :kind AND ref_id = :ref_id
          ORDER BY id DESC
          LIMIT :count"
    ))?;
    let parameters = named_params! { ":kind": kind, ":ref_id": ref_id, ":count": count };
    let rows = statement.query_map(parameters, job)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Kinds of jobs as a query takes them.
fn list(kinds: &[&str]) -> String {
    serde_json::json!(kinds).to_string()
}

/// Whether a job of another kind than this is due, and could begin.
pub fn is_other_due(connection: &Connection, kind: &str, now: Timestamp) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1
           FROM job
          WHERE status = 'queued' AND run_at <= :now AND kind <> :kind
            AND NOT EXISTS (SELECT 1 FROM job AS same
                             WHERE same.status = 'running' AND same.kind = job.kind
                               AND same.ref_id = job.ref_id)",
    )?;
    Ok(statement.exists(named_params! { ":now": now, ":kind": kind })?)
}

/// When the next queued job is due, if there is one but of the kinds that are `full`, and that
/// waits for no other one of the same work.
pub fn next_due(connection: &Connection, full: &[&str]) -> StoreResult<Option<Timestamp>> {
    let mut statement = connection.prepare_cached(
        "SELECT min(run_at)
           FROM job
          WHERE status = 'queued' AND kind NOT IN (SELECT value FROM json_each(:full))
            AND NOT EXISTS (SELECT 1 FROM job AS same
                             WHERE same.status = 'running' AND same.kind = job.kind
                               AND same.ref_id = job.ref_id)",
    )?;
    Ok(statement.query_row(named_params! { ":full": list(full) }, |row| row.get(0))?)
}

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

/// Takes the job that has been due longest and is of none of the kinds that are `full`; no other
/// worker can get it. What another job does already, the same kind about the same object, waits for
/// its end.
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

/// Ends a job well.
pub fn finish(tx: &Transaction<'_>, id: JobId, result: &Value, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'done', result = :result, error = NULL, finished_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":result": result.to_string(), ":now": now },
    )?;
    Ok(())
}

/// Keeps how far a running job has come.
pub fn report(tx: &Transaction<'_>, id: JobId, result: &Value) -> StoreResult<()> {
    tx.prepare_cached("UPDATE job SET result = :result WHERE id = :id AND status = 'running'")?
        .execute(named_params! { ":id": id, ":result": result.to_string() })?;
    Ok(())
}

/// Has a queued job begin anew.
pub fn clear_result(tx: &Transaction<'_>, id: JobId) -> StoreResult<()> {
    tx.execute(
        "UPDATE job SET result = NULL WHERE id = :id AND status = 'queued'",
        named_params! { ":id": id },
    )?;
    Ok(())
}

/// A queued job that waits for another attempt is due at once.
pub fn make_due(tx: &Transaction<'_>, id: JobId, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET run_at = :now, set_at = :now
          WHERE id = :id AND status = 'queued' AND run_at > :now",
        named_params! { ":id": id, ":now": now },
    )?;
    Ok(())
}

/// Ends a job badly, for good.
pub fn fail(tx: &Transaction<'_>, id: JobId, error: &str, now: Timestamp) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'failed', error = :error, finished_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":error": error, ":now": now },
    )?;
    Ok(())
}

/// Puts a job off after a failed attempt.
pub fn retry_later(
    tx: &Transaction<'_>,
    id: JobId,
    error: &str,
    now: Timestamp,
    delay: Duration,
) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'queued', error = :error, run_at = :run_at, set_at = :now
          WHERE id = :id",
        named_params! { ":id": id, ":error": error, ":now": now, ":run_at": now.plus(delay) },
    )?;
    Ok(())
}

/// Puts back a job that its worker could not go on with, for so long; the attempt does not count.
pub fn put_back(
    tx: &Transaction<'_>,
    id: JobId,
    now: Timestamp,
    delay: Duration,
) -> StoreResult<()> {
    tx.execute(
        "UPDATE job
            SET status = 'queued', attempts = max(attempts - 1, 0), run_at = :run_at,
                set_at = :now, started_at = NULL
          WHERE id = :id AND status = 'running'",
        named_params! { ":id": id, ":now": now, ":run_at": now.plus(delay) },
    )?;
    Ok(())
}

/// Ends a running job that somebody stopped; what it had reported stays.
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

/// Queues again what a dead process left running; how many those were. What was begun too often
/// fails for good: it may be what ends the process.
pub fn recover_stale(
    tx: &Transaction<'_>,
    max_attempts: i64,
    now: Timestamp,
) -> StoreResult<usize> {
    tx.execute(
        "UPDATE job
            SET status = 'failed', error = 'The server ended while it ran, again and again.',
                finished_at = :now
          WHERE status = 'running' AND attempts >= :max",
        named_params! { ":now": now, ":max": max_attempts },
    )?;
    let recovered = tx.execute(
        "UPDATE job
            SET status = 'queued', run_at = :now, set_at = :now, started_at = NULL
          WHERE status = 'running'",
        named_params! { ":now": now },
    )?;
    Ok(recovered)
}

/// How far ahead of now a job's time may have been set: requests overtake each other, and clocks are
/// put right by little steps.
const SLACK: Duration = Duration::from_mins(1);
/// Nothing is put off for longer: providers ask for a week at most.
const LONGEST_WAIT: Duration = Duration::from_hours(8 * 24);

/// Makes due what was queued or put off by a clock that has been set back since: it would wait until
/// that time has come. How many jobs those were.
pub fn forget_times_to_come(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<usize> {
    let hastened = tx.execute(
        "UPDATE job
            SET run_at = :now, set_at = :now
          WHERE status = 'queued' AND run_at > :now
            AND (ifnull(set_at, created_at) > :soon OR run_at > :far)",
        named_params! {
            ":now": now,
            ":soon": now.plus(SLACK),
            ":far": now.plus(LONGEST_WAIT),
        },
    )?;
    Ok(hastened)
}

/// Whether anything waits that was queued or put off by a clock that has been set back since. No job
/// is due before it was set.
pub fn waits_for_times_to_come(connection: &Connection, now: Timestamp) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1
           FROM job INDEXED BY job_queued
          WHERE status = 'queued' AND run_at > :soon
            AND (ifnull(set_at, created_at) > :soon OR run_at > :far)",
    )?;
    Ok(statement.exists(named_params! {
        ":soon": now.plus(SLACK),
        ":far": now.plus(LONGEST_WAIT),
    })?)
}

/// Ends a queued job before it began; `false` if it is not queued any more.
pub fn cancel_queued(
    tx: &Transaction<'_>,
    id: JobId,
    result: &Value,
    now: Timestamp,
) -> StoreResult<bool> {
    let changed = tx.execute(
        "UPDATE job
            SET status = 'done', result = :result, finished_at = :now
          WHERE id = :id AND status = 'queued'",
        named_params! { ":id": id, ":result": result.to_string(), ":now": now },
    )?;
    Ok(changed > 0)
}

/// Replaces what a queued job's handler needs to know; `false` if it is not queued any more.
pub fn set_payload(tx: &Transaction<'_>, id: JobId, payload: &Value) -> StoreResult<bool> {
    let changed = tx.execute(
        "UPDATE job SET payload = :payload WHERE id = :id AND status = 'queued'",
        named_params! { ":id": id, ":payload": payload.to_string() },
    )?;
    Ok(changed > 0)
}

/// What a job's handler needs to know.
pub fn payload(connection: &Connection, id: JobId) -> StoreResult<Option<Value>> {
    let mut statement = connection.prepare_cached("SELECT payload FROM job WHERE id = :id")?;
    let payload: Option<String> = statement
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    Ok(payload.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Which jobs to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only those that stand so.
    pub status: Option<JobStatus>,
    /// Only those of this handler.
    pub kind: Option<String>,
}

/// Jobs, newest first, and how many there are.
pub fn page(
    connection: &Connection,
    filter: &JobFilter,
    window: Window,
) -> StoreResult<(Vec<Job>, u64)> {
    let status = filter.status.map(JobStatus::as_str);
    let total = connection
        .prepare_cached(
            "SELECT count(*)
               FROM job
              WHERE (:status IS NULL OR status = :status) AND (:kind IS NULL OR kind = :kind)",
        )?
        .query_row(
            named_params! { ":status": status, ":kind": filter.kind },
            |row| row.get(0),
        )?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM job
          WHERE (:status IS NULL OR status = :status) AND (:kind IS NULL OR kind = :kind)
          ORDER BY id DESC
          LIMIT :limit OFFSET :offset"
    ))?;
    let rows = statement.query_map(
        named_params! {
            ":status": status,
            ":kind": filter.kind,
            ":limit": window.limit,
            ":offset": window.offset,
        },
        job,
    )?;
    Ok((rows.collect::<Result<_, _>>()?, total))
}

/// One job.
pub fn get(connection: &Connection, id: JobId) -> StoreResult<Option<Job>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM job WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, job)
        .optional()?)
}

/// Queues a failed job anew; `None` if there is no such job, `false` if it has not failed. Refused
/// while another job does the same: the two would work side by side.
pub fn retry(tx: &Transaction<'_>, id: JobId, now: Timestamp) -> StoreResult<Option<bool>> {
    let Some(job) = get(tx, id)? else {
        return Ok(None);
    };
    if job.status != JobStatus::Failed.as_str() {
        return Ok(Some(false));
    }
    if let Some(ref_id) = job.ref_id
        && unfinished(tx, &job.kind, ref_id)?.is_some()
    {
        return Err(StoreError::Conflict(
            "The same work is queued or running already.".to_owned(),
        ));
    }
    tx.execute(
        "UPDATE job
            SET status = 'queued', attempts = 0, run_at = :now, set_at = :now, error = NULL,
                result = NULL, started_at = NULL, finished_at = NULL
          WHERE id = :id",
        named_params! { ":id": id, ":now": now },
    )?;
    Ok(Some(true))
}
