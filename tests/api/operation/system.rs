//! System routes: health, version, kinds, and the API description.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use ledge_core::db::open;
use ledge_tests::Server;
use ledge_tests::server::{program, scan, scanned_library, until};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, list};

#[test]
fn health_is_public_and_has_fixed_text() {
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
fn version_has_program_api_and_schema() {
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
fn kinds_have_all_fields_for_display() {
    let server = Server::with(&program("ledge"), &[]);
    let kinds = list(&server.client().get("/media-types"));
    let ids: Vec<&str> = kinds
        .iter()
        .filter_map(|kind| kind["id"].as_str())
        .collect();
    assert_eq!(ids, ["books", "audio", "video", "games"]);
    let series = &kinds[2]["subkinds"][1];
    assert_eq!(series["id"], "series");
    assert_eq!(series["part"], "episode");
    assert_eq!(series["labels"]["de"]["label_plural"], "Serien");
    let mut extensions = BTreeSet::new();
    for kind in &kinds {
        has_keys(
            kind,
            "id label label_plural icon hue shape aspect verb unit extensions viewers subkinds",
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

/// Routes that the contract specifies and this server has.
pub(crate) const ROUTES: &[(&str, &str)] = &[
    ("get", "/healthz"),
    ("get", "/metrics"),
    ("get", "/api/v1/version"),
    ("get", "/api/v1/media-types"),
    ("get", "/api/v1/openapi.json"),
    ("get", "/api/v1/items/{id}/archive"),
    ("head", "/api/v1/items/{id}/archive"),
    ("get", "/api/v1/playlists/{id}/archive"),
    ("head", "/api/v1/playlists/{id}/archive"),
    ("get", "/api/v1/items/{id}/seasons"),
    ("get", "/api/v1/items/{id}/absent-episodes"),
    ("post", "/api/v1/items/{id}/identify"),
    ("post", "/api/v1/items/{id}/enrich/preview"),
    ("post", "/api/v1/items/{id}/matches/{provider}/preview"),
    ("get", "/api/v1/libraries/{id}/enrich/preview"),
    ("get", "/api/v1/items/{id}/matches/{provider}/picture"),
    ("get", "/api/v1/items/{id}/pictures/{role}"),
    ("head", "/api/v1/items/{id}/pictures/{role}"),
    ("get", "/api/v1/items/{id}/season-posters/{season}"),
    ("head", "/api/v1/items/{id}/season-posters/{season}"),
    ("get", "/api/v1/items/{id}/stills/{season}/{number}"),
    ("head", "/api/v1/items/{id}/stills/{season}/{number}"),
    ("get", "/api/v1/people/{id}"),
    ("get", "/api/v1/people/{id}/picture"),
    ("head", "/api/v1/people/{id}/picture"),
    ("get", "/api/v1/items/{id}/episodes"),
    ("post", "/api/v1/items/{id}/mark"),
    ("get", "/api/v1/series/{id}"),
    ("get", "/api/v1/series/{id}/items"),
    ("patch", "/api/v1/items/{id}"),
    ("post", "/api/v1/libraries/{id}/enrich"),
    ("delete", "/api/v1/libraries/{id}/enrich"),
    ("get", "/api/v1/libraries/{id}/enrich/status"),
    ("get", "/api/v1/providers"),
    ("get", "/api/v1/metadata/settings"),
    ("patch", "/api/v1/metadata/settings"),
    ("post", "/api/v1/metadata/providers/{provider}/test"),
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
    ("get", "/api/v1/me/export"),
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
    ("patch", "/api/v1/items"),
    ("post", "/api/v1/items/enrich"),
    ("get", "/api/v1/edits"),
    ("post", "/api/v1/edits/{batch}/undo"),
    ("get", "/api/v1/items/letters"),
    ("get", "/api/v1/items/subkinds"),
    ("get", "/api/v1/items/{id}"),
    ("get", "/api/v1/items/{id}/cover"),
    ("head", "/api/v1/items/{id}/cover"),
    ("put", "/api/v1/items/{id}/cover"),
    ("delete", "/api/v1/items/{id}/cover"),
    ("get", "/api/v1/items/{id}/covers"),
    ("get", "/api/v1/items/{id}/covers/{candidate}"),
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
    ("put", "/api/v1/items/{id}/rating"),
    ("delete", "/api/v1/items/{id}/rating"),
    ("get", "/api/v1/items/{id}/handover"),
    ("post", "/api/v1/works"),
    ("delete", "/api/v1/works/{id}/items/{item}"),
    ("put", "/api/v1/items/{id}/tags"),
    ("get", "/api/v1/app-passwords"),
    ("post", "/api/v1/app-passwords"),
    ("patch", "/api/v1/app-passwords/{id}"),
    ("delete", "/api/v1/app-passwords/{id}"),
    ("get", "/api/v1/protocols"),
    ("get", "/api/v1/users/{id}/app-passwords"),
    ("delete", "/api/v1/users/{id}/app-passwords/{password}"),
    ("get", "/api/v1/tags"),
    ("patch", "/api/v1/tags/{id}"),
    ("delete", "/api/v1/tags/{id}"),
    ("get", "/api/v1/genres"),
    ("get", "/api/v1/items/facets"),
    ("post", "/api/v1/items/{id}/view"),
    ("get", "/api/v1/history"),
    ("get", "/api/v1/items/{id}/annotations"),
    ("post", "/api/v1/items/{id}/annotations"),
    ("patch", "/api/v1/items/{id}/annotations/{annotation}"),
    ("delete", "/api/v1/items/{id}/annotations/{annotation}"),
    ("post", "/api/v1/files/{id}/link"),
    ("put", "/api/v1/files/{id}/favourite"),
    ("delete", "/api/v1/files/{id}/favourite"),
    ("put", "/api/v1/files/{id}/rating"),
    ("delete", "/api/v1/files/{id}/rating"),
    ("post", "/api/v1/files/{id}/play"),
    ("put", "/api/v1/people/{id}/favourite"),
    ("delete", "/api/v1/people/{id}/favourite"),
    ("put", "/api/v1/people/{id}/rating"),
    ("delete", "/api/v1/people/{id}/rating"),
    ("get", "/api/v1/favourites/files"),
    ("get", "/api/v1/favourites/people"),
    ("get", "/api/v1/now-playing"),
    ("put", "/api/v1/now-playing"),
    ("get", "/api/v1/missing"),
    ("get", "/api/v1/search"),
    ("get", "/api/v1/people"),
    ("get", "/api/v1/series"),
    ("get", "/api/v1/files/{id}/content"),
    ("head", "/api/v1/files/{id}/content"),
    ("get", "/api/v1/collections"),
    ("post", "/api/v1/collections"),
    ("post", "/api/v1/collections/preview"),
    ("get", "/api/v1/collections/{id}"),
    ("patch", "/api/v1/collections/{id}"),
    ("delete", "/api/v1/collections/{id}"),
    ("get", "/api/v1/collections/{id}/items"),
    ("post", "/api/v1/collections/{id}/items"),
    ("patch", "/api/v1/collections/{id}/items"),
    ("delete", "/api/v1/collections/{id}/items"),
    ("get", "/api/v1/collections/{id}/cover"),
    ("head", "/api/v1/collections/{id}/cover"),
    ("get", "/api/v1/playlists"),
    ("post", "/api/v1/playlists"),
    ("get", "/api/v1/playlists/{id}"),
    ("patch", "/api/v1/playlists/{id}"),
    ("delete", "/api/v1/playlists/{id}"),
    ("get", "/api/v1/playlists/{id}.m3u8"),
    ("get", "/api/v1/playlists/{id}/entries"),
    ("post", "/api/v1/playlists/{id}/entries"),
    ("patch", "/api/v1/playlists/{id}/entries"),
    ("delete", "/api/v1/playlists/{id}/entries"),
    ("get", "/api/v1/playlists/{id}/cover"),
    ("head", "/api/v1/playlists/{id}/cover"),
    ("get", "/api/v1/queue"),
    ("put", "/api/v1/queue"),
    ("patch", "/api/v1/queue"),
    ("delete", "/api/v1/queue"),
    ("get", "/api/v1/stats"),
    ("delete", "/api/v1/stats"),
    ("get", "/api/v1/stats/year/{year}"),
    ("get", "/api/v1/stats/year/{year}.svg"),
    ("get", "/api/v1/stats/sessions"),
    ("get", "/api/v1/stats/export"),
    ("get", "/api/v1/stats/server"),
    ("get", "/api/v1/me/settings"),
    ("patch", "/api/v1/me/settings"),
    ("get", "/api/v1/activity"),
    ("get", "/api/v1/status"),
    ("get", "/api/v1/backups"),
    ("post", "/api/v1/backups"),
    ("get", "/api/v1/jobs"),
    ("post", "/api/v1/jobs/{id}/retry"),
    ("post", "/api/v1/imports"),
    ("get", "/api/v1/imports/{id}"),
    ("get", "/api/v1/kinds/audio/files/{id}/lyrics"),
    ("get", "/api/v1/kinds/audio/items/{id}/gains"),
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
    ("get", "/api/v1/kinds/video/files/{id}/fonts"),
    ("get", "/api/v1/kinds/video/files/{id}/fonts/{index}"),
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
fn log_of_stopping_server_ends_with_stop() {
    let mut server = Server::start();
    server.client().get("//healthz").expect(200);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn log_lines_cannot_be_forged() {
    const LINE: &str = "2026-01-01T00:00:00Z ERROR forged";
    // The forged line is placed after a line, over a line, and over the previous line.
    let forged = ["\n", "\r", "\x1b[2K\x1b[1A"].map(|begin| format!("{begin}{LINE}"));
    let forged = forged.concat();
    let server = Server::with(&program("ledge"), &[("LEDGE_LOG", "trace")]);
    let admin = server.admin();
    // Names of files in a library, and of the library's folder.
    let media = server.folder().join(format!("media{forged}"));
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join(format!("a{forged}.epub")), "no book").expect("a file");
    symlink("/etc", media.join(format!("out{forged}"))).expect("a link");
    let (library, status) = scanned_library(&admin, "Media", &media);
    assert!(status["errors"].to_string().contains("forged"), "{status}");
    fs::rename(&media, server.folder().join("away")).expect("a move");
    assert_eq!(scan(&admin, library)["status"], "failed");
    // Request paths and headers.
    let mut written = forged.clone();
    for (sign, code) in [
        (" ", "%20"),
        ("\n", "%0A"),
        ("\r", "%0D"),
        ("\x1b", "%1B"),
        ("[", "%5B"),
    ] {
        written = written.replace(sign, code);
    }
    admin.get(&format!("/items{written}")).expect(404);
    admin.get(&format!("/items?x={written}")).expect(200);
    let login = json!({"username": format!("mia{forged}"), "password": LINE});
    server.client().post("/auth/login", &login).expect(401);
    let headers = [("X-Request-Id", LINE), ("X-Forwarded-For", LINE)];
    admin.send("GET", "/items", &headers, None).expect(200);
    let log = until("the requests' lines", || {
        let log = server.log();
        (log.contains("forged") && log.contains("/api/v1/auth/login")).then_some(log)
    });
    let lines = log.split('\n');
    let is_bad = |line: &&str| line.starts_with(LINE) || line.contains(char::is_control);
    assert_eq!(lines.filter(is_bad).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn json_log_has_one_object_per_line() {
    let settings = [
        ("LEDGE_LOG_FORMAT", "json"),
        ("LEDGE_LOG", "info,ledge::access=debug"),
    ];
    let server = Server::with(&program("ledge"), &settings);
    let answer = server.client().get("/version").expect(200);
    let log = until("the request's line", || {
        let log = server.log();
        log.contains("/api/v1/version").then_some(log)
    });
    let mut last = Value::Null;
    for line in log.lines() {
        last = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        for name in ["timestamp", "level", "message", "target"] {
            assert!(last[name].is_string(), "{name}: {line}");
        }
    }
    assert_eq!(
        (&last["path"], &last["status"]),
        (&json!("/api/v1/version"), &json!(200))
    );
    assert_eq!(last["span"]["id"], answer.header("x-request-id"));
}
