//! Error responses of the API. One table maps each error to its status and code.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{StoreError, is_disk_full};
use crate::registry::UnknownId;

/// Result of a handler.
pub type ApiResult<T> = Result<T, ApiError>;

/// Rejections by the API and internal failures.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Malformed JSON.
    #[error("{0}")]
    BadRequest(String),
    /// No session, an expired session, or a wrong password at login.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// An endpoint for administrators, a cross-site change, or a wrong current password.
    #[error("{0}")]
    Forbidden(String),
    /// Absent or not visible. Both cases produce the same bytes.
    #[error("No such {0}.")]
    NotFound(&'static str),
    /// A known path with an unsupported method.
    #[error("This path does not support this method.")]
    MethodNotAllowed,
    /// The request conflicts with the current state of the resource.
    #[error("{0}")]
    Conflict(String),
    /// The `If-Match` header does not match the current version.
    #[error("It has changed in the meantime.")]
    PreconditionFailed,
    /// The body exceeds its size limit.
    #[error("{0}")]
    PayloadTooLarge(String),
    /// The body does not have the content type that the endpoint accepts.
    #[error("Send the body as {0}.")]
    UnsupportedMediaType(&'static str),
    /// The range is outside the file; the value is the file's size in bytes.
    #[error("The range is outside the file of {0} bytes.")]
    RangeNotSatisfiable(u64),
    /// The request is well-formed, but a value is not acceptable.
    #[error("{message}")]
    Invalid {
        /// Name of the field or parameter.
        field: String,
        /// Sentence that describes the problem.
        message: String,
    },
    /// Too many attempts; the value is the waiting time in seconds.
    #[error("Too many attempts. Try again in {0} seconds.")]
    TooManyRequests(u64),
    /// Internal failure; the cause is written to the log only.
    #[error("Something went wrong on the server; its log has the details.")]
    Internal(#[source] anyhow::Error),
    /// The database does not respond, or the server is stopping.
    #[error("The server cannot answer right now. Try again in a moment.")]
    Unavailable,
    /// The disk has no space for the request's data. Stored data is unchanged.
    #[error(
        "The disk is full, so nothing was saved. Free some space on the server's disk, then try again."
    )]
    DiskFull,
}

impl ApiError {
    /// Creates an [`ApiError::Invalid`] for a field or parameter.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid {
            field: field.into(),
            message: message.into(),
        }
    }

    /// Wraps an internal failure, whose cause is only logged. A full disk becomes
    /// [`ApiError::DiskFull`], because an administrator can correct it.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        let cause = cause.into();
        if cause.chain().any(is_disk_full) {
            tracing::error!(cause = format!("{cause:#}"), "the disk is full");
            return Self::DiskFull;
        }
        Self::Internal(cause)
    }

    /// Maps every error to its status and code.
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

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict(message) => Self::Conflict(message),
            StoreError::Stale => Self::PreconditionFailed,
            StoreError::Invalid { field, message } => Self::invalid(field, message),
            StoreError::Busy | StoreError::Closed => Self::Unavailable,
            error if error.is_busy() => Self::Unavailable,
            error => Self::internal(error),
        }
    }
}

impl From<UnknownId> for ApiError {
    fn from(unknown: UnknownId) -> Self {
        Self::invalid(unknown.parameter, unknown.message)
    }
}

/// Body of every error response.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// Details of the error.
    pub error: ErrorDetail,
}

/// Machine-readable error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Malformed or truncated request.
    BadRequest,
    /// No session, an expired session, or a wrong password at login.
    Unauthenticated,
    /// Not allowed for this user, or sent by another site.
    Forbidden,
    /// Absent or not visible.
    NotFound,
    /// A known path with an unsupported method.
    MethodNotAllowed,
    /// Conflict with the current state of the resource.
    Conflict,
    /// A condition of the request is not met.
    PreconditionFailed,
    /// Body that exceeds its size limit.
    PayloadTooLarge,
    /// Body with another content type.
    UnsupportedMediaType,
    /// A range outside the file.
    RangeNotSatisfiable,
    /// Well-formed request with an unacceptable value.
    Invalid,
    /// Too many attempts.
    TooManyRequests,
    /// Internal failure of the server.
    Internal,
    /// Temporarily unavailable; a retry may succeed.
    Unavailable,
}

/// Details of an error.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    /// Machine-readable code.
    pub code: ErrorCode,
    /// Sentence for users.
    pub message: String,
    /// Name of the unacceptable field, only with `invalid`.
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

    use std::io;

    use super::*;

    fn status(error: impl Into<ApiError>) -> StatusCode {
        error.into().into_response().status()
    }

    fn of_sqlite(code: i32) -> StoreError {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn full_disk_error_becomes_disk_full_response() {
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
    fn other_internal_error_is_only_logged() {
        let error = ApiError::internal(io::Error::from(io::ErrorKind::NotADirectory));
        assert!(!error.to_string().contains("directory"), "{error}");
        assert_eq!(status(error), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            status(of_sqlite(ffi::SQLITE_CORRUPT)),
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }
}
