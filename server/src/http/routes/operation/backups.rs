//! Backups of the database, for administrators.

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::paging::Items;
use ledge_core::store::job;
use ledge_core::time::Timestamp;
use ledge_core::{App, backup};
use serde::Serialize;
use utoipa::ToSchema;

use super::jobs::Queued;
use crate::http::routes::library::scans;
use crate::serve::schedule::backups;

/// A backup.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BackupFile)]
pub(crate) struct Backup {
    /// Name of the file in the backup folder.
    name: String,
    /// Size in bytes.
    size: u64,
    /// Time at which the backup began.
    created_at: Timestamp,
    /// `true` if the server has checked the content when it wrote the file, and the file still has
    /// its full length.
    checked: bool,
}

/// Lists the backups in the backup folder, the newest first.
#[utoipa::path(
    get, path = "/backups", tag = "system",
    responses(
        (status = 200, description = "The backups", body = Items<Backup>),
    ),
)]
pub(crate) async fn list_backups(State(app): State<App>) -> ApiResult<ApiJson<Items<Backup>>> {
    let files = match &app.settings.backups {
        Some(settings) => backups::list(&settings.folder)
            .await
            .ok_or(ApiError::Unavailable)?,
        None => Vec::new(),
    };
    let items = files.into_iter().map(|file| Backup {
        name: file.name,
        size: file.size,
        created_at: file.created_at,
        checked: file.checked,
    });
    Ok(ApiJson(Items {
        items: items.collect(),
    }))
}

/// Requests a backup. If one is queued or running, returns that job.
#[utoipa::path(
    post, path = "/backups", tag = "system",
    responses(
        (status = 202, description = "Queued", body = Queued),
        (status = 409, description = "No backup folder is configured", body = ErrorBody),
    ),
)]
pub(crate) async fn create_backup(
    State(app): State<App>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    if app.settings.backups.is_none() {
        let message = "Set LEDGE_BACKUP_DIR to a folder for backups, and start the server again.";
        return Err(ApiError::Conflict(message.to_owned()));
    }
    let now = app.clock.now();
    let (job_id, job) = app
        .db
        .write(move |tx| {
            let id = backup::request(tx, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    scans::announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
}
