//! Background jobs, for administrators.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, Id, PageQuery};
use ledge_core::id::JobId;
use ledge_core::paging::Page;
use ledge_core::store::job::{self, Job, JobFilter, JobStatus};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::http::routes::library::scans;

/// Criteria of a job list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct JobQuery {
    /// Only jobs with this status.
    #[param(inline)]
    status: Option<JobStatus>,
    /// Only jobs of this kind.
    kind: Option<String>,
}

/// A queued job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Queued {
    /// Id of the job.
    pub job_id: JobId,
}

/// Lists jobs, the newest first.
#[utoipa::path(
    get, path = "/jobs", tag = "system",
    params(JobQuery, PageQuery),
    responses(
        (status = 200, description = "The jobs", body = Page<Job>),
    ),
)]
pub(crate) async fn list_jobs(
    State(app): State<App>,
    ApiQuery(query): ApiQuery<JobQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Job>>> {
    let window = page.window()?;
    let filter = JobFilter {
        status: query.status,
        kind: query.kind.filter(|kind| !kind.is_empty()),
    };
    let (items, total) = app
        .db
        .read(move |conn| job::page(conn, &filter, window))
        .await?;
    Ok(ApiJson(Page::new(items, total, window)))
}

/// Queues a failed job again.
#[utoipa::path(
    post, path = "/jobs/{id}/retry", tag = "system",
    params(("id" = i64, Path, description = "The job's id")),
    responses(
        (status = 202, description = "Queued", body = Queued),
        (status = 409, description = "The job has not failed", body = ErrorBody),
    ),
)]
pub(crate) async fn retry_job(
    State(app): State<App>,
    id: ApiResult<Id>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    const NOT_FOUND: ApiError = ApiError::NotFound("job");
    let job_id = id.map(|Id(id)| JobId(id)).map_err(|_| NOT_FOUND)?;
    let now = app.clock.now();
    match app.db.write(move |tx| job::retry(tx, job_id, now)).await? {
        None => Err(NOT_FOUND),
        Some(false) => Err(ApiError::Conflict(
            "Only a failed job can be retried.".to_owned(),
        )),
        Some(true) => {
            let retried = app.db.read(move |conn| job::get(conn, job_id)).await?;
            scans::announce(&app, retried);
            Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
        }
    }
}
