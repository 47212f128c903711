//! Scans of a library: asking for one, stopping it, and how it goes.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::events::Event;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::{JobId, LibraryId};
use ledge_core::scan;
use ledge_core::store::job::{self, Job};
use ledge_core::store::scan_run::{self, ScanStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::libraries::{KnownLibrary, ManagedLibrary};

/// How to scan.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "accept_missing": false }))]
pub(crate) struct ScanRequest {
    /// Whether to mark files missing even if they are more than half of a large library.
    #[serde(default)]
    accept_missing: bool,
}

/// The job that scans.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScanAccepted {
    job_id: JobId,
}

/// Asks for a scan. While one waits or runs, this is that one.
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

/// Stops a scan after its current chunk, or before it began.
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

/// Tells of a job that was queued and wakes the workers, who tell what becomes of it; call it after
/// the commit.
pub(crate) fn announce(app: &App, job: Option<Job>) {
    if let Some(job) = job {
        app.events.publish(Event::Job(job.into()));
    }
    app.jobs.wake();
}

/// Stops the scan of a library, if there is one.
pub(crate) async fn cancel(app: &App, library: LibraryId) -> ApiResult<()> {
    let app = app.clone();
    let cancel = move || scan::cancel(&app, library);
    let cancelled = tokio::task::spawn_blocking(cancel).await;
    Ok(cancelled.map_err(ApiError::internal)??)
}

/// How the latest scan goes or went.
#[utoipa::path(
    get,
    path = "/libraries/{id}/scan/status",
    tag = "scans",
    params(("id" = i64, Path, description = "The library's id")),
    responses(
        (status = 200, description = "Where it stands", body = ScanStatus),
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
