use std::time::Duration;

use axum::http::StatusCode;
use ledge_core::id::UserId;
use ledge_core::store::account::user;
use ledge_core::store::library::{self, NewLibrary};
use serde_json::{Value, json};

use crate::http::session::SessionService;
use crate::http::session::csrf::PublicUrl;
use crate::http::test_app::{PASSWORD, TestApp};

/// Creates a library of the user `root` with the files 1 and 2.
async fn server(sessions: SessionService) -> (TestApp, tempfile::TempDir) {
    let app = TestApp::with_sessions(sessions);
    let media = tempfile::tempdir().expect("a folder");
    for name in ["a.epub", "b.epub"] {
        std::fs::write(media.path().join(name), "0123456789").expect("a file");
    }
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
            "INSERT INTO folder (library_id, path) VALUES (1, x'');
             INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
             VALUES (1, 'books', 'k', 'A', 'a', 'A', '');
             INSERT INTO file (item_id, folder_id, name, size, mtime_ns, added_at)
             VALUES (1, 1, CAST('a.epub' AS BLOB), 10, 1, ''),
                    (1, 1, CAST('b.epub' AS BLOB), 10, 1, '');",
        )?;
        Ok(())
    });
    create.await.expect("files");
    (app, media)
}

async fn plain() -> (TestApp, tempfile::TempDir) {
    server(SessionService::new(Vec::new(), None)).await
}

/// Returns the URL of a new link to file 1.
async fn link(app: &TestApp, who: &str, headers: &[(&str, &str)]) -> String {
    let mut all = vec![("authorization", who)];
    all.extend(headers);
    let answer = app
        .ask("POST", "/api/v1/files/1/link", &all, Value::Null)
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    answer.json()["url"]
        .as_str()
        .expect("an address")
        .to_owned()
}

fn path_of(url: &str) -> String {
    let (_, rest) = url.split_once("/api/").expect("a path");
    format!("/api/{rest}")
}

#[tokio::test]
async fn ticket_gives_access_to_its_file_only() {
    let (app, _media) = plain().await;
    let root = app.sign_in("root").await;
    let path = path_of(&link(&app, &root, &[]).await);
    let whole = app.get(&path, &[]).await;
    assert_eq!((whole.status, whole.bytes.len()), (StatusCode::OK, 10));
    assert_eq!(whole.header("referrer-policy"), Some("no-referrer"));
    let part = app.get(&path, &[("range", "bytes=0-3")]).await;
    assert_eq!(part.status, StatusCode::PARTIAL_CONTENT);
    let head = app.ask("HEAD", &path, &[], Value::Null).await;
    assert_eq!(head.status, StatusCode::OK);
    let other = path.replace("/files/1/", "/files/2/");
    for wrong in [
        other,
        format!("{path}x"),
        path.replace("ticket=", "ticket=x"),
    ] {
        let answer = app.get(&wrong, &[]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
        // A session has no effect on a link: the result is equal for all users.
        let answer = app.get(&wrong, &[("authorization", &root)]).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    // A ticket is not accepted as a session token either.
    let ticket = path.rsplit('=').next().expect("a ticket");
    let bearer = format!("Bearer {ticket}");
    let cookie = format!("ledge_session={ticket}");
    for headers in [("authorization", bearer.as_str()), ("cookie", &cookie)] {
        for path in ["/api/v1/files/1/content", "/api/v1/auth/me"] {
            let answer = app.get(path, &[headers]).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        }
    }
}

#[tokio::test]
async fn ticket_expires_after_six_hours_and_is_deleted() {
    let (app, _media) = plain().await;
    let root = app.sign_in("root").await;
    let path = path_of(&link(&app, &root, &[]).await);
    app.clock.advance(Duration::from_secs(6 * 3600 - 1));
    assert_eq!(app.get(&path, &[]).await.status, StatusCode::OK);
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(app.get(&path, &[]).await.status, StatusCode::UNAUTHORIZED);
    link(&app, &root, &[]).await;
    let kept = app.app.db.read(|conn| {
        Ok(
            conn.query_row("SELECT count(*) FROM file_ticket", [], |row| {
                row.get::<_, i64>(0)
            })?,
        )
    });
    assert_eq!(kept.await.expect("a number"), 1);
}

#[tokio::test]
async fn ticket_ends_with_its_session_its_user_and_a_new_password() {
    let ends: [(&str, &str, Value); 2] = [
        ("POST", "/api/v1/auth/logout", Value::Null),
        (
            "PUT",
            "/api/v1/auth/password",
            json!({"current_password": PASSWORD, "new_password": "another horse"}),
        ),
    ];
    for (method, way, body) in ends {
        let (app, _media) = plain().await;
        let root = app.sign_in("root").await;
        let path = path_of(&link(&app, &root, &[]).await);
        let headers = [("authorization", root.as_str())];
        let answer = app.ask(method, way, &headers, body).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{way}");
        assert_eq!(
            app.get(&path, &[]).await.status,
            StatusCode::UNAUTHORIZED,
            "{way}"
        );
    }
    for (sql, status) in [
        ("UPDATE user SET disabled = 1", StatusCode::UNAUTHORIZED),
        ("DELETE FROM session", StatusCode::UNAUTHORIZED),
        (
            "UPDATE session SET expires_at = ''",
            StatusCode::UNAUTHORIZED,
        ),
        ("DELETE FROM library_grant", StatusCode::NOT_FOUND),
    ] {
        let (app, _media) = plain().await;
        let root = app.sign_in("root").await;
        let path = path_of(&link(&app, &root, &[]).await);
        let change = app.app.db.write(|tx| Ok(tx.execute_batch(sql)?));
        change.await.expect("a change");
        assert_eq!(app.get(&path, &[]).await.status, status, "{sql}");
    }
}

#[tokio::test]
async fn link_contains_the_public_address() {
    let (app, _media) = plain().await;
    let root = app.sign_in("root").await;
    for (host, start) in [
        (
            "books.lan:8484",
            "http://books.lan:8484/api/v1/files/1/content?ticket=",
        ),
        ("[::1]:80", "http://[::1]:80/api/"),
        ("evil@host", "/api/v1/"),
        ("a/b", "/api/v1/"),
    ] {
        let url = link(&app, &root, &[("host", host)]).await;
        assert!(url.starts_with(start), "{url}");
    }
    let forwarded = [
        ("host", "inner"),
        ("x-forwarded-host", "outer"),
        ("x-forwarded-proto", "https"),
    ];
    let url = link(&app, &root, &forwarded).await;
    assert!(
        url.starts_with("http://inner/"),
        "no proxy is trusted: {url}"
    );
    let trusted = vec!["0.0.0.0/0".parse().expect("a network")];
    let (app, _media) = server(SessionService::new(trusted, None)).await;
    let root = app.sign_in("root").await;
    let url = link(&app, &root, &forwarded).await;
    assert!(url.starts_with("https://outer/"), "{url}");
    for (public, base) in [
        ("https://books.example/", "https://books.example/api/"),
        (
            "http://books.example:8080",
            "http://books.example:8080/api/",
        ),
    ] {
        let (app, _media) = server(SessionService::new(Vec::new(), PublicUrl::parse(public))).await;
        let root = app.sign_in("root").await;
        let url = link(&app, &root, &forwarded).await;
        assert!(url.starts_with(base), "{url}");
    }
}
