//! Check of the declared type of binary request bodies.

use axum::http::{HeaderMap, header};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;

/// Media types of clients that send bytes without a specific type.
const GENERIC_TYPES: &[&str] = &[OCTET_STREAM, "application/x-www-form-urlencoded"];

/// Rejects a body with another declared type, and a request without type and content. An empty body
/// with a type is accepted. Pages of other sites cannot send these requests, because a `PUT`
/// requires a CORS preflight.
pub(crate) fn check(headers: &HeaderMap) -> ApiResult<()> {
    let is_accepted = match headers.get(header::CONTENT_TYPE) {
        None => has_bytes(headers),
        Some(value) => {
            let text = value.to_str().unwrap_or("");
            let essence = text.split(';').next().unwrap_or(text).trim();
            GENERIC_TYPES
                .iter()
                .any(|one| essence.eq_ignore_ascii_case(one))
        }
    };
    if is_accepted {
        Ok(())
    } else {
        Err(ApiError::UnsupportedMediaType(OCTET_STREAM))
    }
}

fn has_bytes(headers: &HeaderMap) -> bool {
    match headers.get(header::CONTENT_LENGTH) {
        None => headers.contains_key(header::TRANSFER_ENCODING),
        Some(length) => length.as_bytes() != b"0",
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn check_accepts_bytes_without_type_and_type_without_bytes() {
        for (given, fits) in [
            (&[][..], false),
            (&[("content-length", "0")], false),
            (&[("content-length", "5")], true),
            (&[("transfer-encoding", "chunked")], true),
            (&[("content-type", "application/octet-stream")], true),
            (
                &[("content-type", "application/x-www-form-urlencoded; a=b")],
                true,
            ),
            (
                &[
                    ("content-type", "application/json"),
                    ("content-length", "5"),
                ],
                false,
            ),
            (&[("content-type", ""), ("content-length", "5")], false),
        ] {
            let header = |(name, value): &(&'static str, &'static str)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            };
            let headers: HeaderMap = given.iter().map(header).collect();
            assert_eq!(check(&headers).is_ok(), fits, "{given:?}");
        }
    }
}
