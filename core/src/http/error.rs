//! Errors as the API answers them: one table pairs error, status and code.

use std::io;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::store::{StoreError, is_for_lack_of_space};

/// The result of a handler.
pub type ApiResult<T> = Result<T, ApiError>;

/// Everything the API refuses, and its own failures.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Malformed JSON.
    #[error("{0}")]
    BadRequest(String),
    /// No session, an expired one, or a wrong password at login.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// An administrator's endpoint, a cross-site change, a wrong current password.
    #[error("{0}")]
    Forbidden(String),
    /// Absent or not visible: the two answers are the same, to the byte.
    #[error("No such {0}.")]
    NotFound(&'static str),
    /// A known path, but not with this method.
    #[error("This path does not answer to this method.")]
    MethodNotAllowed,
    /// What is there already does not allow it.
    #[error("{0}")]
    Conflict(String),
    /// An `If-Match` that no longer holds.
    #[error("It has changed in the meantime.")]
    PreconditionFailed,
    /// A body beyond its limit.
    #[error("{0}")]
    PayloadTooLarge(String),
    /// A body without the content type that the endpoint takes.
    #[error("Send the body as {0}.")]
    UnsupportedMediaType(&'static str),
    /// A range that lies outside the file of this size in bytes.
    #[error("The range lies outside the file of {0} bytes.")]
    RangeNotSatisfiable(u64),
    /// Well-formed, but not acceptable.
    #[error("{message}")]
    Invalid {
        /// Name of the field or parameter.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// Too many attempts; seconds to wait.
    #[error("Too many attempts. Try again in {0} seconds.")]
    TooManyRequests(u64),
    /// The server's own fault; the cause goes into the log only.
    #[error("Something went wrong on the server; its log has the details.")]
    Internal(#[source] anyhow::Error),
    /// The database does not answer, or the server is stopping.
    #[error("The server cannot answer right now. Try again in a moment.")]
    Unavailable,
    /// The disk has no space for what was sent. What was stored before is unchanged.
    #[error(
        "The disk is full, so nothing was saved. Free some space on the server's disk, then try again."
    )]
    DiskFull,
}

impl ApiError {
    /// A value that is not acceptable.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid {
            field: field.into(),
            message: message.into(),
        }
    }

    /// A failure whose cause only the log learns, unless it is one that people can mend.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        let cause = cause.into();
        if cause.chain().any(is_disk_full) {
            tracing::error!(cause = format!("{cause:#}"), "the disk is full");
            return Self::DiskFull;
        }
        Self::Internal(cause)
    }

    /// The one table: status and code of every error.
    fn status_and_code(&self) -> (StatusCode, ErrorCode) {
        match self {
            Self::BadRequest(_) => (StatusCode::BAD_REQUEST, ErrorCode::BadRequest),
            Self::Unauthenticated(_) => (StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated),
            Self::Forbidden(_) => (StatusCode::FORBIDDEN, ErrorCode::Forbidden),
            Self::NotFound(_) => (StatusCode::NOT_FOUND, ErrorCode::NotFound),
            Self::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed),
            Self::Conflict(_) => (StatusCode::CONFLICT, ErrorCode::Conflict),
            Self::PreconditionFailed => (
                StatusCode::PRECONDITION_FAILED,
                ErrorCode::PreconditionFailed,
            ),
            Self::PayloadTooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::PayloadTooLarge),
            Self::UnsupportedMediaType(_) => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                ErrorCode::UnsupportedMediaType,
            ),
            Self::RangeNotSatisfiable(_) => (
                StatusCode::RANGE_NOT_SATISFIABLE,
                ErrorCode::RangeNotSatisfiable,
            ),
            Self::Invalid { .. } => (StatusCode::UNPROCESSABLE_ENTITY, ErrorCode::Invalid),
            Self::TooManyRequests(_) => (StatusCode::TOO_MANY_REQUESTS, ErrorCode::TooManyRequests),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal),
            Self::Unavailable | Self::DiskFull => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable)
            }
        }
    }
}

/// Returns whether a cause in a chain of errors is a full disk or a quota that is used up.
fn is_disk_full(cause: &(dyn std::error::Error + 'static)) -> bool {
    let of_sqlite = cause
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code);
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(is_for_lack_of_space)
        || matches!(cause.downcast_ref(), Some(StoreError::DiskFull))
        || of_sqlite == Some(rusqlite::ErrorCode::DiskFull)
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(message) => Self::Conflict(message),
            StoreError::Invalid { field, message } => Self::invalid(field, message),
            StoreError::Busy | StoreError::Closed => Self::Unavailable,
            error if error.is_busy() => Self::Unavailable,
            error => Self::internal(error),
        }
    }
}

/// The body of every error.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong, in one word for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Malformed, or cut short.
    BadRequest,
    /// No session, an expired one, or a wrong password at login.
    Unauthenticated,
    /// Not allowed to this user, or sent by another site.
    Forbidden,
    /// Absent or not visible.
    NotFound,
    /// A known path, but not with this method.
    MethodNotAllowed,
    /// What is there already does not allow it.
    Conflict,
    /// A condition of the request does not hold.
    PreconditionFailed,
    /// A body beyond its limit.
    PayloadTooLarge,
    /// A body of another content type.
    UnsupportedMediaType,
    /// A range outside the file.
    RangeNotSatisfiable,
    /// Well-formed, but not acceptable.
    Invalid,
    /// Too many attempts.
    TooManyRequests,
    /// The server's own fault.
    Internal,
    /// Not now.
    Unavailable,
}

/// What went wrong.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    /// One word for programs.
    pub code: ErrorCode,
    /// A sentence for people.
    pub message: String,
    /// The field that is not acceptable, with `invalid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub field: Option<String>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code) = self.status_and_code();
        if let Self::Internal(cause) = &self {
            tracing::error!(cause = format!("{cause:#}"), "a request failed");
        }
        let body = ErrorBody {
            error: ErrorDetail {
                code,
                message: self.to_string(),
                field: match &self {
                    Self::Invalid { field, .. } => Some(field.clone()),
                    _ => None,
                },
            },
        };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self {
            Self::TooManyRequests(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            Self::RangeNotSatisfiable(size) => {
                let range = HeaderValue::try_from(format!("bytes */{size}"))
                    .expect("digits are a header value");
                headers.insert(header::CONTENT_RANGE, range);
            }
            _ => {}
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn status(error: impl Into<ApiError>) -> StatusCode {
        error.into().into_response().status()
    }

    fn of_sqlite(code: i32) -> StoreError {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn a_full_disk_is_told_as_one() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            let error = ApiError::internal(io::Error::from(kind));
            assert!(error.to_string().contains("disk is full"), "{error}");
            assert_eq!(status(error), StatusCode::SERVICE_UNAVAILABLE);
        }
        assert!(matches!(
            of_sqlite(ffi::SQLITE_FULL).into(),
            ApiError::DiskFull
        ));
        let wrapped = anyhow::Error::new(of_sqlite(ffi::SQLITE_FULL)).context("a save");
        assert!(matches!(ApiError::internal(wrapped), ApiError::DiskFull));
    }

    #[test]
    fn what_people_cannot_mend_stays_in_the_log() {
        let error = ApiError::internal(io::Error::from(io::ErrorKind::NotADirectory));
        assert!(!error.to_string().contains("directory"), "{error}");
        assert_eq!(status(error), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            status(of_sqlite(ffi::SQLITE_CORRUPT)),
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }
}
