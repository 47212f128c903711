//! Login with Basic credentials, and the document that describes it.

use axum::body::Body;
use axum::http::header::{self, AUTHORIZATION};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledge_core::http::protocol::{Origin, Params, Presented, Refusal};
use serde_json::{Value, json};

/// Path of the authentication document.
pub(crate) const DOCUMENT: &str = "/opds/auth";

/// Media type of the authentication document.
pub(crate) const MIME: &str = "application/opds-authentication+json";
const CHALLENGE: &str = "Basic realm=\"Ledge\", charset=\"UTF-8\"";
const LINK: &str = "</opds/auth>; rel=\"http://opds-spec.org/auth/document\"";

/// Description of the login.
const LOG_IN: &str = "Log in with your username and an app password.";
/// Description for an app password that lacks the scope.
const NO_SCOPE: &str =
    "This app password lacks the scope publications: create an app password with it.";

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
pub(crate) fn refuse(parts: &Parts, _: &Params, refusal: Refusal) -> Response {
    let description = match refusal {
        Refusal::Other(error) => return error.into_response(),
        Refusal::Scope(_) => NO_SCOPE,
        _ => LOG_IN,
    };
    let origin = parts.extensions.get::<Origin>();
    let document = document_of(origin.map_or("", |origin| &origin.0), description);
    let mut response = (StatusCode::UNAUTHORIZED, document).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::WWW_AUTHENTICATE,
        HeaderValue::from_static(CHALLENGE),
    );
    headers.insert(header::LINK, HeaderValue::from_static(LINK));
    response
}

/// Returns the authentication document. It names no user and no library.
pub(crate) async fn document(origin: Origin) -> Response {
    document_of(&origin.0, LOG_IN)
}

fn document_of(origin: &str, description: &str) -> Response {
    let address = |path: &str| format!("{origin}{path}");
    let document: Value = json!({
        "id": address(DOCUMENT),
        "title": "Ledge",
        "description": description,
        "links": [
            {"rel": "logo", "href": address("/icon-192.png"), "type": "image/png"},
            {"rel": "help", "href": address("/settings/apps"), "type": "text/html"},
        ],
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
