//! The bytes of media files.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::{self, Direct, Presentation};
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody};
use ledge_core::registry::OCTET_STREAM;
use ledge_core::store::location::{self, FileLocation};
use serde::Deserialize;
use utoipa::IntoParams;

/// How to hand out a file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContentQuery {
    /// `1` to save it under its name instead of showing it.
    #[param(minimum = 0, maximum = 1)]
    download: Option<u8>,
}

/// A media file as it lies on disk, whole or in ranges.
#[utoipa::path(
    method(get, head),
    path = "/files/{id}/content",
    tag = "files",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ContentQuery,
        ("ticket" = Option<String>, Query,
            description = "A ticket for this file; where there is one, it alone counts"),
        ("Range" = Option<String>, Header, description = "Up to 16 byte ranges"),
        ("If-Range" = Option<String>, Header, description = "The state that the range is of"),
        ("If-None-Match" = Option<String>, Header, description = "The state one has"),
        ("If-Modified-Since" = Option<String>, Header, description = "The state one has"),
    ),
    responses(
        (status = 200, description = "The whole file", content_type = "application/octet-stream"),
        (status = 206, description = "One range, or several as parts",
            content_type = "application/octet-stream"),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such file, or gone from disk", body = ErrorBody),
        (status = 412, description = "Not the state asked for", body = ErrorBody),
        (status = 416, description = "No such range", body = ErrorBody),
    )
)]
pub(crate) async fn get_content(
    file: VisibleFile,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<ContentQuery>,
    direct: Option<Extension<Direct>>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let download = match query.download {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(ApiError::invalid("download", "`download` is 0 or 1.")),
    };
    let location = app
        .db
        .read(move |conn| location::of_file(conn, file))
        .await?;
    let location = location.ok_or(ApiError::NotFound("file"))?;
    let opened = content::open(&location).await?;
    let presentation = Presentation {
        mime: mime(&app, &location),
        id: location.id.0,
        download: download.then(|| location.name_text()),
        direct: direct.map(|Extension(direct)| direct),
    };
    content::respond(opened, &presentation, &method, &headers)
}

fn mime(app: &App, location: &FileLocation) -> &'static str {
    app.registry
        .format_of(&location.kind, &location.name_text())
        .and_then(|format| format.mime)
        .unwrap_or(OCTET_STREAM)
}

#[cfg(test)]
mod tests;
