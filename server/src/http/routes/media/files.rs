//! Content of media files.

mod device;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use bytes::Bytes;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::http::content::Direct;
use ledge_core::http::file::{self, FileRequest};
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::transfers::{Requested, Transfers};

/// Options of a file response.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContentQuery {
    /// `1` to send the file as an attachment with its name.
    #[param(minimum = 0, maximum = 1)]
    download: Option<u8>,
}

/// Bytes of a file.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
pub(crate) struct FileBytes(Bytes);

/// Returns the unchanged content of a media file, complete or in ranges.
#[utoipa::path(
    method(get, head),
    path = "/files/{id}/content",
    tag = "files",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ContentQuery,
        ("Range" = Option<String>, Header, description = "Up to 16 byte ranges",
            example = "bytes=0-99"),
        ("If-Range" = Option<String>, Header, description = "ETag or date that the range belongs to"),
        ("If-None-Match" = Option<String>, Header, description = "Known ETag or date"),
        ("If-Modified-Since" = Option<String>, Header, description = "Known ETag or date"),
    ),
    responses(
        (status = 200, description = "The whole file, as its media type", body = FileBytes,
            content_type = "*/*",
            headers(
                ("ETag" = String, description = "Version of the file"),
                ("Last-Modified" = String, description = "Time of the last change"),
                ("Accept-Ranges" = String, description = "`bytes`"),
                ("Content-Disposition" = String, description = "File name, with `download=1`"),
            )),
        (status = 206, description = "One range; several as `multipart/byteranges`",
            body = FileBytes, content_type = "*/*",
            headers(
                ("Content-Range" = String, description = "Range and total size, with one range"),
                ("ETag" = String, description = "Version of the file"),
            )),
        (status = 304, description = "Not modified",
            headers(("ETag" = String, description = "Version of the file"))),
        (status = 404, description = "No such file, or gone from disk", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
        (status = 416, description = "No such range", body = ErrorBody),
    )
)]
pub(crate) async fn get_content(
    file: VisibleFile,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    direct: Option<Extension<Direct>>,
    Extension(transfers): Extension<Transfers>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let download = match query.download {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(ApiError::invalid("download", "`download` is 0 or 1.")),
    };
    let request = FileRequest {
        is_download: download,
        direct: direct.map(|Extension(direct)| direct),
        method: &method,
        headers: &headers,
    };
    let served = file::respond(&app, file, request).await?;
    if method != Method::GET || !served.response.status().is_success() {
        return Ok(served.response);
    }
    let requested = Requested {
        user: file.viewer(),
        file: file.id(),
        kind: served.kind,
        device: device::of_request(&headers),
        size: served.size,
    };
    Ok(transfers.track(served.response, requested))
}

#[cfg(test)]
mod tests;
