//! A plain HTTP client of the API: every status is an answer.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderMap, Request};
use ureq::{Agent, RequestExt};

use crate::events::Events;

/// How long each step of a request may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// Sends requests to one server, as one user or as nobody.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// What the server answered.
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl Client {
    /// A client that is not signed in.
    pub fn new(base: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .allow_non_standard_methods(true)
            // Not one for all together: each request would begin a thread that resolves the host,
            // and benchmarks would measure that.
            .timeout_connect(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .timeout_per_write(Some(PATIENCE))
            .build();
        Self {
            agent: config.into(),
            base: base.to_owned(),
            token: None,
        }
    }

    /// The same client with this session's token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The same client as nobody.
    #[must_use]
    pub fn anonymous(&self) -> Self {
        Self {
            token: None,
            ..self.clone()
        }
    }

    /// Where the server is: `http://127.0.0.1:8484`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The session's token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// A client signed in as this user.
    ///
    /// # Panics
    /// If the server refuses.
    #[must_use]
    pub fn sign_in(&self, username: &str, password: &str) -> Self {
        let body = serde_json::json!({"username": username, "password": password});
        let answer = self.anonymous().post("/auth/login", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let json = answer.json();
        self.with_token(json["token"].as_str().expect("a token"))
    }

    /// Sends a request; `path` begins below `/api/v1`, unless it begins with `//`, which stands
    /// for the server's root.
    ///
    /// # Panics
    /// If no answer comes.
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

    /// As [`Client::send`], for whoever reckons with a server that dies meanwhile.
    ///
    /// # Panics
    /// If the request is none.
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

    /// Opens the stream of events.
    ///
    /// # Panics
    /// If the server refuses.
    pub fn events(&self) -> Events {
        self.events_after("")
    }

    /// Opens the stream of events again, after the one that ended at this id.
    ///
    /// # Panics
    /// If the server refuses.
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

    /// `GET`.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None)
    }

    /// `DELETE`.
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None)
    }

    /// `POST` with a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    /// `PUT` with a JSON body.
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body)
    }

    /// `PATCH` with a JSON body.
    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body)
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        let headers = [("Content-Type", "application/json")];
        self.send(method, path, &headers, Some(body.to_string().as_bytes()))
    }
}

impl Answer {
    /// The body as JSON; `null` where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A header field as text; empty where it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The answer, if it has this status.
    ///
    /// # Panics
    /// If it has another.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "most callers only want to know the status"
    )]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The error's code.
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
