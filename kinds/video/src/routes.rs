//! Routes of the video kind: subtitles in formats that browsers can display, and their fonts.

mod fonts;
mod sidecars;
mod tracks;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, KindRouter, inside};
use ledge_core::paging::Items;
use ledge_core::store::file::location::FileLocation;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Noun in error messages about unreadable tracks.
const NOUN: &str = "track";

/// Returns the routes of this kind, relative to `/api/v1`.
pub(crate) fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_subtitles))
        .routes(routes!(get_subtitles))
        .routes(routes!(fonts::list_fonts))
        .routes(routes!(fonts::get_font))
}

/// Subtitle track of a video.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the contract's fields")]
pub(crate) struct SubtitleRow {
    /// Id that is unique among the tracks of the file.
    id: String,
    /// Display name: language or title.
    label: String,
    /// Language tag, if known.
    language: Option<String>,
    /// Source format: `srt`, `ass` or `vtt`.
    format: &'static str,
    /// Formats that the server can send, each as an extension of `url`. `vtt` is always included;
    /// `ass` is included for SubStation Alpha and keeps its styles.
    formats: &'static [&'static str],
    /// `true` if the track should be shown for every language.
    forced: bool,
    /// `true` if players should select this track by default.
    default: bool,
    /// `true` if the text describes sounds and speakers for the hearing impaired.
    hearing_impaired: bool,
    /// `true` for a track in the video file, `false` for a sidecar file.
    embedded: bool,
    /// URL of the track as WebVTT.
    url: String,
}

/// Location of a video file that the user may see.
struct Video(FileLocation);

impl FromRequestParts<App> for Video {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let file = VisibleFile::from_request_parts(parts, app).await?;
        inside::locate(app, file, crate::KIND.id).await.map(Self)
    }
}

/// Lists the text subtitles of a video, from sidecar files and from the file itself.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/subtitles",
    tag = "video",
    params(("id" = i64, Path, description = "Id of the file")),
    responses(
        (status = 200, description = "The tracks", body = Items<SubtitleRow>),
        (status = 404, description = "The video does not exist, or its file is missing", body = ErrorBody),
    )
)]
async fn list_subtitles(Video(location): Video) -> ApiResult<ApiJson<Items<SubtitleRow>>> {
    let items = inside::read(NOUN, move || tracks::list(&location)).await?;
    let items = items.ok_or(ApiError::NotFound("file"))?;
    Ok(ApiJson(Items { items }))
}

/// Returns a subtitle track, converted to WebVTT or as the original script.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/subtitles/{track}",
    tag = "video",
    params(
        ("id" = i64, Path, description = "Id of the file"),
        ("track" = String, Path, description = "Id of the track with the extension `.vtt`, or \
            `.ass` if listed in its `formats`"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the cached version"),
        ("If-Match" = Option<String>, Header, description = "ETag of the expected version"),
    ),
    responses(
        (status = 200, description = "The track, in UTF-8", content((String = "text/vtt"), (String = "text/x-ssa")),
            headers(("ETag" = String, description = "ETag of this version"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "The video or the track does not exist", body = ErrorBody),
        (status = 412, description = "The track has another ETag", body = ErrorBody),
        (status = 422, description = "The track cannot be read", body = ErrorBody),
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
