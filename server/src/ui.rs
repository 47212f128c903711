//! The embedded web UI: its files, and the entry document for every page they draw.

mod asset;
mod encoding;
mod packed;
#[cfg(test)]
mod tests;

use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use ledge_core::http::ApiError;

use asset::Asset;

/// Where the build puts the files whose names carry their hash.
const HASHED: &str = "assets/";

/// Answers a path that is not the API's.
pub(crate) fn serve(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let allow = [(header::ALLOW, "GET,HEAD")];
        return (allow, ApiError::MethodNotAllowed).into_response();
    }
    let name = path.trim_start_matches('/');
    if let Some(asset) = Asset::get(name) {
        return asset.respond(headers);
    }
    if let Some(asset) = name.strip_prefix(HASHED).and_then(packed::of_a_kind) {
        return packed::respond(&asset, headers);
    }
    // A hashed file that is gone belongs to an older build that is still open in some tab. The
    // entry document in its place would be run as a script, fail, and be kept for a year.
    if name.starts_with(HASHED) {
        return ApiError::NotFound("file").into_response();
    }
    match Asset::entry() {
        Some(entry) => entry.respond(headers),
        None => ApiError::NotFound("file").into_response(),
    }
}
