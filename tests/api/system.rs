//! The server about itself: health, version, kinds, and the description of its routes.

use std::collections::BTreeSet;

use ledge_core::db::open;
use ledge_tests::Server;
use ledge_tests::server::program;

use crate::conventions::{has_keys, list};

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
    let commit = &version["commit"];
    assert!(commit.is_null() || commit.as_str().is_some_and(|commit| !commit.is_empty()));
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
pub(crate) const ROUTES: &[(&str, &str)] = &[
    ("get", "/healthz"),
    ("get", "/metrics"),
    ("get", "/api/v1/version"),
    ("get", "/api/v1/media-types"),
    ("get", "/api/v1/openapi.json"),
    ("patch", "/api/v1/items/{id}"),
    ("post", "/api/v1/libraries/{id}/enrich"),
    ("delete", "/api/v1/libraries/{id}/enrich"),
    ("get", "/api/v1/libraries/{id}/enrich/status"),
    ("get", "/api/v1/providers"),
    ("get", "/api/v1/items/{id}/matches"),
    ("post", "/api/v1/items/{id}/enrich"),
    ("put", "/api/v1/items/{id}/matches/{provider}"),
    ("delete", "/api/v1/items/{id}/matches/{provider}"),
    ("post", "/api/v1/items/{id}/matches/{provider}/search"),
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
    ("get", "/api/v1/items/{id}/cover"),
    ("head", "/api/v1/items/{id}/cover"),
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
    ("get", "/api/v1/kinds/audio/files/{id}/lyrics"),
    ("get", "/api/v1/kinds/books/files/{id}/entries"),
    ("get", "/api/v1/kinds/books/files/{id}/entries/{path}"),
    ("get", "/api/v1/kinds/books/files/{id}/pages"),
    ("get", "/api/v1/kinds/books/files/{id}/pages/{n}"),
    ("get", "/api/v1/kinds/games/platforms"),
    ("get", "/api/v1/kinds/games/cores"),
    ("get", "/api/v1/kinds/games/cores/{file}"),
    ("put", "/api/v1/kinds/games/cores/{file}"),
    ("delete", "/api/v1/kinds/games/cores/{file}"),
    ("get", "/api/v1/kinds/games/bios/{name}"),
    ("put", "/api/v1/kinds/games/bios/{name}"),
    ("delete", "/api/v1/kinds/games/bios/{name}"),
    ("get", "/api/v1/kinds/video/files/{id}/subtitles"),
    ("get", "/api/v1/kinds/video/files/{id}/subtitles/{track}"),
    ("get", "/api/v1/items/{id}/saves"),
    ("get", "/api/v1/items/{id}/saves/{slot}"),
    ("put", "/api/v1/items/{id}/saves/{slot}"),
    ("delete", "/api/v1/items/{id}/saves/{slot}"),
    ("get", "/api/v1/items/{id}/saves/{slot}/versions"),
    ("get", "/api/v1/items/{id}/saves/{slot}/versions/{n}"),
];

#[test]
fn what_a_stopping_server_is_told_last_is_the_end() {
    let mut server = Server::start();
    server.client().get("//healthz").expect(200);
    assert_eq!(server.terminate(), Some(0));
}
