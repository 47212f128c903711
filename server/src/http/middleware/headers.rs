//! Headers of every response. Headers that a handler has set stay.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, Entry, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Sets headers that prevent content sniffing, hide paths from other sites, and prevent the storage
/// of JSON. Paths of the API and of protocols are hidden from all pages.
pub(crate) fn set(headers: &mut HeaderMap, is_api: bool) {
    default(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    let referrer = if is_api { "no-referrer" } else { "same-origin" };
    default(headers, REFERRER_POLICY, referrer);
    if is_api || is_json(headers) {
        default(headers, CACHE_CONTROL, "no-store");
    }
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
