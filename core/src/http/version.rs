//! Versions as entity tags: `ETag` of responses, and `If-Match` of requests.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::ApiJson;
use super::content::conditional::entity_tags;
use crate::version::ExpectedVersion;

/// JSON response with the version of the resource as its entity tag.
#[derive(Debug)]
pub struct Versioned<T> {
    /// Version of the resource.
    pub version: i64,
    /// Body of the response.
    pub body: T,
}

impl<T: Serialize> IntoResponse for Versioned<T> {
    fn into_response(self) -> Response {
        (etag(self.version), ApiJson(self.body)).into_response()
    }
}

/// Returns the entity tag of a version as a header field.
pub fn etag(version: i64) -> [(header::HeaderName, HeaderValue); 1] {
    let tag = HeaderValue::try_from(format!("\"{version}\"")).expect("digits are a header value");
    [(header::ETAG, tag)]
}

impl<S: Send + Sync> FromRequestParts<S> for ExpectedVersion {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(expected(&parts.headers))
    }
}

/// Parses `If-Match`. A weak or unknown tag matches no version (RFC 9110, section 13.1.1).
fn expected(headers: &HeaderMap) -> ExpectedVersion {
    if !headers.contains_key(header::IF_MATCH) {
        return ExpectedVersion::Any;
    }
    let values = headers.get_all(header::IF_MATCH).iter();
    let tags: Vec<&str> = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(entity_tags)
        .collect();
    if tags.contains(&"*") {
        return ExpectedVersion::Any;
    }
    let version = |tag: &&str| tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok();
    ExpectedVersion::OneOf(tags.iter().filter_map(version).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_accepts_strong_tags_of_versions() {
        use ExpectedVersion::{Any, OneOf};
        for (values, result) in [
            (&[][..], Any),
            (&["*"], Any),
            (&["\"3\""], OneOf(vec![3])),
            (&["\"3\", \"4\"", "\"5\""], OneOf(vec![3, 4, 5])),
            (&["W/\"3\""], OneOf(vec![])),
            (&["3"], OneOf(vec![])),
            (&["\"x\""], OneOf(vec![])),
            (&[""], OneOf(vec![])),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                let value = HeaderValue::try_from(*value).expect("a value");
                headers.append(header::IF_MATCH, value);
            }
            assert_eq!(expected(&headers), result, "{values:?}");
        }
    }
}
