//! What every answer with bytes out of a book bears: nothing in it is trusted.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult};

/// Nothing in a book runs, and nothing outside of it is fetched.
const POLICY: &str = "sandbox; default-src 'none'";

/// The answer to a request that needs no bytes: it has them already.
pub(super) fn unchanged(etag: &str, headers: &HeaderMap) -> ApiResult<Option<Response>> {
    match validators(etag).judge(headers) {
        Verdict::Failed => Err(ApiError::PreconditionFailed),
        Verdict::Proceed => Ok(None),
        Verdict::NotModified => Ok(Some(guarded(
            StatusCode::NOT_MODIFIED.into_response(),
            etag,
        ))),
    }
}

/// Bytes of a media type.
pub(super) fn bytes(etag: &str, mime: &'static str, length: u64, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(mime)),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    guarded((headers, body).into_response(), etag)
}

fn guarded(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    validators(etag).write(headers);
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn validators(etag: &str) -> Validators {
    Validators {
        etag: etag.to_owned(),
        modified: None,
    }
}
