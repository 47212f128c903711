use axum::http::StatusCode;
use ledge_core::id::UserId;
use ledge_core::store::account::user;
use ledge_core::store::library::{self, NewLibrary};
use serde_json::Value;

use crate::http::test_app::{Answer, TestApp};

/// Creates a library of the user `root` with the file 1, `Ström.epub`, which contains `0123456789`.
async fn server() -> (TestApp, tempfile::TempDir) {
    let app = TestApp::new();
    let media = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(media.path().join("a")).expect("a folder");
    std::fs::write(media.path().join("a/Ström.epub"), "0123456789").expect("a file");
    let path = media.path().canonicalize().expect("a path");
    let now = app.app.clock.now();
    let create = app.app.db.write(move |tx| {
        let root: UserId = user::id_of(tx, "root")?.expect("root");
        let new = NewLibrary {
            name: "Books".to_owned(),
            path,
            kinds: None,
            grants: Vec::new(),
        };
        library::create(tx, &new, root, now)?;
        tx.execute_batch(
            "INSERT INTO folder (library_id, path) VALUES (1, CAST('a' AS BLOB));
             INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
             VALUES (1, 'books', 'k', 'Ström', 'strom', 'S', '');
             INSERT INTO file (item_id, folder_id, name, size, mtime_ns, added_at)
             VALUES (1, 1, CAST('Ström.epub' AS BLOB), 10, 1, '');",
        )?;
        Ok(())
    });
    create.await.expect("a file");
    (app, media)
}

async fn ask(app: &TestApp, who: &str, path: &str, range: &str) -> Answer {
    let who = app.sign_in(who).await;
    let headers = [("authorization", who.as_str()), ("range", range)];
    app.get(path, &headers).await
}

#[tokio::test]
async fn file_is_served_complete_in_ranges_and_as_attachment() {
    let (app, _media) = server().await;
    let path = "/api/v1/files/1/content";
    let whole = ask(&app, "root", path, "none").await;
    assert_eq!(whole.status, StatusCode::OK);
    assert_eq!(whole.bytes, b"0123456789");
    assert_eq!(whole.header("content-type"), Some("application/epub+zip"));
    assert_eq!(whole.header("cache-control"), Some("private, no-cache"));
    assert_eq!(whole.header("content-security-policy"), Some("sandbox"));
    let part = ask(&app, "root", path, "bytes=-3").await;
    assert_eq!(
        (part.status, part.bytes.as_slice()),
        (StatusCode::PARTIAL_CONTENT, &b"789"[..])
    );
    let saved = ask(&app, "root", &format!("{path}?download=1"), "none").await;
    let disposition = saved.header("content-disposition").expect("a name");
    assert!(
        disposition.ends_with("filename*=UTF-8''Str%C3%B6m.epub"),
        "{disposition}"
    );
    let refused = ask(&app, "root", &format!("{path}?download=2"), "none").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn absent_invisible_and_missing_files_get_equal_responses() {
    let (app, media) = server().await;
    let path = "/api/v1/files/1/content";
    let absent = ask(&app, "root", "/api/v1/files/99/content", "none").await;
    let hidden = ask(&app, "mia", path, "none").await;
    std::fs::remove_file(media.path().join("a/Ström.epub")).expect("no file");
    let gone = ask(&app, "root", path, "none").await;
    std::os::unix::fs::symlink("/etc/passwd", media.path().join("a/Ström.epub")).expect("a link");
    let outside = ask(&app, "root", path, "none").await;
    for answer in [&absent, &hidden, &gone, &outside] {
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert_eq!(answer.bytes, absent.bytes);
    }
}

#[tokio::test]
async fn head_response_has_length_and_no_body() {
    let (app, _media) = server().await;
    let who = app.sign_in("root").await;
    let headers = [("authorization", who.as_str())];
    let answer = app
        .ask("HEAD", "/api/v1/files/1/content", &headers, Value::Null)
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-length"), Some("10"));
    assert!(answer.bytes.is_empty());
}
