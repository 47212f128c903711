//! The access token: requested with the client's credentials and stored for its lifetime.

use std::time::Duration;

use form_urlencoded::Serializer;
use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{AskError, Base, Net, Request, Secret};
use serde_json::Value;

/// Storage key of the token.
const KEY: &str = "token";

/// Margin by which a stored token expires before the server's limit.
const EXPIRY_MARGIN: Duration = Duration::from_mins(5);

/// Upper limit for the time that a token is stored, even if the server declares a longer lifetime.
const MAX_LIFETIME: Duration = Duration::from_hours(90 * 24);

/// Returns the stored token, or requests a new one.
pub(crate) fn token(
    client: &str,
    secret: &Secret,
    from: &Base,
    net: &dyn Net,
) -> Result<String, AskError> {
    match net.remembered(KEY) {
        Some(token) => Ok(token),
        None => fetch(client, secret, from, net),
    }
}

/// Removes the stored token after the server rejected it.
pub(crate) fn discard(net: &dyn Net) {
    net.forget(KEY);
}

fn fetch(client: &str, secret: &Secret, from: &Base, net: &dyn Net) -> Result<String, AskError> {
    let body = Serializer::new(String::new())
        .append_pair("client_id", client)
        .append_pair("client_secret", secret.reveal())
        .append_pair("grant_type", "client_credentials")
        .finish();
    let request = Request::post(from.join(""), "application/x-www-form-urlencoded", body);
    let answer: Value = net.json(&request)?;
    let (token, lifetime) = read(&answer)?;
    net.remember(KEY, &token, lifetime);
    Ok(token)
}

/// Returns the token of a response and the time for which to store it.
pub(crate) fn read(answer: &Value) -> Result<(String, Duration), AskError> {
    let token = lenient_json::line(answer, "access_token")
        .filter(|token| token.bytes().all(|b| b.is_ascii_graphic()))
        .ok_or_else(|| AskError::Malformed("the answer contains no access token".to_owned()))?;
    let seconds = lenient_json::integer(answer, "expires_in").unwrap_or(0);
    let lifetime = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    Ok((
        token,
        lifetime.saturating_sub(EXPIRY_MARGIN).min(MAX_LIFETIME),
    ))
}
