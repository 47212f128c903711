//! Tests of event streams, event by event.

use std::path::PathBuf;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use ledge_core::events::{Event, JobChange};
use ledge_core::id::{JobId, LibraryId, UserId};
use ledge_core::store::account::session;
use ledge_core::store::job::{self, JobStatus};
use ledge_core::store::library::{self, NewLibrary, scan_run};
use ledge_core::{job_kind, scan};
use serde_json::{Value, json};

use crate::http::test_app::TestApp;

/// Users of every test application.
const ROOT: UserId = UserId(1);
const MIA: UserId = UserId(2);

struct Stream(Body);

impl Stream {
    async fn open(test: &TestApp, authorization: &str, last: Option<&str>) -> Self {
        let mut request = Request::get("/api/v1/events").header("authorization", authorization);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let request = request.body(Body::empty()).expect("a request");
        let answer = test.service.clone().answer(request).await;
        let mut stream = Self(answer.into_body());
        let begin = stream.frame().await.expect("a beginning");
        assert!(begin.contains("id: 1\n"), "{begin}");
        stream
    }

    async fn frame(&mut self) -> Option<String> {
        let frame = self.0.frame().await?.expect("a frame");
        let bytes = frame.into_data().expect("data");
        Some(String::from_utf8(bytes.to_vec()).expect("text"))
    }

    /// Returns name, data and id of the next event, or `None` at the end of the stream.
    async fn next(&mut self) -> Option<(String, Value, String)> {
        let frame = self.frame().await?;
        let field = |name: &str| {
            let lines = frame.lines();
            let mut found = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.next().unwrap_or_default().to_owned()
        };
        let data = serde_json::from_str(&field("data")).expect("JSON");
        Some((field("event"), data, field("id")))
    }
}

/// Creates a scanned library that is granted to both users.
fn scanned_library(test: &TestApp, name: &str) -> LibraryId {
    let new = NewLibrary {
        name: name.to_owned(),
        path: PathBuf::from("/media").join(name),
        kinds: None,
        grants: vec![MIA],
    };
    let now = test.app.clock.now();
    let make = move |tx: &rusqlite::Transaction<'_>| {
        let library = library::create(tx, &new, ROOT, now)?;
        let job = scan::request(tx, library, false, now)?;
        let run = scan_run::begin(tx, library, Some(job), true, now)?;
        scan_run::end(tx, run, &scan_run::End::Done, now)?;
        job::finish(tx, job, &Value::Null, now)?;
        Ok(library)
    };
    test.app.db.write_blocking(make).expect("a library")
}

fn job_of_no_library() -> Event {
    Event::Job(JobChange {
        id: JobId(77),
        kind: "tidying".to_owned(),
        ref_id: None,
        status: JobStatus::Done,
    })
}

#[tokio::test]
async fn job_without_library_is_sent_to_administrators_only() {
    let test = TestApp::new();
    let library = scanned_library(&test, "books");
    let mut root = Stream::open(&test, &test.sign_in("root").await, None).await;
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    test.app.events.publish(job_of_no_library());
    test.app.events.scan(library);
    let (name, data, _) = root.next().await.expect("an event");
    let expected = json!({"id": 77, "kind": "tidying", "ref_id": null, "status": "done"});
    assert_eq!((name.as_str(), data), ("job", expected));
    let (name, data, _) = mia.next().await.expect("an event");
    assert_eq!(
        (name.as_str(), &data["library_id"]),
        ("scan", &json!(library))
    );
}

/// Inserts an item into a library.
fn item_of(test: &TestApp, library: LibraryId) -> i64 {
    let make = move |tx: &rusqlite::Transaction<'_>| {
        tx.execute(
            "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
             VALUES (?1, 'books', 'a', 'a', 'a', 'A', '')",
            [library],
        )?;
        Ok(tx.last_insert_rowid())
    };
    test.app.db.write_blocking(make).expect("an item")
}

