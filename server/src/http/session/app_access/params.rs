//! Parameters of a request to a protocol, in the query and in a form.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use http_body_util::{BodyExt as _, Limited};
use ledge_core::http::ApiError;
use ledge_core::http::protocol::{Params, Protocol};

/// Limit of a form in bytes.
const MAX_FORM: usize = 1 << 20;

/// Reads the parameters. Returns the body too, if it is not a form.
pub(super) async fn read(
    protocol: &Protocol,
    parts: &Parts,
    body: Body,
) -> Result<(Params, Body), ApiError> {
    let query = parts.uri.query().unwrap_or_default();
    let mut pairs = pairs(query.as_bytes());
    if !protocol.form || parts.method != Method::POST || !is_form(&parts.headers) {
        return Ok((Params::new(pairs), body));
    }
    let form = Limited::new(body, MAX_FORM).collect().await;
    let form = form.map_err(|_| {
        ApiError::PayloadTooLarge(format!("The form has at most {MAX_FORM} bytes."))
    })?;
    pairs.extend(self::pairs(&form.to_bytes()));
    Ok((Params::new(pairs), Body::empty()))
}

fn pairs(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

fn is_form(headers: &HeaderMap) -> bool {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    value
        .and_then(|value| value.parse::<mime::Mime>().ok())
        .is_some_and(|mime| mime.essence_str() == mime::APPLICATION_WWW_FORM_URLENCODED)
}
