//! Content of songs, unchanged and in ranges. Parameters of a conversion are ignored.

use axum::response::{IntoResponse as _, Response};
use ledge_core::access::VisibleFile;
use ledge_core::http::ApiError;
use ledge_core::http::file::{self, FileRequest};
use ledge_core::http::recordings::Recordings;
use ledge_core::id::FileId;
use ledge_core::store::file::location;
use rusqlite::Connection;

use crate::browsing::info;
use crate::envelope::{Outcome, Reply};
use crate::failure::Failure;
use crate::ids::Id;
use crate::params::Call;

/// Handles `stream`.
pub(crate) async fn stream(call: Call) -> Outcome {
    let song = song(&call).await.map_err(Failure::of_media)?;
    respond(&call, song, false).await
}

/// Handles `download`.
pub(crate) async fn download(call: Call) -> Outcome {
    let song = song(&call).await.map_err(Failure::of_media)?;
    respond(&call, song, true).await
}

/// Returns the song of a request. An album is refused, because the server makes no archives.
async fn song(call: &Call) -> Result<VisibleFile, Failure> {
    match call.id("id")? {
        Id::Song(file) => visible_song(call, file).await,
        id @ Id::Album(_) => {
            info::item_of(call, id).await?;
            Err(Failure::parameter("id"))
        }
        Id::Artist(_) | Id::Playlist(_) => Err(Failure::not_found()),
    }
}

/// Returns a visible file whose kind has recordings.
pub(crate) async fn visible_song(call: &Call, file: FileId) -> Result<VisibleFile, Failure> {
    let visible = call.visible;
    let read = move |conn: &Connection| {
        let Some(file) = visible.file(conn, file)? else {
            return Ok(None);
        };
        let location = location::of_file(conn, file)?;
        Ok(location.map(|location| (file, location.kind)))
    };
    let found = call.app.db.read_inline(read).await?;
    let found = found.filter(|(_, kind)| Recordings::of_kind(kind).is_some());
    Ok(found.ok_or_else(Failure::not_found)?.0)
}

async fn respond(call: &Call, song: VisibleFile, is_download: bool) -> Outcome {
    let request = FileRequest {
        is_download,
        direct: call.direct.clone(),
        method: &call.method,
        headers: &call.headers,
    };
    match file::respond(&call.app, song, request).await {
        Ok(served) => Ok(Reply::Raw(served.response)),
        Err(error) => condition(error).map(Reply::Raw),
    }
}

/// Returns the response to a condition or a range that does not hold. Players need its status.
pub(crate) fn condition(error: ApiError) -> Result<Response, Failure> {
    match error {
        ApiError::RangeNotSatisfiable(_) | ApiError::PreconditionFailed => {
            Ok(error.into_response())
        }
        error => Err(Failure::from(error).of_media()),
    }
}
