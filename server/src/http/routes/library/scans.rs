//! Scans of a library: request, cancellation and status.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::events::Event;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::{JobId, LibraryId};
use ledge_core::store::job::{self, Job};
use ledge_core::store::library::scan_run::{self, ScanStatus};
use ledge_core::{App, scan};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::libraries::{KnownLibrary, ManagedLibrary};

/// Options of a scan.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "accept_missing": false }))]
pub(crate) struct ScanRequest {
    /// Accepts missing files even if they are more than half of a large library.
    #[serde(default)]
    accept_missing: bool,
}

/// The job of the scan.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScanAccepted {
    job_id: JobId,
}

/// Requests a scan. If a scan is queued or running, returns that job.
#[utoipa::path(
    post,
    path = "/libraries/{id}/scan",
    tag = "scans",
    params(("id" = i64, Path, description = "The library's id")),
    request_body = Option<ScanRequest>,
    responses(
        (status = 202, description = "Queued", body = ScanAccepted),
        (status = 404, description = "No such library", body = ErrorBody),
        (status = 409, description = "`accept_missing` while a scan runs", body = ErrorBody),
    )
)]
pub(crate) async fn start_scan(
    ManagedLibrary(library): ManagedLibrary,
    State(app): State<App>,
    body: Option<ApiJson<ScanRequest>>,
) -> ApiResult<(StatusCode, ApiJson<ScanAccepted>)> {
    let accept_missing = body.is_some_and(|ApiJson(body)| body.accept_missing);
    let now = app.clock.now();
    let (job_id, job) = app
        .db
        .write(move |tx| {
            let id = scan::request(tx, library, accept_missing, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(ScanAccepted { job_id })))
}

/// Cancels a scan after its current chunk, or before its start.
#[utoipa::path(
    delete,
    path = "/libraries/{id}/scan",
    tag = "scans",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 204, description = "Stopped, or there was none"),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn cancel_scan(
    ManagedLibrary(library): ManagedLibrary,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    cancel(&app, library).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Publishes the event of a queued job and wakes the workers, which publish the later events. Call
/// it after the commit.
pub(crate) fn announce(app: &App, job: Option<Job>) {
    if let Some(job) = job {
        app.events.publish(Event::Job(job.into()));
    }
    app.jobs.wake();
}

/// Cancels the scan of a library, if there is one.
pub(crate) async fn cancel(app: &App, library: LibraryId) -> ApiResult<()> {
    let app = app.clone();
    let cancel = move || scan::cancel(&app, library);
    let cancelled = tokio::task::spawn_blocking(cancel).await;
    Ok(cancelled.map_err(ApiError::internal)??)
}

/// Returns the status of the latest scan.
#[utoipa::path(
    get,
    path = "/libraries/{id}/scan/status",
    tag = "scans",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "The status", body = ScanStatus),
        (status = 404, description = "No such library", body = ErrorBody),
    )
)]
pub(crate) async fn get_scan_status(
    KnownLibrary(library): KnownLibrary,
    State(app): State<App>,
) -> ApiResult<ApiJson<ScanStatus>> {
    let status = app
        .db
        .read(move |conn| scan_run::status_unscoped(conn, library))
        .await?;
    Ok(ApiJson(status))
}
