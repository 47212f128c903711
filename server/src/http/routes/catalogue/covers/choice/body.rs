//! Body of a cover: a picture with a limited size and time, or a candidate as JSON.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiResult};
use ledge_core::id::CoverCandidateId;
use serde::Deserialize;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};
use utoipa::ToSchema;

/// Maximum size of a picture, in bytes.
const MAX_BYTES: usize = 20 << 20;
/// Media types of pictures.
const TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];
/// Longest pause of an upload.
pub(super) const STALL: Duration = Duration::from_secs(30);
/// Time limit for a whole upload.
const TOTAL: Duration = Duration::from_mins(5);
/// Concurrent uploads. They are kept in memory.
static UPLOADS: Semaphore = Semaphore::const_new(2);

/// Bytes of a picture.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub(crate) struct CoverBytes(Bytes);

/// Selected candidate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChosenCover {
    /// Id of the candidate.
    candidate: CoverCandidateId,
}

/// Accepted body.
pub(crate) enum CoverBody {
    /// Bytes of a picture, and the permit to keep them in memory.
    Picture(Bytes, SemaphorePermit<'static>),
    /// A candidate.
    Candidate(CoverCandidateId),
}

impl FromRequest<App> for CoverBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> ApiResult<Self> {
        let media_type = media_type(request.headers());
        if !TYPES.contains(&media_type.as_str()) {
            if media_type != "application/json" {
                return Err(ApiError::UnsupportedMediaType(
                    "image/jpeg, image/png, image/webp or application/json",
                ));
            }
            let ApiJson(chosen) = ApiJson::<ChosenCover>::from_request(request, app).await?;
            return Ok(Self::Candidate(chosen.candidate));
        }
        if declared_length(request.headers()).is_some_and(|length| length > MAX_BYTES as u64) {
            return Err(too_large());
        }
        let permit = timeout(STALL, UPLOADS.acquire()).await;
        let permit = permit
            .map_err(|_| ApiError::Unavailable)?
            .map_err(ApiError::internal)?;
        let bytes = receive(request.into_body()).await?;
        Ok(Self::Picture(bytes, permit))
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = text.split(';').next().unwrap_or(text);
    essence.trim().to_ascii_lowercase()
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(header::CONTENT_LENGTH)?;
    value.to_str().ok()?.parse().ok()
}

async fn receive(mut body: Body) -> ApiResult<Bytes> {
    let end = Instant::now() + TOTAL;
    let mut bytes = BytesMut::new();
    loop {
        let due = end.min(Instant::now() + STALL);
        let frame = timeout_at(due, body.frame()).await;
        let frame =
            frame.map_err(|_| ApiError::BadRequest("The upload was too slow.".to_owned()))?;
        let Some(frame) = frame else {
            return Ok(bytes.freeze());
        };
        let cut_short = |_| ApiError::BadRequest("The upload was cut short.".to_owned());
        let Ok(data) = frame.map_err(cut_short)?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > MAX_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A cover may have at most 20 MiB.".to_owned())
}
