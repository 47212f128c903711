//! Rejections outside the handlers: unknown paths, wrong methods and panics.

use std::any::Any;

use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};
use ledge_core::http::ApiError;
use ledge_core::http::protocol::Protocol;

use crate::http::ui;

/// Responds to an unknown path: with a JSON error below `/api/`, `/healthz`, `/metrics` and the
/// mounts of protocols, with the web UI elsewhere.
pub(crate) async fn unknown_path(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if is_api(uri.path()) {
        return ApiError::NotFound("path").into_response();
    }
    ui::serve(&method, uri.path(), &headers)
}

/// Responds to a known path with an unsupported method; the router adds `Allow`.
pub(crate) async fn wrong_method() -> ApiError {
    ApiError::MethodNotAllowed
}

/// Returns `true` if a path denotes the API in any spelling. `//api`, `/%61pi`, `/x/../api` and
/// `/API.` are not routes, and they must not be answered with a page of the web UI.
pub(crate) fn is_api(path: &str) -> bool {
    // Fast path for the normal spelling.
    if path.starts_with("/api/") && !path.contains(['%', '\\']) && !path.contains("..") {
        return true;
    }
    let mut folders: Vec<String> = Vec::new();
    for segment in decoded(path).split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => drop(folders.pop()),
            name => folders.push(name.trim_end_matches(['.', ' ']).to_ascii_lowercase()),
        }
    }
    let first = folders.first().map_or("", String::as_str);
    matches!(first, "api" | "healthz" | "metrics") || is_mount(first)
}

/// Returns `true` if the first segment of a path is the mount of a protocol, enabled or not. An app
/// must not receive a page of the web UI.
fn is_mount(segment: &str) -> bool {
    let mut protocols = inventory::iter::<Protocol>();
    protocols.any(|protocol| protocol.mount.strip_prefix('/') == Some(segment))
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let escaped = (byte == b'%')
            .then(|| Some((hex(ahead.next()?)?, hex(ahead.next()?)?)))
            .flatten();
        if let Some((high, low)) = escaped {
            bytes.push(high << 4 | low);
            rest = ahead;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Converts a panic of a handler to an internal error.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ApiError::Internal(anyhow::anyhow!("a handler panicked: {text}")).into_response()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn api_path_is_recognised_with_escapes_and_any_case(
            escaped in proptest::collection::vec(any::<(bool, bool)>(), 3),
            rest in "[ -~]{0,12}",
        ) {
            let spelled = |(letter, (escape, upper)): (char, (bool, bool))| {
                let letter = if upper { letter.to_ascii_uppercase() } else { letter };
                if escape {
                    format!("%{:02x}", u32::from(letter))
                } else {
                    letter.to_string()
                }
            };
            let word: String = "api".chars().zip(escaped).map(spelled).collect();
            let path = format!("/{word}/{rest}");
            prop_assume!(!rest.to_lowercase().contains("%2e") && !rest.contains(".."));
            prop_assert!(is_api(&path), "{}", path);
        }

        #[test]
        fn doubled_slash_does_not_change_the_decision(path in ".{0,64}") {
            let with_slash = format!("/{path}");
            prop_assert_eq!(is_api(&with_slash), is_api(&format!("//{path}")));
        }
    }

    #[test]
    fn api_path_is_recognised_in_every_spelling() {
        for path in [
            "/api",
            "/api/",
            "/api/v1/items",
            "//api/v1",
            "/API/v1",
            "/%61pi/v1",
            "/api%2fv1",
            "/./api",
            "/x/../api",
            "/x/%2e%2e/api",
            "/api./v1",
            "\\api",
            "/opds/nope",
            "/%6fpds/v1.2",
            "/healthz/x",
            "/HealthZ",
            "/metrics",
        ] {
            assert!(is_api(path), "{path}");
        }
        for path in [
            "/",
            "/apis",
            "/browse/api",
            "/%zzapi",
            "/api-docs",
            "/healthzz",
            "/%",
            "/%6",
        ] {
            assert!(!is_api(path), "{path}");
        }
    }
}
