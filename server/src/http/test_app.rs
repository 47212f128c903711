//! A complete server without a socket for tests, with its own database and a manual clock.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use ledge_core::app::{JobQueue, NowPlaying, Watches};
use ledge_core::db::Db;
use ledge_core::events::Events;
use ledge_core::net::Providers;
use ledge_core::registry::Registry;
use ledge_core::store::account::user::{self, NewUser, Role};
use ledge_core::time::{Clock, ManualClock};
use ledge_core::{App, Context, Settings, Timestamp};
use serde_json::Value;

use crate::http::session::app_access::AppAccessService;
use crate::http::session::app_access::server_key::ServerKey;
use crate::http::session::{SessionService, password};

/// Password of all users in tests.
pub(crate) const PASSWORD: &str = "correct horse";

pub(crate) struct TestApp {
    pub(crate) app: App,
    pub(crate) service: crate::Service,
    pub(crate) clock: ManualClock,
    _folder: tempfile::TempDir,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("text"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"]
            .as_str()
            .expect("a code")
            .to_owned()
    }
}

impl TestApp {
    /// Creates a server with the administrator `root` and the user `mia`.
    pub(crate) fn new() -> Self {
        Self::with_sessions(SessionService::new(Vec::new(), None))
    }

    pub(crate) fn with_sessions(sessions: SessionService) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Timestamp::from_micros(1_800_000_000_000_000);
        let (clock, hand) = Clock::manual(start);
        let app = App::new(Context {
            db: Db::open(&folder.path().join("ledge.db")).expect("a database"),
            registry: Arc::new(Registry::collect().expect("registries that fit together")),
            providers: Providers::default(),
            clock,
            jobs: JobQueue::default(),
            events: Events::default(),
            watches: Watches::default(),
            now_playing: NowPlaying::default(),
            after_scan: crate::serve::job_kinds::AFTER_SCAN,
            settings: Arc::new(Settings {
                ffprobe: None,
                read_time_limit: Duration::from_secs(1),
                data: folder.path().to_owned(),
                backups: None,
            }),
        });
        let hash = password::hash(PASSWORD, &mut password::Memory::new()).expect("a hash");
        for (username, role) in [("root", Role::Admin), ("mia", Role::User)] {
            let new = NewUser {
                username: username.to_owned(),
                password_hash: hash.clone(),
                role,
            };
            app.db
                .write_blocking(move |tx| user::create(tx, &new, start))
                .expect("a user");
        }
        Self {
            service: crate::http::router::router(
                app.clone(),
                sessions,
                AppAccessService::new(Vec::new(), ServerKey::random()),
                crate::serve::metrics::Metrics::new(None),
            ),
            app,
            clock: hand,
            _folder: folder,
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.service.clone().answer(request).await;
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            bytes: body.collect().await.expect("a body").to_bytes().to_vec(),
        }
    }

    /// Sends a request with these headers, and with `body` as JSON unless it is null.
    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() {
            Body::empty()
        } else {
            request = request.header("content-type", "application/json");
            Body::from(body.to_string())
        };
        self.send(request.body(body).expect("a request")).await
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask("GET", path, headers, Value::Null).await
    }

    /// Logs in and returns the value of the `Authorization` header.
    pub(crate) async fn sign_in(&self, username: &str) -> String {
        let body = serde_json::json!({ "username": username, "password": PASSWORD });
        let answer = self.ask("POST", "/api/v1/auth/login", &[], body).await;
        assert_eq!(answer.status, StatusCode::OK);
        format!(
            "Bearer {}",
            answer.json()["token"].as_str().expect("a token")
        )
    }
}
