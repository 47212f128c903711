//! The server about itself: health, version, kinds, and the description of its routes.

use std::collections::{BTreeMap, BTreeSet};

use ledge_core::db::open;
use ledge_tests::Server;
use ledge_tests::server::program;
use serde_json::Value;

use crate::conventions::{has_keys, list, refused};

#[test]
fn health_is_told_to_everybody_in_these_words() {
    let server = Server::start();
    for client in [server.client(), &server.admin()] {
        let answer = client.get("//healthz").expect(200);
        assert_eq!(answer.body, b"{\"status\":\"ok\"}");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    let head = server.client().send("HEAD", "//healthz", &[], None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn the_version_names_program_api_and_schema() {
    let server = Server::start();
    let version = server.client().get("/version").expect(200).json();
    has_keys(&version, "name version commit api schema");
    assert_eq!(
        (&version["name"], &version["api"]),
        (&"ledge".into(), &"v1".into())
    );
    let numbers: Vec<&str> = version["version"]
        .as_str()
        .expect("a version")
        .split('.')
        .collect();
    assert!(
        numbers.len() >= 3 && numbers[0].parse::<u32>().is_ok(),
        "{version}"
    );
    assert!(version["commit"].is_null() || version["commit"].is_string());
    let database = open::writable(&server.database()).expect("the database");
    let schema: i64 = database
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .expect("a number");
    assert_eq!(version["schema"], schema);
    assert!(schema >= 11, "{schema}");
}

#[test]
fn kinds_tell_all_that_showing_them_takes() {
    let server = Server::with(&program("ledge"), &[]);
    let kinds = list(&server.client().get("/media-types"));
    let ids: Vec<&str> = kinds
        .iter()
        .filter_map(|kind| kind["id"].as_str())
        .collect();
    assert_eq!(ids, ["books", "audio", "video", "games"]);
    let mut extensions = BTreeSet::new();
    for kind in &kinds {
        has_keys(
            kind,
            "id label label_plural icon hue shape aspect verb unit extensions viewers",
        );
        let text = |key: &str| kind[key].as_str().unwrap_or_default();
        for key in ["label", "label_plural", "icon", "verb"] {
            assert!(!text(key).is_empty(), "{key} of {kind}");
        }
        assert!(kind["hue"].as_u64().is_some_and(|hue| hue < 360), "{kind}");
        assert!(
            kind["aspect"].as_f64().is_some_and(|aspect| aspect > 0.0),
            "{kind}"
        );
        assert!(
            ["book", "sleeve", "case", "box", "card"].contains(&text("shape")),
            "{kind}"
        );
        assert!(
            ["page", "section", "second", "none"].contains(&text("unit")),
            "{kind}"
        );
        let viewers = kind["viewers"].as_object().expect("viewers");
        let own = kind["extensions"].as_array().expect("extensions");
        assert_eq!(viewers.len(), own.len(), "{kind}");
        for extension in own {
            let extension = extension.as_str().expect("an extension");
            assert!(!extension.starts_with('.') && extension == extension.to_lowercase());
            assert!(extensions.insert(extension), "{extension} twice");
            let viewer = viewers[extension].as_str().expect("a viewer");
            let known = ["epub", "pdf", "comic", "audio", "video", "game", "download"];
            assert!(known.contains(&viewer), "{extension}: {viewer}");
        }
    }
}

/// The routes that the contract fixes and this server has.
const ROUTES: &[(&str, &str)] = &[
    ("get", "/healthz"),
    ("get", "/api/v1/version"),
    ("get", "/api/v1/media-types"),
    ("get", "/api/v1/openapi.json"),
    ("patch", "/api/v1/items/{id}"),
    ("get", "/api/v1/playback/engines"),
    ("post", "/api/v1/playback/resolve"),
    ("post", "/api/v1/auth/login"),
    ("post", "/api/v1/auth/logout"),
    ("get", "/api/v1/auth/me"),
    ("put", "/api/v1/auth/password"),
    ("get", "/api/v1/users"),
    ("post", "/api/v1/users"),
    ("get", "/api/v1/users/{id}"),
    ("patch", "/api/v1/users/{id}"),
    ("delete", "/api/v1/users/{id}"),
    ("put", "/api/v1/users/{id}/password"),
    ("put", "/api/v1/users/{id}/libraries"),
    ("get", "/api/v1/libraries"),
    ("post", "/api/v1/libraries"),
    ("get", "/api/v1/libraries/{id}"),
    ("patch", "/api/v1/libraries/{id}"),
    ("delete", "/api/v1/libraries/{id}"),
    ("get", "/api/v1/libraries/{id}/items"),
    ("get", "/api/v1/libraries/{id}/grants"),
    ("put", "/api/v1/libraries/{id}/grants/{user_id}"),
    ("delete", "/api/v1/libraries/{id}/grants/{user_id}"),
    ("post", "/api/v1/libraries/{id}/scan"),
    ("delete", "/api/v1/libraries/{id}/scan"),
    ("get", "/api/v1/libraries/{id}/scan/status"),
    ("get", "/api/v1/events"),
    ("post", "/api/v1/libraries/{id}/purge"),
    ("get", "/api/v1/directories"),
    ("get", "/api/v1/home"),
    ("get", "/api/v1/items"),
    ("get", "/api/v1/items/letters"),
    ("get", "/api/v1/items/{id}"),
    ("get", "/api/v1/items/{id}/progress"),
    ("put", "/api/v1/items/{id}/progress"),
    ("delete", "/api/v1/items/{id}/progress"),
    ("get", "/api/v1/items/{id}/progress/history"),
    (
        "post",
        "/api/v1/items/{id}/progress/history/{entry}/restore",
    ),
    ("put", "/api/v1/items/{id}/favourite"),
    ("delete", "/api/v1/items/{id}/favourite"),
    ("post", "/api/v1/items/{id}/view"),
    ("get", "/api/v1/history"),
    ("get", "/api/v1/items/{id}/annotations"),
    ("post", "/api/v1/items/{id}/annotations"),
    ("patch", "/api/v1/items/{id}/annotations/{annotation}"),
    ("delete", "/api/v1/items/{id}/annotations/{annotation}"),
    ("post", "/api/v1/files/{id}/link"),
    ("get", "/api/v1/missing"),
    ("get", "/api/v1/search"),
    ("get", "/api/v1/people"),
    ("get", "/api/v1/series"),
    ("get", "/api/v1/files/{id}/content"),
    ("head", "/api/v1/files/{id}/content"),
    ("get", "/api/v1/jobs"),
    ("post", "/api/v1/jobs/{id}/retry"),
    ("get", "/api/v1/kinds/games/platforms"),
    ("get", "/api/v1/items/{id}/saves"),
    ("get", "/api/v1/items/{id}/saves/{slot}"),
    ("put", "/api/v1/items/{id}/saves/{slot}"),
    ("delete", "/api/v1/items/{id}/saves/{slot}"),
    ("get", "/api/v1/items/{id}/saves/{slot}/versions"),
    ("get", "/api/v1/items/{id}/saves/{slot}/versions/{n}"),
];

#[test]
fn the_openapi_document_describes_the_routes() {
    let server = Server::start();
    refused(
        &server.client().get("/openapi.json"),
        401,
        "unauthenticated",
    );
    let answer = server.admin().get("/openapi.json").expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
    let document = answer.json();
    let version = document["openapi"].as_str().expect("a version");
    assert!(version.starts_with("3.1."), "{version}");
    for (method, path) in ROUTES {
        let route = &document["paths"][path][method];
        assert!(route["responses"].is_object(), "{method} {path}: {route}");
    }
    for reference in references(&document) {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let mut operations = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for route in methods.as_object().expect("methods").values() {
            if let Some(id) = route["operationId"].as_str() {
                let before = operations.insert(id, path);
                assert!(before.is_none_or(|other| other == path), "{id}: {path}");
            }
        }
    }
    assert!(operations.len() >= ROUTES.len() - 1, "{operations:?}");
}

/// Every `$ref` in a document.
fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("$ref", Value::String(text)) => vec![text.as_str()],
                _ => references(value),
            })
            .collect(),
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn what_a_stopping_server_is_told_last_is_the_end() {
    let mut server = Server::start();
    server.client().get("//healthz").expect(200);
    assert_eq!(server.terminate(), Some(0));
}
