//! Shared test support of providers: recorded responses instead of the network, and damaged
//! responses.

pub mod damage;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::registry::MetadataProvider;
use ledge_core::registry::provider::{AskError, Lookup, Net, Request, Response, Settings};
use serde_json::Value;

/// Network with recorded responses, which records its requests.
#[derive(Debug, Default)]
pub struct Recorded {
    answers: Mutex<Vec<(String, Result<Response, AskError>)>>,
    asked: Mutex<Vec<String>>,
    kept: Mutex<BTreeMap<String, (String, Duration)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorded {
    /// Creates a network that responds to everything with 404.
    pub fn new() -> Self {
        Self::default()
    }

    /// Responds with JSON to the next request whose URL, fields or body contain a text.
    #[must_use]
    pub fn answers(self, part: &str, json: &Value) -> Self {
        let body = json.to_string().into_bytes();
        self.gives(
            part,
            Ok(Response {
                status: 200,
                content_type: "application/json".to_owned(),
                body,
            }),
        )
    }

    /// Responds with an error status to the next request that contains a text.
    #[must_use]
    pub fn refuses(self, part: &str, code: u16) -> Self {
        let retry_after = None;
        self.gives(part, Err(AskError::Status { code, retry_after }))
    }

    /// Responds with any result to the next request that contains a text.
    #[must_use]
    pub fn gives(self, part: &str, answer: Result<Response, AskError>) -> Self {
        locked(&self.answers).push((part.to_owned(), answer));
        self
    }

    /// Returns every request so far: its URL, fields and body, decoded.
    pub fn asked(&self) -> Vec<String> {
        locked(&self.asked).clone()
    }

    /// Returns the value stored under a key, and its lifetime.
    pub fn kept(&self, key: &str) -> Option<(String, Duration)> {
        locked(&self.kept).get(key).cloned()
    }
}

impl Net for Recorded {
    fn send(&self, request: &Request) -> Result<Response, AskError> {
        let fields: Vec<String> = request
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let body = request.body.as_ref().map(|body| body.bytes.as_slice());
        let body = String::from_utf8_lossy(body.unwrap_or_default()).into_owned();
        let text = format!("{} {} {body}", decoded(&request.url), fields.join(" "));
        locked(&self.asked).push(text.clone());
        let mut answers = locked(&self.answers);
        match answers
            .iter()
            .position(|(part, _)| text.contains(part.as_str()))
        {
            Some(place) => answers.remove(place).1,
            None => Err(AskError::Status {
                code: 404,
                retry_after: None,
            }),
        }
    }

    fn remembered(&self, key: &str) -> Option<String> {
        Some(locked(&self.kept).get(key)?.0.clone())
    }

    fn remember(&self, key: &str, value: &str, lifetime: Duration) {
        locked(&self.kept).insert(key.to_owned(), (value.to_owned(), lifetime));
    }

    fn forget(&self, key: &str) {
        locked(&self.kept).remove(key);
    }
}

/// Decodes the percent-encoding of a URL.
fn decoded(url: &str) -> String {
    let bytes = url.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or_default();
        let hex = url.get(at + 1..at + 3).filter(|_| byte == b'%');
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(if byte == b'+' { b' ' } else { byte });
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Opens a provider with its default settings and these values.
///
/// # Panics
///
/// Panics if a value is invalid, or if the provider needs another one.
pub fn opened(provider: &MetadataProvider, values: &[(&str, &str)]) -> Box<dyn Lookup> {
    let mut settings = Settings::defaults(provider.settings);
    for (variable, value) in values {
        let setting = provider
            .settings
            .iter()
            .find(|setting| setting.variable == *variable);
        let setting = setting.expect("a setting of the provider");
        settings
            .set(setting, value)
            .expect("a value that can be used");
    }
    (provider.open)(&settings).expect("a provider that can be asked")
}
