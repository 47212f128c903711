//! Responses in the format of the protocol: JSON, whatever the client accepts.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::http::ApiError;
use serde_json::{Value, json};

/// Code of an error of the server.
const SERVER: u32 = 2000;
/// Code of wrong credentials.
pub(crate) const UNAUTHORIZED: u32 = 2001;
/// Code of an invalid field.
pub(crate) const INVALID: u32 = 2003;
/// Code of an invalid document.
pub(crate) const DOCUMENT: u32 = 2004;
/// Code of a rejected registration.
pub(crate) const REGISTRATION: u32 = 2005;

/// Returns a value with a status.
pub(crate) fn value(status: StatusCode, value: &Value) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, Body::from(value.to_string())).into_response()
}

/// Returns an error of the protocol.
pub(crate) fn error(status: StatusCode, code: u32, message: &str) -> Response {
    value(status, &json!({ "code": code, "message": message }))
}

/// Returns an error of the server with its status.
pub(crate) fn server_error(cause: ApiError) -> Response {
    let message = cause.to_string();
    let original = cause.into_response();
    let mut response = error(original.status(), SERVER, &message);
    if let Some(seconds) = original.headers().get(header::RETRY_AFTER) {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, seconds.clone());
    }
    response
}
