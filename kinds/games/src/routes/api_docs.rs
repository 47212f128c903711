//! Parts of the API description that several routes share.

use ledge_core::http::ErrorBody;
use utoipa::{IntoParams, IntoResponses};

/// Conditional request headers.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub(crate) struct Conditions {
    /// Entity tag of the cached version
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
    /// Entity tag of the expected version
    #[param(rename = "If-Match")]
    if_match: Option<String>,
}

/// Responses to unmet conditions.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub(crate) enum Conditional {
    /// Not changed
    #[response(status = 304)]
    Unchanged,
    /// The file has another version
    #[response(status = 412)]
    Other(ErrorBody),
}

/// Errors of a request body, independent of its content.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it is used in the API description only")]
pub(crate) enum Unacceptable {
    /// The body was cut short
    #[response(status = 400)]
    Short(ErrorBody),
    /// The declared type is not one of bytes
    #[response(status = 415)]
    Typed(ErrorBody),
}
