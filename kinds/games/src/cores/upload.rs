//! Taking a file of an administrator: its size is bounded. Whether it fits its name is for the page
//! that sends it to say: a core runs in browsers, and only there is it known what it takes.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use ledge_core::http::{ApiError, ApiResult};

use super::folder::LIMIT;
use crate::raw;

/// How long a whole upload may take.
const TIME: Duration = Duration::from_mins(5);

/// The body of a request: of the right type, whole, and not too long.
pub(super) async fn receive(headers: &HeaderMap, body: Body) -> ApiResult<Bytes> {
    raw::check(headers)?;
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > LIMIT) {
        return Err(too_large());
    }
    let limit = usize::try_from(LIMIT).map_err(ApiError::internal)?;
    let body = Limited::new(body, limit).collect();
    match tokio::time::timeout(TIME, body).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::BadRequest("The upload was cut short.".to_owned())),
        Err(_) => Err(ApiError::BadRequest(
            "The upload came too slowly.".to_owned(),
        )),
    }
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A core or BIOS file has at most 32 MiB.".to_owned())
}
