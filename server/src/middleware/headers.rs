//! Headers of every answer. What a handler set already stands.

use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, Entry, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Keeps browsers from guessing types, from telling other sites where they were, and from
/// keeping JSON.
pub(crate) async fn set(request: Request, next: Next) -> Response {
    let is_api = super::refuse::is_api(request.uri().path());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(headers, REFERRER_POLICY, "same-origin");
    if is_api || is_json(headers) {
        default(headers, CACHE_CONTROL, "no-store");
    }
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value == "application/json")
}

fn default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    if let Entry::Vacant(entry) = headers.entry(name) {
        entry.insert(HeaderValue::from_static(value));
    }
}
