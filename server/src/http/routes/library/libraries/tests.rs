use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::http::test_app::{Answer, TestApp};

const LIBRARIES: &str = "/api/v1/libraries";

struct Server {
    app: TestApp,
    root: String,
    mia: String,
    media: tempfile::TempDir,
}

impl Server {
    async fn new() -> Self {
        let app = TestApp::new();
        let root = app.sign_in("root").await;
        let mia = app.sign_in("mia").await;
        let media = tempfile::tempdir().expect("a folder");
        Self {
            app,
            root,
            mia,
            media,
        }
    }

    async fn ask(&self, who: &str, method: &str, path: &str, body: Value) -> Answer {
        let headers = [("authorization", who)];
        self.app.ask(method, path, &headers, body).await
    }

    async fn as_root(&self, method: &str, path: &str, body: Value) -> Answer {
        self.ask(&self.root, method, path, body).await
    }

    /// Creates a folder and returns its path.
    fn folder(&self, name: &str) -> String {
        let path = self.media.path().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        let path = path.canonicalize().expect("a path");
        path.to_str().expect("text").to_owned()
    }

    async fn library(&self, name: &str) -> Value {
        let body = json!({ "name": name, "path": self.folder(name) });
        let made = self.as_root("POST", LIBRARIES, body).await;
        assert_eq!(made.status, StatusCode::CREATED);
        made.json()
    }

    async fn user_id(&self, who: &str) -> i64 {
        let me = self.ask(who, "GET", "/api/v1/auth/me", Value::Null).await;
        me.json()["id"].as_i64().expect("an id")
    }
}

fn at(library: &Value, rest: &str) -> String {
    format!("{LIBRARIES}/{}{rest}", library["id"])
}

