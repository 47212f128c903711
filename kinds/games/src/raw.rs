//! Bodies that are kept as they come.

use axum::http::{HeaderMap, header};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;

/// What programs call a body whose type nobody told them.
const UNTOLD: &[&str] = &[OCTET_STREAM, "application/x-www-form-urlencoded"];

/// Refuses a body that says to be something else than bytes. No page of another site gets here
/// whatever the type: a `PUT` is asked about first.
pub(crate) fn check(headers: &HeaderMap) -> ApiResult<()> {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let text = value.to_str().unwrap_or("");
    let essence = text.split(';').next().unwrap_or(text).trim();
    let is = |one: &&str| essence.eq_ignore_ascii_case(one);
    if UNTOLD.iter().any(is) {
        Ok(())
    } else {
        Err(ApiError::UnsupportedMediaType(OCTET_STREAM))
    }
}
