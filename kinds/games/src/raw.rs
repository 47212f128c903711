//! Bodies that are kept as they come.

use axum::http::{HeaderMap, header};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::OCTET_STREAM;

/// What programs call a body whose type nobody told them.
const UNTOLD: &[&str] = &[OCTET_STREAM, "application/x-www-form-urlencoded"];

/// Refuses a body that says to be something else than bytes, and none that says nothing: one of no
/// bytes is meant where it has a type. No page of another site gets here whatever the type: a `PUT`
/// is asked about first.
pub(crate) fn check(headers: &HeaderMap) -> ApiResult<()> {
    let is_fine = match headers.get(header::CONTENT_TYPE) {
        None => has_bytes(headers),
        Some(value) => {
            let text = value.to_str().unwrap_or("");
            let essence = text.split(';').next().unwrap_or(text).trim();
            UNTOLD.iter().any(|one| essence.eq_ignore_ascii_case(one))
        }
    };
    if is_fine {
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
    fn bytes_need_no_type_and_a_type_no_bytes() {
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
