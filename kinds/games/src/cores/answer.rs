//! A file of the data folder as an answer: unencoded, with its state as the tag.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult};

use super::folder::{Known, Place};

/// A year: an address with the file's state in it never means another file.
const FOR_GOOD: &str = "private, max-age=31536000, immutable";

/// Answers with the file, unless the client's conditions say otherwise. `version` is the state in
/// the address.
pub(super) async fn file(
    place: Place,
    mime: &'static str,
    version: Option<&str>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let read = blocking(move || place.read()).await?;
    let (known, bytes) = read.ok_or(ApiError::NotFound("file"))?;
    let validators = validators(&known);
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed => ([(header::CONTENT_TYPE, mime)], bytes).into_response(),
    };
    let caching = if version == Some(known.tag.as_str()) {
        FOR_GOOD
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    validators.write(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // Opened as a page it runs nothing.
    let sandbox = HeaderValue::from_static("sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    Ok(response)
}

fn validators(known: &Known) -> Validators {
    Validators {
        etag: format!("\"{}\"", known.tag),
        modified: None,
    }
}

/// Work on the disk, away from the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> ApiResult<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(ApiError::internal)?
        .map_err(ApiError::internal)
}
