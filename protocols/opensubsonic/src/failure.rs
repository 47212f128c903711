//! Errors in the terms of the protocol.

use axum::http::StatusCode;
use ledge_core::error::StoreError;
use ledge_core::http::ApiError;

/// Error codes of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Other = 0,
    MissingParameter = 10,
    WrongCredentials = 40,
    NoTokens = 41,
    ConflictingCredentials = 43,
    WrongKey = 44,
    NotAllowed = 50,
    NotFound = 70,
}

/// Error of a request.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) status: StatusCode,
    /// Seconds to wait, for the header `Retry-After`.
    pub(crate) retry_after: Option<u64>,
}

impl Failure {
    /// Creates an error with status 200.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            status: StatusCode::OK,
            retry_after: None,
        }
    }

    /// Returns the error of an absent or invisible object. All have the same text.
    pub(crate) fn not_found() -> Self {
        Self::new(Code::NotFound, "Not found.")
    }

    /// Returns the error of a method or an object that the user may not use.
    pub(crate) fn not_allowed() -> Self {
        Self::new(Code::NotAllowed, "Not allowed.")
    }

    /// Returns the error of an absent or unreadable parameter.
    pub(crate) fn parameter(name: &str) -> Self {
        let message = format!("The parameter {name} is missing or has no valid value.");
        Self::new(Code::MissingParameter, message)
    }

    /// Gives an error the status 404, if the successful response would have no envelope.
    pub(crate) fn of_media(self) -> Self {
        if self.status == StatusCode::OK {
            self.with_status(StatusCode::NOT_FOUND)
        } else {
            self
        }
    }

    /// Replaces the status.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        let message = error.to_string();
        match error {
            ApiError::NotFound(_) => Self::not_found(),
            ApiError::Forbidden(_) => Self::new(Code::NotAllowed, message),
            ApiError::Invalid { .. } | ApiError::BadRequest(_) => {
                Self::new(Code::MissingParameter, message)
            }
            ApiError::TooManyRequests(seconds) => Self {
                retry_after: Some(seconds),
                ..Self::new(Code::WrongCredentials, message)
                    .with_status(StatusCode::TOO_MANY_REQUESTS)
            },
            ApiError::PayloadTooLarge(_) => {
                Self::new(Code::Other, message).with_status(StatusCode::PAYLOAD_TOO_LARGE)
            }
            ApiError::Unavailable | ApiError::DiskFull => {
                Self::new(Code::Other, message).with_status(StatusCode::SERVICE_UNAVAILABLE)
            }
            ApiError::Internal(cause) => {
                tracing::error!(cause = format!("{cause:#}"), "a request of an app failed");
                Self::new(Code::Other, message).with_status(StatusCode::INTERNAL_SERVER_ERROR)
            }
            _ => Self::new(Code::Other, message),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        ApiError::from(error).into()
    }
}
