//! Responses with the image of a cover.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::content::{Validators, Verdict};
use super::{ApiError, ApiResult};
use crate::store::cover::CoverImage;

/// Returns the response with an image. It may be cached for a year if the request names the version
/// of the cover.
pub fn respond(image: CoverImage, is_named: bool, headers: &HeaderMap) -> ApiResult<Response> {
    let validators = Validators {
        etag: format!("\"{}-{}\"", image.hash, image.size),
        modified: None,
    };
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => {
            let mime = HeaderValue::try_from(image.mime).map_err(ApiError::internal)?;
            ([(header::CONTENT_TYPE, mime)], Body::from(image.body)).into_response()
        }
    };
    validators.write(response.headers_mut());
    let caching = if is_named {
        "private, max-age=31536000, immutable"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    Ok(response)
}
