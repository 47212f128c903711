//! Tests of account management over the whole router.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::http::test_app::{Answer, TestApp};

struct Administrator {
    app: TestApp,
    bearer: String,
}

impl Administrator {
    async fn new() -> Self {
        let app = TestApp::new();
        let bearer = app.sign_in("root").await;
        Self { app, bearer }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> Answer {
        let headers = [("authorization", self.bearer.as_str())];
        self.app.ask(method, path, &headers, body).await
    }

    async fn add(&self, username: &str, role: &str) -> i64 {
        let body = json!({ "username": username, "password": "long enough", "role": role });
        let answer = self.ask("POST", "/api/v1/users", body).await;
        assert_eq!(answer.status, StatusCode::CREATED);
        answer.json()["id"].as_i64().expect("an id")
    }
}

#[tokio::test]
async fn invalid_account_is_rejected_with_its_field() {
    let root = Administrator::new().await;
    for (body, status, field) in [
        (
            json!({ "username": " ", "password": "long enough" }),
            422,
            "username",
        ),
        (
            json!({ "username": "a\u{7}b", "password": "long enough" }),
            422,
            "username",
        ),
        (
            json!({ "username": "zoe", "password": "short" }),
            422,
            "password",
        ),
        (
            json!({ "username": "zoe", "password": "x".repeat(1025) }),
            422,
            "password",
        ),
        (
            json!({ "username": "zoe", "password": "long enough", "role": "king" }),
            422,
            "body",
        ),
        (
            json!({ "username": "zoe", "password": "long enough", "is_admin": true }),
            422,
            "is_admin",
        ),
        (json!({ "username": "zoe" }), 422, "password"),
        (
            json!({ "username": "MIA", "password": "long enough" }),
            409,
            "",
        ),
    ] {
        let answer = root.ask("POST", "/api/v1/users", body.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{body}");
        if status == 422 && field != "body" {
            assert_eq!(answer.json()["error"]["field"], field, "{body}");
        }
    }
}

#[tokio::test]
async fn disabled_user_is_logged_out_at_once() {
    let root = Administrator::new().await;
    let mia = root.app.sign_in("mia").await;
    let headers = [("authorization", mia.as_str())];
    assert_eq!(
        root.app.get("/api/v1/auth/me", &headers).await.status,
        StatusCode::OK
    );
    let answer = root
        .ask("PATCH", "/api/v1/users/2", json!({ "disabled": true }))
        .await;
    assert_eq!(answer.json()["disabled"], true);
    let me = root.app.get("/api/v1/auth/me", &headers).await;
    assert_eq!(me.status, StatusCode::UNAUTHORIZED);
    let login = json!({ "username": "mia", "password": crate::http::test_app::PASSWORD });
    let login = root.app.ask("POST", "/api/v1/auth/login", &[], login).await;
    assert_eq!(login.status, StatusCode::UNAUTHORIZED);
    root.ask("PATCH", "/api/v1/users/2", json!({ "disabled": false }))
        .await;
    let me = root.app.get("/api/v1/auth/me", &headers).await;
    assert_eq!(
        me.status,
        StatusCode::UNAUTHORIZED,
        "an old session does not come back"
    );
}

#[tokio::test]
async fn last_administrator_cannot_be_removed() {
    let root = Administrator::new().await;
    for (method, body) in [
        ("DELETE", Value::Null),
        ("PATCH", json!({ "disabled": true })),
        ("PATCH", json!({ "role": "user" })),
    ] {
        let answer = root.ask(method, "/api/v1/users/1", body).await;
        assert_eq!(answer.code(), "conflict", "{method}");
    }
    let second = root.add("second", "admin").await;
    let answer = root.ask("DELETE", "/api/v1/users/1", Value::Null).await;
    assert_eq!(answer.status, StatusCode::CONFLICT, "oneself");
    let path = format!("/api/v1/users/{second}");
    let answer = root.ask("DELETE", &path, Value::Null).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    let answer = root.ask("DELETE", &path, Value::Null).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(
        root.add("third", "user").await > second,
        "no id is used twice"
    );
}

#[tokio::test]
async fn password_reset_ends_the_users_sessions_but_not_the_requesting_one() {
    let root = Administrator::new().await;
    let mia = root.app.sign_in("mia").await;
    for id in [1, 2] {
        let path = format!("/api/v1/users/{id}/password");
        let answer = root
            .ask("PUT", &path, json!({ "password": "another one" }))
            .await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT);
    }
    let me = |bearer: String| {
        let app = &root.app;
        async move {
            app.get("/api/v1/auth/me", &[("authorization", &bearer)])
                .await
                .status
        }
    };
    assert_eq!(me(mia).await, StatusCode::UNAUTHORIZED);
    assert_eq!(me(root.bearer.clone()).await, StatusCode::OK);
}

#[tokio::test]
async fn user_is_looked_up_before_the_body_is_read() {
    let root = Administrator::new().await;
    let text = [
        ("authorization", root.bearer.as_str()),
        ("content-type", "text/plain"),
    ];
    for path in ["/api/v1/users/99", "/api/v1/users/x", "/api/v1/users/1e9"] {
        let answer = root.app.ask("PATCH", path, &text, Value::Null).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    let answer = root
        .app
        .ask("PATCH", "/api/v1/users/2", &text, Value::Null)
        .await;
    assert_eq!(answer.code(), "unsupported_media_type");
}

#[tokio::test]
async fn users_are_listed_by_name_and_shown_with_their_grants() {
    let root = Administrator::new().await;
    root.add("Anna", "user").await;
    let list = root.ask("GET", "/api/v1/users", Value::Null).await.json();
    let users = list["items"].as_array().expect("items");
    let names: Vec<_> = users.iter().map(|user| user["username"].clone()).collect();
    assert_eq!(names, ["Anna", "mia", "root"]);
    let user = root.ask("GET", "/api/v1/users/2", Value::Null).await.json();
    assert_eq!(user["libraries"], json!([]));
    let unknown = json!({ "library_ids": [4] });
    let answer = root.ask("PUT", "/api/v1/users/2/libraries", unknown).await;
    assert_eq!(answer.json()["error"]["field"], "library_ids");
}
