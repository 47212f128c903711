//! Simple HTTP client of the API. Every status is a valid result.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderMap, Request};
use ureq::{Agent, RequestExt};

use crate::events::Events;

/// Timeout of each step of a request.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// Client of one server, signed in as a user or anonymous.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// Response of the server.
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: HeaderMap,
    /// Body without decompression.
    pub body: Vec<u8>,
}

impl Client {
    /// Creates a client that is not signed in.
    pub fn new(base: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .allow_non_standard_methods(true)
            // A global timeout would start a thread per request that resolves the host, and
            // benchmarks would measure that.
            .timeout_connect(Some(MAX_WAIT))
            .timeout_per_read(Some(MAX_WAIT))
            .timeout_per_write(Some(MAX_WAIT))
            .build();
        Self {
            agent: config.into(),
            base: base.to_owned(),
            token: None,
        }
    }

    /// Returns the same client with this session token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// Returns the same client without a session.
    #[must_use]
    pub fn anonymous(&self) -> Self {
        Self {
            token: None,
            ..self.clone()
        }
    }

    /// Returns the URL of the server: `http://127.0.0.1:8484`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the session token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns a client that is signed in as this user.
    ///
    /// # Panics
    ///
    /// Panics if the server refuses.
    #[must_use]
    pub fn sign_in(&self, username: &str, password: &str) -> Self {
        let body = serde_json::json!({"username": username, "password": password});
        let answer = self.anonymous().post("/auth/login", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let json = answer.json();
        self.with_token(json["token"].as_str().expect("a token"))
    }

    /// Sends a request. `path` is below `/api/v1`, unless it begins with `//`, which is the
    /// server's root.
    ///
    /// # Panics
    ///
    /// Panics if there is no response.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Answer {
        self.try_send(method, path, headers, body)
            .expect("an answer")
    }

    /// Like [`Client::send`], for a server that may be killed meanwhile.
    ///
    /// # Panics
    ///
    /// Panics if the request is invalid.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<Answer, ureq::Error> {
        let url = match path.strip_prefix("//") {
            Some(rest) => format!("{}/{rest}", self.base),
            None => format!("{}/api/v1{path}", self.base),
        };
        let mut request = Request::builder().method(method).uri(url);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let send = |agent: &Agent| match body {
            Some(body) => request
                .body(body)
                .expect("a request")
                .with_agent(agent)
                .run(),
            None => request.body(()).expect("a request").with_agent(agent).run(),
        };
        let mut response = send(&self.agent)?;
        let body = response
            .body_mut()
            .with_config()
            .limit(1 << 32)
            .read_to_vec()?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body,
        })
    }

    /// Opens the event stream.
    ///
    /// # Panics
    ///
    /// Panics if the server refuses.
    pub fn events(&self) -> Events {
        self.events_after("")
    }

    /// Opens the event stream again, after the event with this id.
    ///
    /// # Panics
    ///
    /// Panics if the server refuses.
    pub fn events_after(&self, last_id: &str) -> Events {
        let url = format!("{}/api/v1/events", self.base);
        let mut request = self.agent.get(url);
        if !last_id.is_empty() {
            request = request.header("Last-Event-ID", last_id);
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let answer = request.call().expect("an answer");
        assert_eq!(answer.status(), 200);
        Events::read(answer.into_body().into_reader())
    }

    /// Sends a `GET`.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None)
    }

    /// Sends a `DELETE`.
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None)
    }

    /// Sends a `POST` with a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    /// Sends a `PUT` with a JSON body.
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body)
    }

    /// Sends a `PATCH` with a JSON body.
    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body)
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json")];
        self.send(method, path, &headers, Some(body.to_string().as_bytes()))
    }
}

impl Answer {
    /// Returns the body as JSON, or `null` if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns a header field as text, or an empty text if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Returns the response if it has this status.
    ///
    /// # Panics
    ///
    /// Panics if it has another status.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "most callers only want to know the status"
    )]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Returns the error code.
    pub fn code(&self) -> String {
        self.json()["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: String = String::from_utf8_lossy(&self.body)
            .chars()
            .take(600)
            .collect();
        write!(f, "{} {:?} {body}", self.status, self.headers)
    }
}
