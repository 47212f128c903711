//! Receiving a file from an administrator, with a size limit. The content is not checked here: the
//! uploading page checks whether a core works, because only a browser can run it.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use ledge_core::http::{ApiError, ApiResult};

use super::folder::MAX_FILE_BYTES;
use crate::routes::body_type;

/// Time limit for a whole upload.
const UPLOAD_TIME: Duration = Duration::from_mins(5);

/// Reads the body of a request, checking its type, its size and the time limit.
pub(super) async fn receive(headers: &HeaderMap, body: Body) -> ApiResult<Bytes> {
    body_type::check(headers)?;
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > MAX_FILE_BYTES) {
        return Err(too_large());
    }
    let limit = usize::try_from(MAX_FILE_BYTES).map_err(ApiError::internal)?;
    let body = Limited::new(body, limit).collect();
    match tokio::time::timeout(UPLOAD_TIME, body).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(ApiError::BadRequest("The upload was cut short.".to_owned())),
        Err(_) => Err(ApiError::BadRequest("The upload was too slow.".to_owned())),
    }
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A core or BIOS file may have at most 32 MiB.".to_owned())
}
