//! The routes of the video kind: subtitles, as browsers show them.

mod beside;
mod tracks;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult, ErrorBody, Items};
use ledge_core::registry::KindRouter;
use ledge_core::registry::reading::ReadError;
use ledge_core::store::location::{self, FileLocation};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::input::ReadResult;

/// Nothing in a track runs, and nothing outside of it is fetched.
const POLICY: &str = "sandbox; default-src 'none'";

/// The kind's routes below `/api/v1`.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_subtitles))
        .routes(routes!(get_subtitles))
}

/// A track of subtitles.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the contract's fields")]
pub(crate) struct SubtitleRow {
    /// What tells it from the file's others.
    id: String,
    /// What a person reads: language, or title.
    label: String,
    /// Language tag, where it is known.
    language: Option<String>,
    /// What it is made of: `srt`, `ass` or `vtt`.
    format: &'static str,
    /// Meant to be shown whatever the language.
    forced: bool,
    /// Chosen where nothing else is.
    default: bool,
    /// With sounds and speakers, for who does not hear them.
    hearing_impaired: bool,
    /// Whether it is in the film's own file rather than beside it.
    embedded: bool,
    /// Where it is served as WebVTT.
    url: String,
}

/// A video's file, and where it is.
struct Video(FileLocation);

impl FromRequestParts<App> for Video {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let file = VisibleFile::from_request_parts(parts, app).await?;
        let location = app
            .db
            .read(move |conn| location::of_file(conn, file))
            .await?;
        location
            .filter(|location| location.kind == crate::KIND.id)
            .map(Self)
            .ok_or(ApiError::NotFound("file"))
    }
}

/// The subtitles beside a video and in it that are text.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/subtitles",
    tag = "video",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The tracks", body = Items<SubtitleRow>),
        (status = 404, description = "No such video, or gone from disk", body = ErrorBody),
    )
)]
async fn list_subtitles(Video(location): Video) -> ApiResult<Json<Items<SubtitleRow>>> {
    let items = blocking(move || tracks::list(&location)).await?;
    let items = items.ok_or(ApiError::NotFound("file"))?;
    Ok(Json(Items { items }))
}

/// One track as WebVTT, whatever it was made of.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/subtitles/{track}",
    tag = "video",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("track" = String, Path, description = "The track's id and `.vtt`"),
        ("If-None-Match" = Option<String>, Header, description = "The state one has"),
        ("If-Match" = Option<String>, Header, description = "The state one wants"),
    ),
    responses(
        (status = 200, description = "The track", content_type = "text/vtt",
            headers(("ETag" = String, description = "The state"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such video or track", body = ErrorBody),
        (status = 412, description = "Not the state asked for", body = ErrorBody),
        (status = 422, description = "It cannot be read", body = ErrorBody),
    )
)]
async fn get_subtitles(
    Video(location): Video,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, track)) = path.map_err(|_| ApiError::NotFound("track"))?;
    let track = track
        .strip_suffix(".vtt")
        .map(str::to_owned)
        .ok_or(ApiError::NotFound("track"))?;
    let found = blocking(move || tracks::find(&location, &track)).await?;
    let found = found.ok_or(ApiError::NotFound("track"))?;
    let validators = Validators {
        etag: found.etag(),
        modified: None,
    };
    let mut response = match validators.judge(&headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => {
            let vtt = blocking(move || found.vtt()).await?;
            let vtt = vtt.ok_or(ApiError::NotFound("track"))?;
            let mime = HeaderValue::from_static("text/vtt; charset=utf-8");
            ([(header::CONTENT_TYPE, mime)], Body::from(vtt)).into_response()
        }
    };
    let headers = response.headers_mut();
    validators.write(headers);
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Runs a reader of hostile bytes where it may block; if it crashes, the file cannot be read.
async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> ReadResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(read).await {
        Ok(answer) => answer.map_err(|error| unreadable(&error)),
        Err(error) if error.is_panic() => {
            tracing::warn!("the reader of a video's subtitles crashed");
            Err(ApiError::invalid("track", "The track cannot be read."))
        }
        Err(error) => Err(ApiError::internal(error)),
    }
}

fn unreadable(error: &ReadError) -> ApiError {
    match error {
        ReadError::Io(error) if error.raw_os_error().is_some() => ApiError::NotFound("file"),
        error => ApiError::invalid("track", format!("The track cannot be read: {error}.")),
    }
}