#[tokio::test]
async fn new_library_is_visible_only_to_its_creator() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    assert_eq!(library["name"], "Films");
    assert_eq!(library["path"], server.folder("Films"));
    assert_eq!(library["kinds"], Value::Null);
    assert_eq!(
        (&library["granted"], &library["available"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(library["counts"]["books"], 0);
    assert_eq!(library["missing"], 0);

    let seen = server.ask(&server.mia, "GET", LIBRARIES, Value::Null).await;
    assert_eq!(seen.json(), json!({ "items": [] }));
    let hidden = server
        .ask(&server.mia, "GET", &at(&library, ""), Value::Null)
        .await;
    let absent = server
        .ask(&server.mia, "GET", "/api/v1/libraries/999", Value::Null)
        .await;
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);
    assert_eq!(hidden.bytes, absent.bytes);
}

#[tokio::test]
async fn grant_shows_library_without_path_and_revocation_hides_it() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let mia = server.user_id(&server.mia).await;
    let grant = at(&library, &format!("/grants/{mia}"));
    for _ in 0..2 {
        let granted = server.as_root("PUT", &grant, Value::Null).await;
        assert_eq!(granted.status, StatusCode::NO_CONTENT);
    }
    let grants = server
        .as_root("GET", &at(&library, "/grants"), Value::Null)
        .await;
    let names: Vec<String> = grants.json()["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|grant| grant["username"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, ["mia", "root"]);

    let seen = server
        .ask(&server.mia, "GET", &at(&library, ""), Value::Null)
        .await;
    assert_eq!(seen.status, StatusCode::OK);
    assert_eq!(seen.json()["path"], Value::Null);
    for _ in 0..2 {
        let revoked = server.as_root("DELETE", &grant, Value::Null).await;
        assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    }
    let seen = server
        .ask(&server.mia, "GET", &at(&library, ""), Value::Null)
        .await;
    assert_eq!(seen.status, StatusCode::NOT_FOUND);
    for path in [
        at(&library, "/grants/999"),
        at(&library, "/grants/x"),
        format!("{LIBRARIES}/999/grants/{mia}"),
    ] {
        let answer = server.as_root("PUT", &path, Value::Null).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn administrator_manages_library_without_grant() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let root = server.user_id(&server.root).await;
    let grant = at(&library, &format!("/grants/{root}"));
    server.as_root("DELETE", &grant, Value::Null).await;
    let seen = server.as_root("GET", &at(&library, ""), Value::Null).await;
    assert_eq!(seen.status, StatusCode::OK);
    assert_eq!(seen.json()["granted"], false);
    let list = server.as_root("GET", LIBRARIES, Value::Null).await.json();
    assert_eq!(list["items"][0]["granted"], false);
    let status = server
        .as_root("GET", &at(&library, "/scan/status"), Value::Null)
        .await;
    assert_eq!(status.json()["status"], "never");
}

#[tokio::test]
async fn unacceptable_value_is_reported_with_its_field() {
    let server = Server::new().await;
    let path = server.folder("here");
    std::fs::write(server.media.path().join("file"), "").expect("a file");
    let file = format!("{}/file", server.media.path().display());
    for (body, field) in [
        (json!({ "name": " ", "path": path }), "name"),
        (json!({ "name": "x".repeat(101), "path": path }), "name"),
        (
            json!({ "name": "A", "path": format!("{path}/none") }),
            "path",
        ),
        (json!({ "name": "A", "path": file }), "path"),
        (
            json!({ "name": "A", "path": path, "kinds": ["stamps"] }),
            "kinds",
        ),
        (
            json!({ "name": "A", "path": path, "grants": [999] }),
            "grants",
        ),
        (json!({ "name": "A", "path": path, "colour": 1 }), "colour"),
        (json!({ "name": "A" }), "path"),
    ] {
        let refused = server.as_root("POST", LIBRARIES, body.clone()).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(refused.json()["error"]["field"], field, "{body}");
    }
}

#[tokio::test]
async fn names_and_folders_are_unique_and_roots_may_be_nested() {
    let server = Server::new().await;
    server.library("Films").await;
    let path = server.folder("Films/new");
    for body in [
        json!({ "name": "fILMS ", "path": path }),
        json!({ "name": "Other", "path": format!("{path}/..") }),
    ] {
        let refused = server.as_root("POST", LIBRARIES, body.clone()).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{body}");
        assert_eq!(refused.code(), "conflict");
    }
    let nested = json!({ "name": "Nested", "path": path });
    let made = server.as_root("POST", LIBRARIES, nested).await;
    assert_eq!(made.status, StatusCode::CREATED);
}

#[tokio::test]
async fn update_changes_only_the_named_fields() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let path = at(&library, "");
    let limited = server
        .as_root("PATCH", &path, json!({ "kinds": ["video", "books"] }))
        .await;
    assert_eq!(limited.status, StatusCode::OK);
    assert_eq!(limited.json()["kinds"].as_array().expect("a list").len(), 2);
    let renamed = server
        .as_root("PATCH", &path, json!({ "name": "Pictures" }))
        .await;
    assert_eq!(renamed.json()["name"], "Pictures");
    assert_eq!(renamed.json()["kinds"], limited.json()["kinds"]);
    let lifted = server
        .as_root("PATCH", &path, json!({ "kinds": null }))
        .await;
    assert_eq!(lifted.json()["kinds"], Value::Null);
    let moved = json!({ "path": server.folder("elsewhere") });
    let moved = server.as_root("PATCH", &path, moved).await;
    assert_eq!(moved.json()["path"], server.folder("elsewhere"));
    for body in [json!({ "name": null }), json!({ "path": "/none such" })] {
        let refused = server.as_root("PATCH", &path, body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}

#[tokio::test]
async fn scan_is_queued_once_and_can_be_cancelled() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let scan = at(&library, "/scan");
    let first = server.as_root("POST", &scan, Value::Null).await;
    assert_eq!(first.status, StatusCode::ACCEPTED);
    let second = server
        .as_root("POST", &scan, json!({ "accept_missing": true }))
        .await;
    assert_eq!(second.json(), first.json());
    let status = server
        .as_root("GET", &at(&library, "/scan/status"), Value::Null)
        .await;
    assert_eq!(status.json()["status"], "queued");
    assert_eq!(status.json()["job_id"], first.json()["job_id"]);
    let stopped = server.as_root("DELETE", &scan, Value::Null).await;
    assert_eq!(stopped.status, StatusCode::NO_CONTENT);
    let third = server.as_root("POST", &scan, json!({})).await;
    assert_ne!(third.json(), first.json());
}

#[tokio::test]
async fn library_with_absent_folder_is_unavailable_and_not_purged() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let purge = at(&library, "/purge");
    let purged = server.as_root("POST", &purge, Value::Null).await;
    assert_eq!(purged.json(), json!({ "deleted": 0 }));
    std::fs::remove_dir(server.media.path().join("Films")).expect("no folder");
    let seen = server.as_root("GET", &at(&library, ""), Value::Null).await;
    assert_eq!(seen.json()["available"], false);
    let refused = server.as_root("POST", &purge, Value::Null).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn deleted_library_is_gone_and_its_files_remain() {
    let server = Server::new().await;
    let library = server.library("Films").await;
    let file = server.media.path().join("Films/a.mkv");
    std::fs::write(&file, "film").expect("a file");
    let path = at(&library, "");
    let deleted = server.as_root("DELETE", &path, Value::Null).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    let again = server.as_root("DELETE", &path, Value::Null).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    assert_eq!(std::fs::read(&file).expect("a file"), b"film");
    let made = server.library("Films").await;
    assert_ne!(made["id"], library["id"]);
}
