//! Embedded web UI: its files, and the entry document for every client-side page.

mod asset;
mod encoding;
mod packed;
#[cfg(test)]
mod tests;

use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Response};
use ledge_core::http::ApiError;

use asset::Asset;

/// Directives that exclude the private pages of a library from search engines.
const ROBOTS: &str = "User-agent: *\nDisallow: /\n";

/// Folder of build files whose names contain a hash.
const HASHED: &str = "assets/";

/// Responds to a path outside the API.
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
    // This includes hashed files of an older build, which an open tab may still request. A browser
    // does not run HTML as a script. `no-cache` prevents a later use of the document for that
    // address.
    match Asset::entry() {
        Some(entry) => entry.respond(headers),
        None => ApiError::NotFound("file").into_response(),
    }
}
