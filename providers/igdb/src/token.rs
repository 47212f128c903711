//! The access token: fetched with the client's credentials, kept for its lifetime.

use std::time::Duration;

use form_urlencoded::Serializer;
use ledge_core::enrich::loose;
use ledge_core::registry::provider::{AskError, Base, Net, Request, Secret};
use serde_json::Value;

/// The name it is kept under.
const KEY: &str = "token";

/// A token is given up so long before its end.
const EARLY: Duration = Duration::from_mins(5);

/// The longest a token is kept, whatever is said of it.
const LONGEST: Duration = Duration::from_hours(90 * 24);

/// The token that is kept, or a new one.
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

/// Gives up the token that was refused.
pub(crate) fn give_up(net: &dyn Net) {
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

/// The token in an answer, and how long to keep it.
pub(crate) fn read(answer: &Value) -> Result<(String, Duration), AskError> {
    let token = loose::line(answer, "access_token")
        .filter(|token| token.bytes().all(|b| b.is_ascii_graphic()))
        .ok_or_else(|| AskError::Malformed("the answer holds no access token".to_owned()))?;
    let seconds = loose::integer(answer, "expires_in").unwrap_or(0);
    let lifetime = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    Ok((token, lifetime.saturating_sub(EARLY).min(LONGEST)))
}
