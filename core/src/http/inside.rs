//! Responses with content from inside media files. Such content is untrusted: it is read on a
//! blocking thread and sent with a restrictive policy.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use crate::App;
use crate::access::VisibleFile;
use crate::error::ReadError;
use crate::fs::media_file::is_exhaustion;
use crate::http::content::conditional::{Validators, Verdict};
use crate::http::{ApiError, ApiResult};
use crate::store::file::location::{self, FileLocation};

/// Content security policy: no script of the content runs, and it loads no other resource.
const POLICY: &str = "sandbox; default-src 'none'";

/// Returns the location of a file of this kind. A file of another kind is answered like an absent
/// one.
pub async fn locate(app: &App, file: VisibleFile, kind: &'static str) -> ApiResult<FileLocation> {
    let location = app
        .db
        .read(move |conn| location::of_file(conn, file))
        .await?;
    location
        .filter(|location| location.kind == kind)
        .ok_or(ApiError::NotFound("file"))
}

/// Runs a reader of untrusted bytes on a blocking thread. A failure or panic of the reader becomes
/// an error that names the `noun`. An I/O error of the system becomes *not found*, unless a
/// resource is temporarily exhausted.
pub async fn read<T: Send + 'static>(
    noun: &'static str,
    read: impl FnOnce() -> Result<T, ReadError> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(ReadError::Io(error))) if is_exhaustion(&error) => Err(ApiError::Unavailable),
        Ok(Err(ReadError::Io(error))) if error.raw_os_error().is_some() => {
            Err(ApiError::NotFound("file"))
        }
        Ok(Err(error)) => Err(unreadable(noun, &format!(": {error}"))),
        Err(error) if error.is_panic() => {
            tracing::warn!("a reader of media files crashed");
            Err(unreadable(noun, ""))
        }
        Err(error) => Err(ApiError::internal(error)),
    }
}

fn unreadable(noun: &'static str, why: &str) -> ApiError {
    ApiError::invalid(noun, format!("The {noun} cannot be read{why}."))
}

/// Returns the response to a conditional request that needs no bytes, or `None` if the content must
/// be sent.
pub fn unchanged(etag: &str, headers: &HeaderMap) -> ApiResult<Option<Response>> {
    match Validators::tagged(etag).judge(headers) {
        Verdict::Failed => Err(ApiError::PreconditionFailed),
        Verdict::Proceed => Ok(None),
        Verdict::NotModified => Ok(Some(guarded(
            StatusCode::NOT_MODIFIED.into_response(),
            etag,
        ))),
    }
}

/// Creates a response with bytes of a media type.
pub fn bytes(etag: &str, mime: &'static str, length: u64, body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(mime)),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    guarded((headers, body).into_response(), etag)
}

/// Extension of a response whose whole body is in memory. The connection of a client that reads
/// nothing for a while is closed, so that it does not keep the memory.
#[derive(Debug, Clone, Copy)]
pub struct InMemory;

/// Creates a response with bytes that are in memory.
pub fn bytes_in_memory(etag: &str, mime: &'static str, bytes: Bytes) -> Response {
    let length = bytes.len() as u64;
    let mut response = self::bytes(etag, mime, length, bytes.into());
    response.extensions_mut().insert(InMemory);
    response
}

fn guarded(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    Validators::tagged(etag).write(headers);
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(read: fn() -> Result<u8, ReadError>) -> ApiResult<u8> {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime
            .expect("a runtime")
            .block_on(super::read("page", read))
    }

    #[test]
    fn reader_error_becomes_response() {
        assert_eq!(answer(|| Ok(7)).expect("a number"), 7);
        let message = |error: ApiResult<u8>| match error.expect_err("an error") {
            ApiError::Invalid { message, .. } => message,
            error => format!("{error:?}"),
        };
        let torn = || Err(ReadError::Damaged("it is torn".to_owned()));
        assert_eq!(
            message(answer(torn)),
            "The page cannot be read: it is torn."
        );
        assert_eq!(
            message(answer(|| panic!("a bug"))),
            "The page cannot be read."
        );
        let gone = || Err(std::io::Error::from_raw_os_error(5).into());
        assert!(matches!(answer(gone), Err(ApiError::NotFound("file"))));
    }

    #[test]
    fn temporary_exhaustion_is_not_reported_as_absence() {
        use rustix::io::Errno;

        fn runs_out(errno: Errno) -> Result<u8, ReadError> {
            Err(std::io::Error::from(errno).into())
        }
        for read in [
            || runs_out(Errno::MFILE),
            || runs_out(Errno::NFILE),
            || runs_out(Errno::NOMEM),
        ] {
            assert!(matches!(answer(read), Err(ApiError::Unavailable)));
        }
    }
}