#[tokio::test]
async fn job_is_sent_to_users_who_see_its_subject() {
    let test = TestApp::new();
    let (hidden, kept) = (
        scanned_library(&test, "hidden"),
        scanned_library(&test, "kept"),
    );
    let root = test.sign_in("root").await;
    let headers = [("authorization", root.as_str())];
    // One library is revoked from the administrator, the other one from the user.
    for (library, user) in [(kept, ROOT), (hidden, MIA)] {
        let grant = format!("/api/v1/libraries/{library}/grants/{user}");
        let revoked = test.ask("DELETE", &grant, &headers, Value::Null).await;
        assert_eq!(revoked.status, 204);
    }
    // The id of each item equals the id of the other library.
    let (of_kept, of_hidden) = (item_of(&test, kept), item_of(&test, hidden));
    assert_eq!((of_kept, of_hidden), (hidden.0, kept.0));
    let jobs = [
        (job_kind::SCAN, hidden.0, kept.0),
        (job_kind::ENRICH_LIBRARY, hidden.0, kept.0),
        (job_kind::ENRICH_ITEM, of_hidden, of_kept),
    ];
    let root = Stream::open(&test, &root, None).await;
    let mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    for (kind, of_hidden, of_kept) in jobs {
        for id in [of_hidden, of_kept] {
            test.app.events.publish(Event::Job(JobChange {
                id: JobId(id),
                kind: kind.to_owned(),
                ref_id: Some(id),
                status: JobStatus::Done,
            }));
        }
    }
    let last = scanned_library(&test, "last");
    test.app.events.scan(last);
    let expected = |own: fn(&(&'static str, i64, i64)) -> i64| {
        let expected = jobs.iter().map(|job| (json!(job.0), json!(own(job))));
        expected.collect::<Vec<_>>()
    };
    assert_eq!(jobs_until(root, last).await, expected(|job| job.1));
    assert_eq!(jobs_until(mia, last).await, expected(|job| job.2));
}

/// Returns kinds and subjects of the job events before the first scan event of a library.
async fn jobs_until(mut stream: Stream, library: LibraryId) -> Vec<(Value, Value)> {
    let mut jobs = Vec::new();
    loop {
        let (name, mut data, _) = stream.next().await.expect("an event");
        match name.as_str() {
            "job" => jobs.push((data["kind"].take(), data["ref_id"].take())),
            "scan" if data["library_id"] == json!(library) => return jobs,
            _ => {}
        }
    }
}

#[tokio::test]
async fn reconnecting_client_receives_ended_scans_and_new_client_does_not() {
    let test = TestApp::new();
    let library = scanned_library(&test, "books");
    let mia = test.sign_in("mia").await;
    let mut back = Stream::open(&test, &mia, Some("7")).await;
    let (name, data, id) = back.next().await.expect("an event");
    assert_eq!((name.as_str(), id.as_str()), ("reset", "2"));
    assert_eq!(data, json!({"reason": "reconnected"}));
    let (name, data, id) = back.next().await.expect("an event");
    assert_eq!((name.as_str(), id.as_str()), ("scan", "3"));
    assert_eq!(
        (&data["library_id"], &data["status"]),
        (&json!(library), &json!("done"))
    );

    let mut new = Stream::open(&test, &mia, None).await;
    let other = scanned_library(&test, "films");
    test.app.events.scan(other);
    let (name, data, _) = new.next().await.expect("an event");
    assert_eq!(
        (name.as_str(), &data["library_id"]),
        ("scan", &json!(other))
    );
}

#[tokio::test]
async fn lagging_client_receives_reset_and_status_of_every_scan() {
    let test = TestApp::new();
    let libraries = [
        scanned_library(&test, "books"),
        scanned_library(&test, "films"),
    ];
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    for _ in 0..1_000 {
        test.app.events.publish(job_of_no_library());
    }
    let (name, data, _) = mia.next().await.expect("an event");
    assert_eq!(
        (name.as_str(), data),
        ("reset", json!({"reason": "lagged"}))
    );
    for library in libraries {
        let (name, data, _) = mia.next().await.expect("an event");
        assert_eq!(name, "scan");
        assert_eq!(
            (&data["library_id"], &data["status"]),
            (&json!(library), &json!("done"))
        );
    }
}

#[tokio::test]
async fn scan_of_a_revoked_library_is_not_sent() {
    let test = TestApp::new();
    let (lost, kept) = (
        scanned_library(&test, "lost"),
        scanned_library(&test, "kept"),
    );
    let root = test.sign_in("root").await;
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    let grant = format!("/api/v1/libraries/{lost}/grants/{MIA}");
    let headers = [("authorization", root.as_str())];
    let revoked = test.ask("DELETE", &grant, &headers, Value::Null).await;
    assert_eq!(revoked.status, 204);
    test.app.events.scan(lost);
    test.app.events.scan(kept);
    let (name, data, _) = mia.next().await.expect("an event");
    assert_eq!((name.as_str(), &data["library_id"]), ("scan", &json!(kept)));
}

#[tokio::test]
async fn stream_ends_when_its_session_expires() {
    let test = TestApp::new();
    let library = scanned_library(&test, "books");
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    test.clock
        .advance(session::LIFETIME + Duration::from_secs(1));
    test.app.events.scan(library);
    assert_eq!(mia.next().await, None);
}

#[tokio::test]
async fn stream_ends_when_the_role_of_its_user_changes() {
    let test = TestApp::new();
    let root = test.sign_in("root").await;
    let authorization = test.sign_in("mia").await;
    let headers = [("authorization", root.as_str())];
    let path = format!("/api/v1/users/{MIA}");
    for role in ["admin", "user"] {
        let mut mia = Stream::open(&test, &authorization, None).await;
        let body = json!({"role": role});
        let changed = test.ask("PATCH", &path, &headers, body).await;
        assert_eq!(changed.status, 200);
        assert_eq!(mia.next().await, None, "{role}");
    }
}
