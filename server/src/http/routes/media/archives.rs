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

use crate::http::routes::media::files::FileBytes;
use crate::http::routes::organise::lists::access::{Readable, no_list};

/// Returns the present files of an item as a ZIP archive without compression. The entries have the
/// paths below the folder that contains all files.
#[utoipa::path(
    method(get, head),
    path = "/items/{id}/archive",
    tag = "files",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("Range" = Option<String>, Header, description = "One byte range", example = "bytes=0-99"),
        ("If-Range" = Option<String>, Header, description = "ETag that the range belongs to"),
        ("If-None-Match" = Option<String>, Header, description = "Known ETag"),
    ),
    responses(
        (status = 200, description = "The whole archive", body = FileBytes,
            content_type = "application/zip",
            headers(
                ("ETag" = String, description = "Version of the archive"),
                ("Accept-Ranges" = String, description = "`bytes`"),
                ("Content-Disposition" = String, description = "Name of the archive"),
            )),
        (status = 206, description = "The range", body = FileBytes,
            content_type = "application/zip",
            headers(
                ("Content-Range" = String, description = "Range and total size"),
                ("ETag" = String, description = "Version of the archive"),
            )),
        (status = 304, description = "Not modified",
            headers(("ETag" = String, description = "Version of the archive"))),
        (status = 404, description = "No such item, or no file is present", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
        (status = 416, description = "No such range", body = ErrorBody),
        (status = 429, description = "Too many open archives", body = ErrorBody),
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
        ("Range" = Option<String>, Header, description = "One byte range", example = "bytes=0-99"),
        ("If-Range" = Option<String>, Header, description = "ETag that the range belongs to"),
        ("If-None-Match" = Option<String>, Header, description = "Known ETag"),
    ),
    responses(
        (status = 200, description = "The whole archive", body = FileBytes,
            content_type = "application/zip",
            headers(
                ("ETag" = String, description = "Version of the archive"),
                ("Accept-Ranges" = String, description = "`bytes`"),
                ("Content-Disposition" = String, description = "Name of the archive"),
            )),
        (status = 206, description = "The range", body = FileBytes,
            content_type = "application/zip",
            headers(
                ("Content-Range" = String, description = "Range and total size"),
                ("ETag" = String, description = "Version of the archive"),
            )),
        (status = 304, description = "Not modified",
            headers(("ETag" = String, description = "Version of the archive"))),
        (status = 404, description = "No such playlist, or no file is present", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
        (status = 416, description = "No such range", body = ErrorBody),
        (status = 429, description = "Too many open archives", body = ErrorBody),
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
