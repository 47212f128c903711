//! Tests of the rules for every route: order of checks, spellings, headers and rejections.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::http::service::Service;
use crate::http::session::SessionService;
use crate::http::test_app::TestApp;
use crate::serve::metrics::Metrics;

/// Returns every method and path of the OpenAPI document, with example ids.
fn routes(app: &TestApp) -> Vec<(String, String)> {
    let document = super::document(&app.app, &Metrics::new(None));
    let document: Value = serde_json::from_slice(&document.json()).expect("JSON");
    let paths = document["paths"].as_object().expect("paths").clone();
    let methods = paths.into_iter().flat_map(|(path, item)| {
        let path = fill_in(&path);
        let item = item.as_object().expect("an item").clone();
        item.into_iter()
            .map(move |(method, _)| (method.to_uppercase(), path.clone()))
    });
    methods
        .filter(|(method, _)| ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str()))
        .collect()
}

fn fill_in(path: &str) -> String {
    let fill = |segment| match segment {
        id if str::starts_with(id, "{") => "99",
        word => word,
    };
    path.split('/').map(fill).collect::<Vec<_>>().join("/")
}

const PUBLIC: [&str; 4] = [
    "/healthz",
    "/api/v1/version",
    "/api/v1/media-types",
    "/api/v1/auth/login",
];

#[tokio::test]
async fn only_public_routes_respond_without_a_session() {
    let app = TestApp::new();
    let routes = routes(&app);
    assert!(routes.len() > 10, "{routes:?}");
    for (method, path) in routes {
        let answer = app.ask(&method, &path, &[], Value::Null).await;
        if path == "/metrics" {
            // This route is absent, because no metrics token is configured.
            assert_eq!(answer.status, StatusCode::NOT_FOUND);
            continue;
        }
        let public = PUBLIC.contains(&path.as_str());
        let refused = answer.status == StatusCode::UNAUTHORIZED;
        assert_eq!(refused, !public, "{method} {path}: {}", answer.status);
    }
}

#[tokio::test]
async fn other_spellings_of_a_route_reach_no_handler() {
    let app = TestApp::new();
    let root = app.sign_in("root").await;
    for (method, path) in routes(&app) {
        if path.starts_with("/healthz") || path == "/metrics" {
            continue;
        }
        let rest = path.strip_prefix("/api/v1").expect("the prefix");
        for spelling in [
            format!("//api/v1{rest}"),
            format!("/api//v1{rest}"),
            format!("/API/v1{rest}"),
            format!("/api/V1{rest}"),
            format!("/%61pi/v1{rest}"),
            format!("/api%2Fv1{rest}"),
            format!("/x/../api/v1{rest}"),
            format!("/api/v1/./{}", rest.trim_start_matches('/')),
            format!("/api/v1/version/..{rest}"),
            format!("/api./v1{rest}"),
        ] {
            for headers in [&[][..], &[("authorization", root.as_str())]] {
                let answer = app.ask(&method, &spelling, headers, Value::Null).await;
                assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {spelling}");
                assert_eq!(answer.code(), "not_found", "{method} {spelling}");
            }
        }
    }
}

