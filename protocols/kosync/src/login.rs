//! Login with the MD5 of the app password or with Basic credentials, and the routes about it.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledge_core::http::protocol::{Params, Presented, Refusal};
use serde_json::json;

use crate::reply;

const USER: HeaderName = HeaderName::from_static("x-auth-user");
const KEY: HeaderName = HeaderName::from_static("x-auth-key");

/// Parses the credentials. Basic credentials take precedence: a program that sends both repeats a
/// request whose other credentials were wrong.
pub(crate) fn credentials(parts: &Parts, _: &Params) -> Presented {
    let lines = [AUTHORIZATION, USER, KEY].map(|name| single(&parts.headers, &name));
    let [Ok(authorization), Ok(username), Ok(key)] = lines else {
        return Presented::Conflicting;
    };
    if let Some(basic) = authorization.and_then(basic) {
        return basic;
    }
    match (username.and_then(text), key.and_then(text)) {
        (Some(username), Some(md5)) => Presented::Md5 { username, md5 },
        _ => Presented::Absent,
    }
}

/// Returns the value of a header, or an error if the request repeats it.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ()> {
    let mut lines = headers.get_all(name).iter();
    match (lines.next(), lines.next()) {
        (_, Some(_)) => Err(()),
        (line, None) => Ok(line),
    }
}

fn text(value: &HeaderValue) -> Option<String> {
    let text = std::str::from_utf8(value.as_bytes()).ok()?;
    Some(text.to_owned())
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

/// Returns the response to a refused request.
pub(crate) fn refuse(_: &Parts, _: &Params, refusal: Refusal) -> Response {
    let message = match refusal {
        Refusal::Other(error) => return reply::server_error(error),
        Refusal::Scope(_) => {
            "This app password lacks the scope places: create an app password with it."
        }
        _ => "Log in with your username and an app password.",
    };
    reply::error(StatusCode::UNAUTHORIZED, reply::UNAUTHORIZED, message)
}

/// Returns the state of the server.
pub(crate) async fn healthcheck() -> Response {
    reply::value(StatusCode::OK, &json!({ "state": "OK" }))
}

/// Rejects a registration: users create app passwords in Ledge.
pub(crate) async fn create() -> Response {
    reply::error(
        StatusCode::PAYMENT_REQUIRED,
        reply::REGISTRATION,
        "Make an app password in Ledge, then log in.",
    )
}

/// Confirms a login.
pub(crate) async fn authorized() -> Response {
    reply::value(StatusCode::OK, &json!({ "authorized": "OK" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(lines: &[(&str, &str)]) -> Presented {
        let mut request = axum::http::Request::builder();
        for (name, value) in lines {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        credentials(&parts, &Params::default())
    }

    #[test]
    fn both_forms_of_credentials_are_parsed_and_repeated_ones_conflict() {
        let md5 = Presented::Md5 {
            username: "mia".to_owned(),
            md5: "0f".to_owned(),
        };
        // `mia:a:b`
        let basic = ("authorization", "Basic bWlhOmE6Yg==");
        let secret = Presented::Secret {
            username: "mia".to_owned(),
            secret: "a:b".to_owned(),
        };
        let (user, key) = (("x-auth-user", "mia"), ("x-auth-key", "0f"));
        assert!(presented(&[user, key]) == md5);
        assert!(presented(&[basic]) == secret);
        assert!(presented(&[user, key, basic]) == secret);
        assert!(presented(&[user, key, ("authorization", "Bearer x")]) == md5);
        for absent in [&[][..], &[user], &[key], &[("authorization", "Basic *")]] {
            assert!(presented(absent) == Presented::Absent);
        }
        for repeated in [&[user, user, key][..], &[user, key, key], &[basic, basic]] {
            assert!(presented(repeated) == Presented::Conflicting);
        }
    }
}
