//! Session token, and the cookie that contains it.

use axum::http::{HeaderMap, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledge_core::rng::random_bytes;
use ledge_core::store::account::session::{LIFETIME, TokenHash};
use sha2::{Digest, Sha256};

/// Name of the cookie over HTTP.
const PLAIN: &str = "ledge_session";
/// Name of the cookie over HTTPS. The prefix makes browsers require `Secure`, `Path=/` and no
/// `Domain`.
const SECURE: &str = "__Host-ledge_session";

/// Secret of a session. It does not implement `Debug`, so that it is never logged.
pub(crate) struct Token(String);

impl Token {
    /// Generates a token of 256 random bits.
    pub(crate) fn random() -> Self {
        Self(URL_SAFE_NO_PAD.encode(random_bytes::<32>()))
    }

    /// Wraps a token that a client sent.
    pub(crate) fn given(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the SHA-256, which the database stores.
    pub(crate) fn hash(&self) -> TokenHash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the secret, for the response that issues it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

/// Location of a request's token.
pub(crate) enum Credential {
    /// The cookie, which browsers send automatically.
    Cookie(Token),
    /// The `Authorization` header, which only programs of the user set.
    Bearer(Token),
}

impl Credential {
    /// Returns the token of a request. `Authorization: Bearer` takes precedence over the cookie.
    /// Other schemes are ignored, because a proxy may use them.
    pub(crate) fn of(headers: &HeaderMap, secure: bool) -> Option<Self> {
        match bearer(headers) {
            Some(token) => Some(Self::Bearer(token)),
            None => cookie(headers, name(secure)).map(Self::Cookie),
        }
    }

    /// Returns the token.
    pub(crate) fn token(&self) -> &Token {
        match self {
            Self::Cookie(token) | Self::Bearer(token) => token,
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<Token> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| Token(token.trim().to_owned()))
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<Token> {
    headers
        .get_all(header::COOKIE)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| Token(value.trim_matches('"').to_owned()))
}

fn name(secure: bool) -> &'static str {
    if secure { SECURE } else { PLAIN }
}

/// Returns the `Set-Cookie` header that sets or renews the cookie.
pub(crate) fn set(token: &Token, secure: bool) -> HeaderValue {
    header_value(&token.0, LIFETIME.as_secs(), secure)
}

/// Returns the `Set-Cookie` header that deletes the cookie.
pub(crate) fn clear(secure: bool) -> HeaderValue {
    header_value("", 0, secure)
}

fn header_value(value: &str, max_age: u64, secure: bool) -> HeaderValue {
    let name = name(secure);
    let suffix = if secure { "; Secure" } else { "" };
    let text = format!("{name}={value}; HttpOnly; SameSite=Lax; Path=/; Max-Age={max_age}{suffix}");
    let mut header =
        HeaderValue::try_from(text).expect("the token is base64 or was a header value");
    header.set_sensitive(true);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, value.parse().expect("a header value"));
        }
        headers
    }

    fn found(lines: &[(header::HeaderName, &str)], secure: bool) -> Option<(String, bool)> {
        Credential::of(&headers(lines), secure).map(|credential| {
            let bearer = matches!(credential, Credential::Bearer(_));
            (credential.token().reveal().to_owned(), bearer)
        })
    }

    #[test]
    fn token_has_256_bits_and_does_not_repeat() {
        let (a, b) = (Token::random(), Token::random());
        assert_eq!(
            URL_SAFE_NO_PAD.decode(a.reveal()).expect("base64").len(),
            32
        );
        assert_ne!(a.reveal(), b.reveal());
        assert_ne!(a.hash(), b.hash());
    }

    #[test]
    fn cookie_has_all_protective_attributes() {
        let token = Token("abc".to_owned());
        assert_eq!(
            set(&token, false),
            "ledge_session=abc; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"
        );
        assert_eq!(
            set(&token, true),
            "__Host-ledge_session=abc; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000; Secure"
        );
        assert_eq!(
            clear(false),
            "ledge_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0"
        );
    }

    #[test]
    fn http_and_https_cookies_do_not_shadow_each_other() {
        let both = [(
            header::COOKIE,
            "a=b; ledge_session=plain; __Host-ledge_session=secure",
        )];
        assert_eq!(found(&both, false), Some(("plain".to_owned(), false)));
        assert_eq!(found(&both, true), Some(("secure".to_owned(), false)));
        let plain = [(header::COOKIE, "ledge_session=plain")];
        assert_eq!(found(&plain, true), None);
    }

    #[test]
    fn bearer_token_takes_precedence_and_other_schemes_are_ignored() {
        let cookie = (header::COOKIE, "ledge_session=c");
        let bearer = (header::AUTHORIZATION, "bearer t");
        let basic = (header::AUTHORIZATION, "Basic dTpw");
        assert_eq!(
            found(&[cookie.clone(), bearer], false),
            Some(("t".to_owned(), true))
        );
        assert_eq!(
            found(&[cookie, basic.clone()], false),
            Some(("c".to_owned(), false))
        );
        assert_eq!(found(&[basic], false), None);
    }
}
