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

/// A library is private: no page of it belongs into a search engine.
const ROBOTS: &str = "User-agent: *\nDisallow: /\n";

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
    if name == "robots.txt" {
        let headers = [
            (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        return (headers, ROBOTS).into_response();
    }
    // Also for a hashed file of another build, which a tab may still ask for. A browser does not run
    // HTML as a script, and `no-cache` keeps it from using the document for that address again.
    match Asset::entry() {
        Some(entry) => entry.respond(headers),
        None => ApiError::NotFound("file").into_response(),
    }
}
