//! Export of a user's own data.

use std::io;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::error::StoreError;
use ledge_core::http::content::disposition::attachment;
use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::transfer::export;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::Semaphore;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Archives that are written at once. Each occupies a thread and space on the disk.
static PERMITS: Semaphore = Semaphore::const_new(2);

/// Exports the user's own data as a ZIP archive: progress, history, favourites, ratings, tags, lists,
/// annotations, statistics, settings and saves, as far as their items are visible.
#[utoipa::path(
    get, path = "/me/export", tag = "auth",
    responses(
        (status = 200, description = "The archive", content_type = "application/zip"),
    ),
)]
pub(crate) async fn export_data(user: CurrentUser, State(app): State<App>) -> ApiResult<Response> {
    let permit = PERMITS.acquire().await.map_err(ApiError::internal)?;
    let visible = Visible::of(user.id);
    let written = tokio::task::spawn_blocking(move || {
        let conn = app.db.connect_reader()?;
        let written = export::archive(&conn, visible, &app.settings.data);
        // After a disconnect, the thread continues and still counts.
        drop(permit);
        written
    });
    let (file, size) = written.await.map_err(|_| StoreError::Panicked)??;
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/zip"),
        ),
        (header::CONTENT_LENGTH, HeaderValue::from(size)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_DISPOSITION, attachment("ledge-export.zip")),
    ];
    let body = stream::try_unfold(File::from_std(file), next_chunk);
    Ok((headers, Body::from_stream(body)).into_response())
}

async fn next_chunk(mut file: File) -> io::Result<Option<(Bytes, File)>> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let read = file.read(&mut chunk).await?;
    chunk.truncate(read);
    Ok((read > 0).then(|| (chunk.into(), file)))
}
