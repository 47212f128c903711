//! Responses with files of the data folder: without content encoding, and with an entity tag.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::http::content::conditional::{Validators, Verdict};
use ledge_core::http::{ApiError, ApiResult};

use super::folder::{DataFile, FileVersion};

/// Caching for one year. A URL with a version never refers to another version of the file.
const IMMUTABLE: &str = "private, max-age=31536000, immutable";

/// Returns the response with a file. The client's conditions are evaluated before the file is read.
/// `version` is the version in the URL.
pub(super) async fn file(
    data_file: DataFile,
    mime: &'static str,
    url_version: Option<&str>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let gone = || ApiError::NotFound("file");
    let checked = data_file.clone();
    let mut current = blocking(move || Ok(checked.version()))
        .await?
        .ok_or_else(gone)?;
    let mut content = None;
    if needs_body(&current, headers)? {
        let read = blocking(move || data_file.read()).await?;
        let (now, bytes) = read.ok_or_else(gone)?;
        // The file may have been replaced since the first check.
        content = needs_body(&now, headers)?.then_some(bytes);
        current = now;
    }
    let mut response = match content {
        None => StatusCode::NOT_MODIFIED.into_response(),
        Some(bytes) => ([(header::CONTENT_TYPE, mime)], bytes).into_response(),
    };
    let caching = if url_version == Some(current.tag.as_str()) {
        IMMUTABLE
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    validators(&current).write(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // A file that is opened as a page cannot run scripts.
    let sandbox = HeaderValue::from_static("sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    Ok(response)
}

/// Returns true if the client needs this version. Fails if the client requires another version.
fn needs_body(current: &FileVersion, headers: &HeaderMap) -> ApiResult<bool> {
    match validators(current).judge(headers) {
        Verdict::Failed => Err(ApiError::PreconditionFailed),
        Verdict::NotModified => Ok(false),
        Verdict::Proceed => Ok(true),
    }
}

fn validators(current: &FileVersion) -> Validators {
    Validators {
        etag: format!("\"{}\"", current.tag),
        modified: None,
    }
}

/// Runs file system work on a blocking thread.
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

    async fn status(path: &str, name: header::HeaderName, value: &'static str) -> ApiResult<u16> {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let answer = file(DataFile::at(path), "text/plain", None, &headers).await;
        answer.map(|answer| answer.status().as_u16())
    }

    #[tokio::test]
    async fn conditions_are_evaluated_before_the_file_is_read() {
        // An existing file that cannot be read.
        let unreadable = "/proc/self/mem";
        let has = status(unreadable, header::IF_NONE_MATCH, "*").await;
        assert_eq!(has.expect("an answer"), 304);
        let wants = status(unreadable, header::IF_MATCH, "\"other\"").await;
        assert!(matches!(wants, Err(ApiError::PreconditionFailed)));
        let read = status(unreadable, header::IF_NONE_MATCH, "\"other\"").await;
        assert!(matches!(read, Err(ApiError::Internal(_))), "{read:?}");
    }
}
