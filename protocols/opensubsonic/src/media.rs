//! Streams, downloads, pictures and lyrics.

pub(crate) mod cover;
pub(crate) mod lyrics;
pub(crate) mod stream;

use axum::http::StatusCode;

use crate::failure::Failure;

/// Gives an error the status 404: the response to the successful request is no envelope.
pub(crate) fn not_found(failure: Failure) -> Failure {
    if failure.status == StatusCode::OK {
        failure.with_status(StatusCode::NOT_FOUND)
    } else {
        failure
    }
}
