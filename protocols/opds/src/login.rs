//! Login with Basic credentials, and the document that describes it.

use axum::body::Body;
use axum::http::header::{self, AUTHORIZATION};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledge_core::http::ApiError;
use ledge_core::http::protocol::{Origin, Params, Presented, Refusal};
use serde_json::{Value, json};

/// Path of the authentication document.
pub(crate) const DOCUMENT: &str = "/opds/auth";

const MIME: &str = "application/opds-authentication+json";
const CHALLENGE: &str = "Basic realm=\"Ledge\", charset=\"UTF-8\"";

/// Parses Basic credentials.
pub(crate) fn credentials(parts: &Parts, _: &Params) -> Presented {
    let mut lines = parts.headers.get_all(AUTHORIZATION).iter();
    let (first, second) = (lines.next(), lines.next());
    match (first, second) {
        (None, _) => Presented::Absent,
        (Some(_), Some(_)) => Presented::Conflicting,
        (Some(value), None) => basic(value).unwrap_or(Presented::Absent),
    }
}

fn basic(value: &HeaderValue) -> Option<Presented> {
    let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = STANDARD.decode(encoded.trim()).ok()?;
    let (username, secret) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    Some(Presented::Secret {
        username: username.to_owned(),
        secret: secret.to_owned(),
    })
}

/// Returns the response to a refused request: the authentication document with a challenge, or an
/// error of the server.
pub(crate) fn refuse(parts: &Parts, _: &Params, refusal: &Refusal) -> Response {
    if let Some(response) = other(refusal) {
        return response;
    }
    let origin = parts.extensions.get::<Origin>();
    let address = address(origin.map_or("", |origin| &origin.0));
    let mut response = (StatusCode::UNAUTHORIZED, document_of(&address)).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::WWW_AUTHENTICATE,
        HeaderValue::from_static(CHALLENGE),
    );
    let link = format!("<{address}>; rel=\"http://opds-spec.org/auth/document\"; type=\"{MIME}\"");
    if let Ok(link) = HeaderValue::try_from(link) {
        headers.insert(header::LINK, link);
    }
    if matches!(refusal, Refusal::Scope(_)) {
        let reason = "This app password lacks the scope publications.";
        headers.insert("x-ledge-reason", HeaderValue::from_static(reason));
    }
    response
}

/// Returns the response to a refusal for another reason than the credentials.
fn other(refusal: &Refusal) -> Option<Response> {
    let Refusal::Other(error) = refusal else {
        return None;
    };
    let error = match error {
        ApiError::TooManyRequests(seconds) => ApiError::TooManyRequests(*seconds),
        ApiError::PayloadTooLarge(message) => ApiError::PayloadTooLarge(message.clone()),
        _ => ApiError::Unavailable,
    };
    Some(error.into_response())
}

/// Returns the authentication document. It names no user and no library.
pub(crate) async fn document(origin: Origin) -> Response {
    document_of(&address(&origin.0))
}

fn address(origin: &str) -> String {
    format!("{origin}{DOCUMENT}")
}

fn document_of(address: &str) -> Response {
    let document: Value = json!({
        "id": address,
        "title": "Ledge",
        "description": "Log in with your username and an app password.",
        "authentication": [{
            "type": "http://opds-spec.org/auth/basic",
            "labels": {"login": "Username", "password": "App password"},
        }],
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(MIME)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, Body::from(document.to_string())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(lines: &[&str]) -> Presented {
        let mut request = axum::http::Request::builder();
        for line in lines {
            request = request.header(AUTHORIZATION, *line);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        credentials(&parts, &Params::default())
    }

    #[test]
    fn only_one_line_with_basic_credentials_is_accepted() {
        // `mia:a:b`
        let right = presented(&["basic bWlhOmE6Yg=="]);
        let expected = Presented::Secret {
            username: "mia".to_owned(),
            secret: "a:b".to_owned(),
        };
        assert!(right == expected);
        for line in [
            "Bearer bWlhOmE6Yg==",
            "Basic",
            "Basic ***",
            "Basic bWlh",
            "Basic /w==",
        ] {
            assert!(presented(&[line]) == Presented::Absent, "{line}");
        }
        assert!(presented(&[]) == Presented::Absent);
        let twice = presented(&["Basic bWlhOmE6Yg==", "Basic bWlhOmE6Yg=="]);
        assert!(twice == Presented::Conflicting);
    }
}
