//! A file of the data folder as an answer: unencoded, with its state as the tag.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult};

use super::folder::{Known, Place};

/// A year: an address with the file's state in it never means another file.
const FOR_GOOD: &str = "private, max-age=31536000, immutable";

/// Answers with the file, unless the client's conditions say otherwise: those are asked before it
/// is read. `version` is the state in the address.
pub(super) async fn file(
    place: Place,
    mime: &'static str,
    version: Option<&str>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let gone = || ApiError::NotFound("file");
    let seen = place.clone();
    let mut known = blocking(move || Ok(seen.known())).await?.ok_or_else(gone)?;
    let mut content = None;
    if is_wanted(&known, headers)? {
        let read = blocking(move || place.read()).await?;
        let (now, bytes) = read.ok_or_else(gone)?;
        // It may have been replaced in between.
        content = is_wanted(&now, headers)?.then_some(bytes);
        known = now;
    }
    let mut response = match content {
        None => StatusCode::NOT_MODIFIED.into_response(),
        Some(bytes) => ([(header::CONTENT_TYPE, mime)], bytes).into_response(),
    };
    let caching = if version == Some(known.tag.as_str()) {
        FOR_GOOD
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    validators(&known).write(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // Opened as a page it runs nothing.
    let sandbox = HeaderValue::from_static("sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    Ok(response)
}

/// Whether the client wants this state, rather than has it; an error where it wants another.
fn is_wanted(known: &Known, headers: &HeaderMap) -> ApiResult<bool> {
    match validators(known).judge(headers) {
        Verdict::Failed => Err(ApiError::PreconditionFailed),
        Verdict::NotModified => Ok(false),
        Verdict::Proceed => Ok(true),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(path: &str, name: header::HeaderName, value: &'static str) -> ApiResult<u16> {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let answer = file(Place::at(path), "text/plain", None, &headers).await;
        answer.map(|answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn conditions_are_asked_before_the_file_is_read() {
        // A file that is there and cannot be read.
        let unreadable = "/proc/self/mem";
        let has = asked(unreadable, header::IF_NONE_MATCH, "*").await;
        assert_eq!(has.expect("an answer"), 304);
        let wants = asked(unreadable, header::IF_MATCH, "\"other\"").await;
        assert!(matches!(wants, Err(ApiError::PreconditionFailed)));
        let read = asked(unreadable, header::IF_NONE_MATCH, "\"other\"").await;
        assert!(matches!(read, Err(ApiError::Internal(_))), "{read:?}");
    }
}
