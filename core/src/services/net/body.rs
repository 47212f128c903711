//! Response bodies and header fields, within limits.

use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName};

use super::error::ask_error;
use crate::registry::provider::AskError;

/// Reads a whole body of at most `limit` bytes. The HTTP client has removed gzip compression.
pub(super) async fn read(mut response: reqwest::Response, limit: u64) -> Result<Vec<u8>, AskError> {
    let declared = text(response.headers(), CONTENT_LENGTH).parse::<u64>();
    if declared.is_ok_and(|length| length > limit) {
        return Err(AskError::TooLarge);
    }
    let encoding = text(response.headers(), CONTENT_ENCODING);
    if !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity") {
        let what = "the response has an encoding that was not requested";
        return Err(AskError::Malformed(what.to_owned()));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| ask_error(&error))? {
        if (bytes.len() + chunk.len()) as u64 > limit {
            return Err(AskError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Returns the media type in lower case, without parameters.
pub(super) fn content_type(headers: &HeaderMap) -> String {
    let value = text(headers, CONTENT_TYPE);
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns a header field as text; empty if it is absent or not ASCII.
pub(super) fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().trim()
}