#[tokio::test]
async fn unknown_path_and_wrong_method_are_reported_before_other_checks() {
    let app = TestApp::new();
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/nope",
        "/api/v2/items",
        "/healthz/x",
    ] {
        let answer = app.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.code(), "not_found");
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
    for (method, path, allow) in [
        ("DELETE", "/healthz", "GET,HEAD"),
        ("POST", "/api/v1/auth/me", "GET,HEAD"),
        ("GET", "/api/v1/auth/login", "POST"),
        ("PUT", "/api/v1/users/1", "GET,HEAD,PATCH,DELETE"),
        ("POST", "/", "GET,HEAD"),
    ] {
        let answer = app.ask(method, path, &[], Value::Null).await;
        assert_eq!(
            answer.status,
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(answer.code(), "method_not_allowed");
        let mut allowed: Vec<_> = answer.header("allow").expect("Allow").split(',').collect();
        let mut expected: Vec<_> = allow.split(',').collect();
        allowed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn role_is_checked_before_id_and_body() {
    let app = TestApp::new();
    let mia = app.sign_in("mia").await;
    let headers = [("authorization", mia.as_str())];
    for path in ["/api/v1/users/1", "/api/v1/users/99", "/api/v1/users/x"] {
        let answer = app
            .ask("PATCH", path, &headers, json!({ "nonsense": 1 }))
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn body_is_rejected_for_type_syntax_size_and_content() {
    let app = TestApp::new();
    for (kind, body, status, code) in [
        ("text/plain", "{}".to_owned(), 415, "unsupported_media_type"),
        ("application/json", "{".to_owned(), 400, "bad_request"),
        (
            "application/json",
            format!("\"{}\"", "x".repeat(1 << 20)),
            413,
            "payload_too_large",
        ),
        (
            "application/json",
            "{\"usernam\":1}".to_owned(),
            422,
            "invalid",
        ),
    ] {
        let request = Request::post("/api/v1/auth/login").header("content-type", kind);
        let answer = app
            .send(request.body(Body::from(body)).expect("a request"))
            .await;
        assert_eq!(answer.status.as_u16(), status);
        assert_eq!(answer.code(), code);
    }
}

#[tokio::test]
async fn every_response_has_request_id_and_security_headers() {
    let app = TestApp::new();
    let mut ids = Vec::new();
    for path in ["/healthz", "/api/v1/nope", "/api/v1/auth/me", "/"] {
        let answer = app.get(path, &[("x-request-id", "of the client")]).await;
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert!(answer.header("referrer-policy").is_some(), "{path}");
        let caching = if path == "/" { "no-cache" } else { "no-store" };
        assert_eq!(answer.header("cache-control"), Some(caching), "{path}");
        ids.push(answer.header("x-request-id").expect("an id").to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    assert!(!ids.contains(&"of the client".to_owned()));
}

#[tokio::test]
async fn stopping_server_rejects_every_request() {
    let sessions = SessionService::new(Vec::new(), None);
    let app = TestApp::with_sessions(sessions.clone());
    assert_eq!(app.get("/healthz", &[]).await.status, StatusCode::OK);
    sessions.stop();
    for path in ["/healthz", "/api/v1/version", "/"] {
        let answer = app.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert_eq!(answer.code(), "unavailable");
    }
}

#[tokio::test]
async fn closed_database_is_unhealthy() {
    let app = TestApp::new();
    app.app.db.close();
    let answer = app.get("/healthz", &[]).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.code(), "unavailable");
}

#[tokio::test]
async fn panic_becomes_internal_error_without_its_cause() {
    async fn panics() -> &'static str {
        panic!("the cause")
    }
    let sessions = SessionService::new(Vec::new(), None);
    let service = Service::new(Router::new().fallback(panics), sessions, Metrics::new(None));
    let request = Request::get("/").body(Body::empty()).expect("a request");
    let response = service.answer(request).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let body = axum::body::to_bytes(response.into_body(), 4096)
        .await
        .expect("a body");
    let text = String::from_utf8(body.to_vec()).expect("text");
    assert!(
        text.contains("internal") && !text.contains("the cause"),
        "{text}"
    );
}

#[tokio::test]
async fn openapi_document_describes_itself_to_signed_in_users() {
    let app = TestApp::new();
    let mia = app.sign_in("mia").await;
    let answer = app
        .get("/api/v1/openapi.json", &[("authorization", &mia)])
        .await;
    let document = answer.json();
    assert!(
        document["openapi"]
            .as_str()
            .expect("a version")
            .starts_with("3.1")
    );
    assert!(document["paths"]["/api/v1/openapi.json"]["get"].is_object());
    assert!(document["components"]["schemas"]["User"].is_object());
}
