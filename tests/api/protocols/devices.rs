//! Apps of other programs, which log in with an app password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

/// An app with the value of its `Authorization` header.
pub(super) struct Device {
    client: Client,
    authorization: String,
}

impl Device {
    /// Creates an app with these Basic credentials.
    pub(super) fn new(server: &Server, username: &str, secret: &str) -> Self {
        let pair = STANDARD.encode(format!("{username}:{secret}"));
        Self {
            client: server.client().anonymous(),
            authorization: format!("Basic {pair}"),
        }
    }

    pub(super) fn send(&self, method: &str, path: &str) -> Answer {
        self.send_with(method, path, &[])
    }

    /// Sends a request with further headers.
    pub(super) fn send_with(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut headers = headers.to_vec();
        headers.push(("Authorization", self.authorization.as_str()));
        self.client
            .send(method, &format!("/{path}"), &headers, None)
    }

    /// Sends a document.
    pub(super) fn put(&self, path: &str, body: &[u8]) -> Answer {
        let headers = [("Authorization", self.authorization.as_str())];
        self.client
            .send("PUT", &format!("/{path}"), &headers, Some(body))
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path)
    }
}

/// Creates an app password with these scopes. Returns the response.
pub(super) fn issue(owner: &Client, scopes: &[&str]) -> Value {
    let body = json!({"name": "Reader", "scopes": scopes});
    owner.post("/app-passwords", &body).expect(201).json()
}

/// Returns an app of a user with a new app password for publications.
pub(super) fn reader(server: &Server, owner: &Client, username: &str) -> Device {
    let issued = issue(owner, &["publications"]);
    let secret = issued["secret"].as_str().expect("a secret");
    Device::new(server, username, secret)
}
