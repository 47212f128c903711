//! What the descriptions of several routes share.

use ledge_core::http::ErrorBody;
use utoipa::{IntoParams, IntoResponses};

/// The conditions of whoever may have the bytes already.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it stands in the description only")]
pub(crate) struct Conditions {
    /// The state one has
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
    /// The state one wants
    #[param(rename = "If-Match")]
    if_match: Option<String>,
}

/// What becomes of them.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it stands in the description only")]
pub(crate) enum Conditional {
    /// Not changed
    #[response(status = 304)]
    Unchanged,
    /// Not the state asked for
    #[response(status = 412)]
    Other(ErrorBody),
}

/// What is wrong with bytes that are sent, whatever they are.
#[derive(Debug, IntoResponses)]
#[expect(dead_code, reason = "it stands in the description only")]
pub(crate) enum Unacceptable {
    /// Cut short
    #[response(status = 400)]
    Short(ErrorBody),
    /// Said to be something else than bytes
    #[response(status = 415)]
    Typed(ErrorBody),
}
