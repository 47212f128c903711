//! Login: a key, a token, or a name with a secret.

use axum::http::request::Parts;
use axum::response::Response;
use ledge_core::http::protocol::{Params, Presented, Refusal};

use crate::envelope;
use crate::failure::{Code, Failure};

/// Parameters of the login. A repeated one is refused.
const PARAMETERS: [&str; 5] = ["apiKey", "u", "p", "t", "s"];

/// Longest salt in bytes.
const MAX_SALT: usize = 256;
/// Digits of a token.
const TOKEN: usize = 32;

/// Methods that respond to an error with status 404, because their results have no envelope.
pub(crate) const MEDIA: [&str; 4] = ["stream", "download", "getCoverArt", "getAvatar"];

/// Parses the credentials. Cookies and the header `Authorization` are ignored.
pub(crate) fn credentials(_: &Parts, params: &Params) -> Presented {
    if PARAMETERS
        .iter()
        .any(|name| params.all(name).nth(1).is_some())
    {
        return Presented::Conflicting;
    }
    let [key, username, secret, token, salt] =
        PARAMETERS.map(|name| params.first(name).map(str::to_owned));
    match (key, username, secret, token) {
        (Some(_), Some(_), _, _) | (Some(_), _, Some(_), _) | (Some(_), _, _, Some(_)) => {
            Presented::Conflicting
        }
        (None, _, Some(_), Some(_)) => Presented::Conflicting,
        (Some(secret), ..) => Presented::Key { secret },
        (None, Some(username), Some(secret), None) => Presented::Secret {
            username,
            secret: decoded(&secret),
        },
        (None, Some(username), None, Some(md5)) => {
            salt.map_or(Presented::Absent, |salt| token_of(username, md5, salt))
        }
        _ => Presented::Absent,
    }
}

/// Returns a token. One of a wrong form becomes an empty one, which is refused like a wrong one.
fn token_of(username: String, md5: String, salt: String) -> Presented {
    let is_token = md5.len() == TOKEN && md5.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_salt = (1..=MAX_SALT).contains(&salt.len());
    Presented::Token {
        username,
        md5: if is_token && is_salt {
            md5
        } else {
            String::new()
        },
        salt,
    }
}

/// Returns the secret of the parameter `p`. A malformed `enc:` is an empty secret.
fn decoded(text: &str) -> String {
    match text.strip_prefix("enc:") {
        None => text.to_owned(),
        Some(digits) => from_hex(digits).unwrap_or_default(),
    }
}

fn from_hex(digits: &str) -> Option<String> {
    let nibbles: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(16)).collect();
    let nibbles = nibbles?;
    let (pairs, []) = nibbles.as_chunks::<2>() else {
        return None;
    };
    let byte = |[high, low]: &[u32; 2]| u8::try_from(high * 16 + low).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Returns the response to a refused request.
pub(crate) fn refuse(parts: &Parts, params: &Params, refusal: Refusal) -> Response {
    let failure = match refusal {
        Refusal::Absent => Failure::new(
            Code::MissingParameter,
            "Log in with your username and an app password.",
        ),
        Refusal::Conflicting => Failure::new(
            Code::ConflictingCredentials,
            "Log in with one kind of credentials, each parameter once.",
        ),
        Refusal::Wrong => Failure::new(
            Code::WrongCredentials,
            "Wrong username or app password. The account password does not work here.",
        ),
        Refusal::WrongKey => Failure::new(Code::WrongKey, "Wrong key."),
        Refusal::NoTokens => Failure::new(
            Code::NoTokens,
            "The server cannot check tokens. Log in with the app password itself.",
        ),
        Refusal::Scope(_) => Failure::new(
            Code::WrongCredentials,
            "This app password lacks the scope recordings: create an app password with it.",
        ),
        Refusal::Other(error) => error.into(),
    };
    let name = parts.uri.path().rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".view").unwrap_or(name);
    let failure = if MEDIA.contains(&name) {
        failure.of_media()
    } else {
        failure
    };
    envelope::respond(params, Err(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(pairs: &[(&str, &str)]) -> Presented {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let (parts, ()) = axum::http::Request::new(()).into_parts();
        credentials(&parts, &Params::new(pairs.collect()))
    }

    #[test]
    fn one_kind_of_credentials_is_read() {
        let secret = |secret: &str| Presented::Secret {
            username: "mia".to_owned(),
            secret: secret.to_owned(),
        };
        assert!(presented(&[("u", "mia"), ("p", "a%_b")]) == secret("a%_b"));
        assert!(presented(&[("u", "mia"), ("p", "enc:c3A9")]) == secret("é"));
        for wrong in ["enc:c3", "enc:c", "enc:xy", "enc:", "enc:é"] {
            assert!(
                presented(&[("u", "mia"), ("p", wrong)]) == secret(""),
                "{wrong}"
            );
        }
        let key = Presented::Key {
            secret: "k".to_owned(),
        };
        assert!(presented(&[("apiKey", "k")]) == key);
    }

    #[test]
    fn tokens_of_wrong_form_are_empty() {
        let token = "26719a1196d2a940705a59634eb18eab";
        let md5 =
            |token: &str, salt: &str| match presented(&[("u", "mia"), ("t", token), ("s", salt)]) {
                Presented::Token { md5, .. } => Some(md5),
                _ => None,
            };
        assert_eq!(md5(token, "c19b2d").as_deref(), Some(token));
        let long = "s".repeat(257);
        for (token, salt) in [("", "s"), ("26719a", "s"), (token, ""), (token, &long)] {
            assert_eq!(md5(token, salt).as_deref(), Some(""), "{token} {salt}");
        }
    }

    #[test]
    fn several_kinds_conflict_and_parts_are_absent() {
        for pairs in [
            &[("apiKey", "k"), ("u", "mia")][..],
            &[("apiKey", "k"), ("p", "x")],
            &[("u", "mia"), ("p", "x"), ("t", "y"), ("s", "z")],
            &[("u", "mia"), ("u", "mia"), ("p", "x")],
            &[("u", "mia"), ("p", "x"), ("p", "x")],
        ] {
            assert!(presented(pairs) == Presented::Conflicting, "{pairs:?}");
        }
        for pairs in [
            &[][..],
            &[("u", "mia")],
            &[("p", "x")],
            &[("u", "mia"), ("t", "y")],
        ] {
            assert!(presented(pairs) == Presented::Absent, "{pairs:?}");
        }
    }
}
