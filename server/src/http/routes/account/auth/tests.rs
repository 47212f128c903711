//! Tests of login and logout over the whole router.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::http::session::SessionService;
use crate::http::test_app::{Answer, PASSWORD, TestApp};

const DAY: Duration = Duration::from_hours(24);

async fn login(app: &TestApp, headers: &[(&str, &str)], password: &str) -> Answer {
    let body = json!({ "username": "Mia", "password": password });
    app.ask("POST", "/api/v1/auth/login", headers, body).await
}

/// Returns the cookie that a browser sends back after a `Set-Cookie`.
fn cookie(answer: &Answer) -> String {
    let header = answer.header("set-cookie").expect("a cookie");
    header.split(';').next().expect("a pair").to_owned()
}

async fn status_of(app: &TestApp, header: &str, value: &str) -> StatusCode {
    app.get("/api/v1/auth/me", &[(header, value)]).await.status
}

#[tokio::test]
async fn cookie_and_token_identify_the_same_session() {
    let app = TestApp::new();
    let answer = login(&app, &[], PASSWORD).await;
    assert_eq!(answer.status, StatusCode::OK);
    let body = answer.json();
    let token = body["token"].as_str().expect("a token");
    assert_eq!(body["user"]["username"], "mia");
    assert_eq!(body["user"]["role"], "user");
    assert!(body["user"].get("password_hash").is_none());
    let cookie = cookie(&answer);
    assert_eq!(cookie, format!("ledge_session={token}"));
    let me = app.get("/api/v1/auth/me", &[("cookie", &cookie)]).await;
    assert_eq!(me.json()["username"], "mia");
    let headers = [("cookie", cookie.as_str())];
    let logout = app
        .ask("POST", "/api/v1/auth/logout", &headers, Value::Null)
        .await;
    assert_eq!(logout.status, StatusCode::NO_CONTENT);
    assert!(
        logout
            .header("set-cookie")
            .expect("a cookie")
            .contains("Max-Age=0")
    );
    let bearer = format!("Bearer {token}");
    assert_eq!(
        status_of(&app, "authorization", &bearer).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        status_of(&app, "cookie", &cookie).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn wrong_password_and_unknown_name_get_equal_responses() {
    let app = TestApp::new();
    let wrong = login(&app, &[], "wrong password").await;
    let body = json!({ "username": "nobody", "password": PASSWORD });
    let unknown = app.ask("POST", "/api/v1/auth/login", &[], body).await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert_eq!(unknown.status, StatusCode::UNAUTHORIZED);
    assert_eq!(wrong.bytes, unknown.bytes);
    assert!(wrong.header("set-cookie").is_none());
}

#[tokio::test]
async fn sixth_attempt_is_rejected_even_with_the_right_password() {
    let app = TestApp::new();
    for _ in 0..5 {
        let answer = login(&app, &[], "wrong password").await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    }
    let answer = login(&app, &[], PASSWORD).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.code(), "too_many_requests");
    assert_eq!(answer.header("retry-after"), Some("30"));
    app.clock.advance(Duration::from_secs(30));
    assert_eq!(login(&app, &[], PASSWORD).await.status, StatusCode::OK);
}

#[tokio::test]
async fn session_is_renewed_and_its_cookie_is_sent_again() {
    let app = TestApp::new();
    let cookie = cookie(&login(&app, &[], PASSWORD).await);
    let headers = [("cookie", cookie.as_str())];
    app.clock.advance(Duration::from_secs(59));
    let me = app.get("/api/v1/auth/me", &headers).await;
    assert_eq!(me.header("set-cookie"), None);
    app.clock.advance(29 * DAY);
    let uses = app.app.db.uses();
    let me = app.get("/api/v1/auth/me", &headers).await;
    let renewed = me.header("set-cookie").expect("the cookie again");
    assert!(
        renewed.starts_with(&cookie) && renewed.contains("Max-Age=2592000"),
        "{renewed}"
    );
    // The renewal is written after the response; a later write in the queue waits for it.
    for _ in 0..2 {
        let write = app.app.db.write_background(|_| Ok(()));
        write.await.expect("a write");
        tokio::task::yield_now().await;
    }
    // An open page must not make the transactions of a scan short.
    assert_eq!(app.app.db.uses(), uses);
    app.clock.advance(29 * DAY);
    let me = app.get("/api/v1/auth/me", &headers).await;
    assert_eq!(me.status, StatusCode::OK);
    app.clock.advance(60 * DAY);
    let me = app.get("/api/v1/auth/me", &headers).await;
    assert_eq!(me.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn cross_site_request_changes_nothing() {
    let app = TestApp::new();
    let evil = ("sec-fetch-site", "cross-site");
    let refused = login(&app, &[evil], PASSWORD).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let message = refused.json()["error"]["message"].to_string();
    assert!(message.contains("LEDGE_PUBLIC_URL"), "{message}");
    let answer = login(&app, &[], PASSWORD).await;
    let (cookie, token) = (cookie(&answer), answer.json()["token"].clone());
    let headers = [("cookie", cookie.as_str()), evil];
    assert_eq!(
        app.get("/api/v1/auth/me", &headers).await.status,
        StatusCode::OK
    );
    let logout = app
        .ask("POST", "/api/v1/auth/logout", &headers, Value::Null)
        .await;
    assert_eq!(logout.status, StatusCode::FORBIDDEN);
    let bearer = format!("Bearer {}", token.as_str().expect("a token"));
    let headers = [("authorization", bearer.as_str()), evil];
    let logout = app
        .ask("POST", "/api/v1/auth/logout", &headers, Value::Null)
        .await;
    assert_eq!(logout.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn new_password_ends_only_the_other_sessions() {
    let app = TestApp::new();
    let (here, there) = (app.sign_in("mia").await, app.sign_in("mia").await);
    let headers = [("authorization", here.as_str())];
    let change =
        |current: &str, new: &str| json!({ "current_password": current, "new_password": new });
    for (body, status) in [
        (
            change("not the password", "a new password"),
            StatusCode::FORBIDDEN,
        ),
        (change(PASSWORD, "short"), StatusCode::UNPROCESSABLE_ENTITY),
        (change(PASSWORD, "a new password"), StatusCode::NO_CONTENT),
    ] {
        let answer = app
            .ask("PUT", "/api/v1/auth/password", &headers, body)
            .await;
        assert_eq!(answer.status, status);
        if status == StatusCode::UNPROCESSABLE_ENTITY {
            assert_eq!(answer.json()["error"]["field"], "new_password");
        }
    }
    assert_eq!(
        status_of(&app, "authorization", &here).await,
        StatusCode::OK
    );
    assert_eq!(
        status_of(&app, "authorization", &there).await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        login(&app, &[], PASSWORD).await.status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        login(&app, &[], "a new password").await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn cookie_is_secure_behind_a_trusted_https_proxy() {
    // Requests without a socket have the address 0.0.0.0.
    let sessions = SessionService::new(vec!["0.0.0.0/32".parse().expect("a network")], None);
    let app = TestApp::with_sessions(sessions);
    let https = ("x-forwarded-proto", "https");
    let answer = login(&app, &[https], PASSWORD).await;
    let header = answer.header("set-cookie").expect("a cookie");
    assert!(
        header.starts_with("__Host-ledge_session=") && header.ends_with("; Secure"),
        "{header}"
    );
    let cookie = cookie(&answer);
    let me = app
        .get("/api/v1/auth/me", &[("cookie", &cookie), https])
        .await;
    assert_eq!(me.status, StatusCode::OK);
    assert_eq!(
        status_of(&app, "cookie", &cookie).await,
        StatusCode::UNAUTHORIZED
    );
}
