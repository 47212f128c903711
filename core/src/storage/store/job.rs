//! Rows of the job queue.

mod run;

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::{StoreError, StoreResult};
use crate::id::JobId;
use crate::paging::Window;
use crate::time::Timestamp;

pub use run::{
    cancel_running, claim, clear_result, fail, finish, make_due, put_back, recover_stale, report,
    reschedule_after_clock_change, retry_delay, retry_later, waits_for_earlier_clock,
};

/// A job, as the API returns it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Job {
    /// Id of the job.
    pub id: JobId,
    /// Name of the handler that runs the job.
    pub kind: String,
    /// Id of the object that the job works on.
    pub ref_id: Option<i64>,
    /// `queued`, `running`, `done` or `failed`.
    #[schema(value_type = JobStatus)]
    pub status: String,
    /// Number of attempts that have begun.
    pub attempts: i64,
    /// Result or progress report of the handler.
    #[schema(value_type = Option<Object>)]
    pub result: Option<Value>,
    /// Error message of the last attempt.
    pub error: Option<String>,
    /// Earliest time of the next attempt.
    pub run_at: Timestamp,
    /// Time at which the job was queued.
    pub created_at: Timestamp,
    /// Time at which the last attempt began.
    pub started_at: Option<Timestamp>,
    /// Time at which the job ended.
    pub finished_at: Option<Timestamp>,
}

/// Status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waiting for a worker.
    Queued,
    /// Claimed by a worker.
    Running,
    /// Ended successfully or by cancellation.
    Done,
    /// Ended with an error; no further attempt follows.
    Failed,
}

impl JobStatus {
    /// Parses the database value. An unknown value counts as failed.
    pub(crate) fn of(word: &str) -> Self {
        let all = [Self::Queued, Self::Running, Self::Done];
        let found = all.into_iter().find(|status| status.as_str() == word);
        found.unwrap_or(Self::Failed)
    }

    /// Returns the value for the database and the API.
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
    /// Id of the job.
    pub id: JobId,
    /// Name of the handler that runs the job.
    pub kind: String,
    /// Id of the object that the job works on.
    pub ref_id: Option<i64>,
    /// Arguments of the handler.
    pub payload: Value,
    /// Number of attempts, including this one.
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

/// Queues a job that is due at once.
pub fn enqueue(
    tx: &Transaction<'_>,
    kind: &str,
    ref_id: Option<i64>,
    payload: &Value,
    now: Timestamp,
) -> StoreResult<JobId> {
    enqueue_later(tx, (kind, ref_id), payload, now, Duration::ZERO)
}

/// Queues a job of a kind for an object, due after `delay`.
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

/// Returns the newest job of this kind for this object that has not ended.
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

/// Returns all jobs of this kind for this object that have not ended, the oldest first.
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

/// Returns `true` if a job of this kind waits for a worker.
pub fn is_queued(connection: &Connection, kind: &str) -> StoreResult<bool> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM job WHERE status = 'queued' AND kind = :kind")?;
    Ok(statement.exists(named_params! { ":kind": kind })?)
}

/// Returns up to `count` newest jobs of this kind for this object.
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

/// Encodes job kinds as a query parameter.
fn list(kinds: &[&str]) -> String {
    serde_json::json!(kinds).to_string()
}

/// Returns `true` if a job of another kind is due and can begin.
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

/// Returns the due time of the next queued job. It ignores the kinds in `full`, and jobs that wait
/// for a running job of the same kind and object.
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

/// Ends a queued job before it began. Returns `false` if it is not queued any more.
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

/// Replaces the arguments of a queued job. Returns `false` if it is not queued any more.
pub fn set_payload(tx: &Transaction<'_>, id: JobId, payload: &Value) -> StoreResult<bool> {
    let changed = tx.execute(
        "UPDATE job SET payload = :payload WHERE id = :id AND status = 'queued'",
        named_params! { ":id": id, ":payload": payload.to_string() },
    )?;
    Ok(changed > 0)
}

/// Returns the arguments of a job.
pub fn payload(connection: &Connection, id: JobId) -> StoreResult<Option<Value>> {
    let mut statement = connection.prepare_cached("SELECT payload FROM job WHERE id = :id")?;
    let payload: Option<String> = statement
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    Ok(payload.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Criteria of a job list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only jobs with this status.
    pub status: Option<JobStatus>,
    /// Only jobs of this handler.
    pub kind: Option<String>,
}

/// Returns a page of jobs, the newest first, and their total.
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

/// Reads one job.
pub fn get(connection: &Connection, id: JobId) -> StoreResult<Option<Job>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM job WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, job)
        .optional()?)
}

/// Requeues a failed job. Returns `None` if the job is absent, and `false` if it has not failed.
///
/// # Errors
///
/// Returns `Conflict` while another job of the same kind and object is not finished.
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
            SET status = 'queued', attempts = 0, run_at = :now, scheduled_at = :now, error = NULL,
                result = NULL, started_at = NULL, finished_at = NULL
          WHERE id = :id",
        named_params! { ":id": id, ":now": now },
    )?;
    Ok(Some(true))
}
