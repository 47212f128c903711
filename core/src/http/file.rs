//! Responses with the content of a media file.

use axum::http::{HeaderMap, Method};
use axum::response::Response;

use super::content::{self, Direct, Presentation};
use super::{ApiError, ApiResult};
use crate::App;
use crate::access::VisibleFile;
use crate::registry::OCTET_STREAM;
use crate::store::file::location::{self, FileLocation};

/// Request for the content of a file.
#[derive(Debug)]
pub struct FileRequest<'a> {
    /// `true` to send the file as an attachment with its name.
    pub is_download: bool,
    /// Handle for zero-copy sending, if the connection supports it.
    pub direct: Option<Direct>,
    /// Method of the request.
    pub method: &'a Method,
    /// Headers of the request.
    pub headers: &'a HeaderMap,
}

/// Response with a file.
#[derive(Debug)]
pub struct Served {
    /// The response.
    pub response: Response,
    /// Id of the file's kind.
    pub kind: String,
    /// Size of the file in bytes.
    pub size: u64,
}

/// Returns the unchanged content of a file, complete or in ranges.
pub async fn respond(app: &App, file: VisibleFile, request: FileRequest<'_>) -> ApiResult<Served> {
    let location = app
        .db
        .read_inline(move |conn| location::of_file(conn, file))
        .await?;
    let location = location.ok_or(ApiError::NotFound("file"))?;
    let opened = content::open(&location).await?;
    let presentation = Presentation {
        mime: mime(app, &location),
        id: location.id.0,
        download: request.is_download.then(|| location.name_text()),
        direct: request.direct,
    };
    let size = opened.size;
    Ok(Served {
        response: content::respond(opened, &presentation, request.method, request.headers)?,
        kind: location.kind,
        size,
    })
}

fn mime(app: &App, location: &FileLocation) -> &'static str {
    app.registry
        .format_of(&location.kind, &location.name_text())
        .and_then(|format| format.mime)
        .unwrap_or(OCTET_STREAM)
}
