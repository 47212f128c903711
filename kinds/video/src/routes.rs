//! The routes of the video kind: subtitles, as browsers show them.

mod beside;
mod tracks;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::http::{ApiError, ApiResult, ErrorBody, Items, inside};
use ledge_core::registry::KindRouter;
use ledge_core::store::location::FileLocation;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What cannot be read, where it cannot.
const NOUN: &str = "track";

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
    /// What it is served as, each by an ending of `url`: `vtt` always, `ass` with its styles where
    /// it is made of that.
    formats: &'static [&'static str],
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
        inside::locate(app, file, crate::KIND.id).await.map(Self)
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
    let items = inside::read(NOUN, move || tracks::list(&location)).await?;
    let items = items.ok_or(ApiError::NotFound("file"))?;
    Ok(Json(Items { items }))
}

/// One track: as WebVTT whatever it was made of, or as the script that it is.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/subtitles/{track}",
    tag = "video",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("track" = String, Path, description = "The track's id and `.vtt`, or \
            `.ass` where its `formats` tell of it"),
        ("If-None-Match" = Option<String>, Header, description = "The state one has"),
        ("If-Match" = Option<String>, Header, description = "The state one wants"),
    ),
    responses(
        (status = 200, description = "The track, in UTF-8", content((String = "text/vtt"), (String = "text/x-ssa")),
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
    let found = inside::read(NOUN, move || tracks::find(&location, &track)).await?;
    let found = found.ok_or(ApiError::NotFound("track"))?;
    let (etag, mime) = (found.etag(), found.mime());
    if let Some(unchanged) = inside::unchanged(&etag, &headers)? {
        return Ok(unchanged);
    }
    let text = inside::read(NOUN, move || found.text()).await?;
    let text = text.ok_or(ApiError::NotFound("track"))?;
    let length = text.len() as u64;
    Ok(inside::bytes(&etag, mime, length, Body::from(text)))
}
