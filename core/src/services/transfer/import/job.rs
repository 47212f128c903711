//! Background job of an import.

use rusqlite::{Connection, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::apply::{Step, Target, Work};
use super::report::ReportRow;
use super::summary::Summary;
use super::{Environment, ImportError, Request};
use crate::db::Db;
use crate::error::StoreResult;
use crate::id::{JobId, UserId};
use crate::job_kind::IMPORT;
use crate::jobs::{JobContext, JobError};
use crate::store::job::{self, JobStatus};
use crate::time::Timestamp;

/// Parameters of the job.
#[derive(Debug, Serialize, Deserialize)]
struct Payload {
    user: Option<UserId>,
    request: Request,
}

/// Result of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct JobResult {
    #[serde(flatten)]
    summary: Summary,
    report: Vec<ReportRow>,
}

/// Import with the state of its job.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RunningImport {
    /// State of the job.
    pub status: JobStatus,
    /// Line about the failure; null if the job has not failed.
    pub error: Option<String>,
    /// Numbers of the import. They are 0 until the job is done.
    #[serde(flatten)]
    pub summary: Summary,
    /// Up to 1,000 rows that were not stored.
    pub report: Vec<ReportRow>,
}

/// Queues an import. The caller wakes the workers after the commit.
pub fn request(
    tx: &Transaction<'_>,
    user: UserId,
    request: Request,
    now: Timestamp,
) -> StoreResult<JobId> {
    let payload = Payload {
        user: Some(user),
        request,
    };
    let payload = serde_json::to_value(payload).expect("plain data is JSON");
    job::enqueue(tx, IMPORT, None, &payload, now)
}

/// Returns an import, or `None` if there is no such job.
pub fn get(conn: &Connection, id: JobId) -> StoreResult<Option<RunningImport>> {
    let Some(job) = job::get(conn, id)?.filter(|job| job.kind == IMPORT) else {
        return Ok(None);
    };
    let payload = job::payload(conn, id)?.unwrap_or_default();
    let request = serde_json::from_value::<Payload>(payload).map(|payload| payload.request);
    let request = request.unwrap_or_default();
    let result = job
        .result
        .and_then(|result| serde_json::from_value(result).ok());
    let result = result.unwrap_or_else(|| JobResult {
        summary: Summary::new(&request.source, None, request.dry_run),
        report: Vec::new(),
    });
    Ok(Some(RunningImport {
        status: JobStatus::of(&job.status),
        error: job.error,
        summary: result.summary,
        report: result.report,
    }))
}

/// The writer thread of the server.
impl Target for Db {
    fn write(&mut self, work: Work) -> StoreResult<Step> {
        self.write_blocking(work)
    }
}

/// Runs the job.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let app = context.app;
    let payload: Payload = serde_json::from_value(context.job.payload.clone())
        .map_err(|error| JobError::Permanent(error.to_string()))?;
    let environment = Environment {
        database: app.db.path(),
        temporary: &app.settings.data,
        registry: &app.registry,
        user: payload.user,
        now: app.clock.now(),
        report: None,
    };
    let mut target = app.db.clone();
    let is_stopped = || context.is_stopping();
    let imported = super::run(&payload.request, environment, &mut target, &is_stopped);
    match imported {
        Ok(imported) => {
            let result = JobResult {
                summary: imported.summary,
                report: imported.report,
            };
            serde_json::to_value(result).map_err(|error| JobError::Permanent(error.to_string()))
        }
        Err(ImportError::Store(error)) => Err(error.into()),
        Err(ImportError::Stopped) => Err(JobError::Stopping),
        Err(error) => Err(JobError::Permanent(error.to_string())),
    }
}
