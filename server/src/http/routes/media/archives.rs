//! Archives of all files of an item or a playlist.

use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::content::archive::{self, Archive, Naming};
use ledge_core::http::{ApiError, ApiResult, ErrorBody};
use ledge_core::store::file::archive as item_files;
use ledge_core::store::user_data::lists::playlist::{Playlists, export};
use utoipa::{IntoParams, IntoResponses};

use crate::http::routes::media::files::FileBytes;
use crate::http::routes::organise::lists::access::{Readable, no_list};

/// Request headers of an archive.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
struct RangeHeaders {
    /// One byte range
    #[param(rename = "Range", example = "bytes=0-99")]
    range: Option<String>,
    /// ETag that the range belongs to
    #[param(rename = "If-Range")]
    if_range: Option<String>,
    /// Known ETag
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
}

/// Responses that do not depend on the contents of the archive.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
enum ArchiveResponses {
    /// The whole archive
    #[response(status = 200, content_type = "application/zip", headers(
        ("ETag" = String, description = "Version of the archive"),
        ("Accept-Ranges" = String, description = "`bytes`"),
        ("Content-Disposition" = String, description = "Name of the archive"),
    ))]
    Whole(FileBytes),
    /// The range
    #[response(status = 206, content_type = "application/zip", headers(
        ("Content-Range" = String, description = "Range and total size"),
        ("ETag" = String, description = "Version of the archive"),
    ))]
    Range(FileBytes),
    /// Not modified
    #[response(status = 304, headers(("ETag" = String, description = "Version of the archive")))]
    Unchanged,
    /// The precondition failed
    #[response(status = 412)]
    Other(ErrorBody),
    /// No such range
    #[response(status = 416)]
    Beyond(ErrorBody),
    /// Too many open archives
    #[response(status = 429)]
    Busy(ErrorBody),
}

/// Returns the present files of an item as a ZIP archive without compression. The entries have the
/// paths below the folder that contains all files.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/archive",
    tag = "files",
    params(
        ("id" = i64, Path, description = "The item's id"),
        RangeHeaders,
    ),
    responses(
        ArchiveResponses,
        (status = 404, description = "No such item, or no file is present", body = ErrorBody),
    )
)]
pub(crate) async fn get_item_archive(
    item: VisibleItem,
    State(app): State<App>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let files = app
        .db
        .read(move |conn| item_files::of_item(conn, item))
        .await?;
    let archive = Archive {
        files: files.ok_or(ApiError::NotFound("item"))?,
        naming: Naming::Paths,
        viewer: Visible::of(item.viewer()),
    };
    archive::respond(&app, archive, &method, &headers).await
}

/// Returns the present files of a playlist as a ZIP archive without compression. The entries are
/// named `0001 Name.ext`.
#[utoipa::path(
    method(get, head),
    path = "/playlists/{id}/archive",
    tag = "playlists",
    params(
        ("id" = i64, Path, description = "The playlist's id"),
        RangeHeaders,
    ),
    responses(
        ArchiveResponses,
        (status = 404, description = "No such playlist, or no file is present", body = ErrorBody),
    )
)]
pub(crate) async fn get_playlist_archive(
    Readable(list): Readable<Playlists>,
    State(app): State<App>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let files = app.db.read(move |conn| export::files(conn, list)).await?;
    let archive = Archive {
        files: files.ok_or_else(no_list::<Playlists>)?,
        naming: Naming::Numbers,
        viewer: list.visible(),
    };
    archive::respond(&app, archive, &method, &headers).await
}
