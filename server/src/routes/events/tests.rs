//! What a stream tells, event by event.

use std::path::PathBuf;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use ledge_core::events::{Event, JobChange};
use ledge_core::id::{JobId, LibraryId, UserId};
use ledge_core::store::job::{self, JobStatus};
use ledge_core::store::library::{self, NewLibrary};
use ledge_core::store::{scan_run, session};
use ledge_core::{enrich, scan};
use serde_json::{Value, json};

use crate::test_app::TestApp;

/// The users that every test application has.
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
        let answer = test.site.clone().answer(request).await;
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

    /// Name, data and id of the next event; `None` at the end.
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

/// A library that was scanned, granted to both users.
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
async fn a_job_of_no_library_is_told_to_administrators_only() {
    let test = TestApp::new();
    let library = scanned_library(&test, "books");
    let mut root = Stream::open(&test, &test.sign_in("root").await, None).await;
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    test.app.events.publish(job_of_no_library());
    test.app.events.scan(library);
    let (name, data, _) = root.next().await.expect("an event");
    let told = json!({"id": 77, "kind": "tidying", "ref_id": null, "status": "done"});
    assert_eq!((name.as_str(), data), ("job", told));
    let (name, data, _) = mia.next().await.expect("an event");
    assert_eq!(
        (name.as_str(), &data["library_id"]),
        ("scan", &json!(library))
    );
}

/// An item of a library.
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
async fn a_job_is_told_to_those_who_see_what_it_works_on_administrators_included() {
    let test = TestApp::new();
    let (hidden, kept) = (
        scanned_library(&test, "hidden"),
        scanned_library(&test, "kept"),
    );
    let root = test.sign_in("root").await;
    let headers = [("authorization", root.as_str())];
    // The administrator gives up one library, the user another.
    for (library, user) in [(kept, ROOT), (hidden, MIA)] {
        let grant = format!("/api/v1/libraries/{library}/grants/{user}");
        let revoked = test.ask("DELETE", &grant, &headers, Value::Null).await;
        assert_eq!(revoked.status, 204);
    }
    // Ids of items that other libraries have.
    let (of_kept, of_hidden) = (item_of(&test, kept), item_of(&test, hidden));
    assert_eq!((of_kept, of_hidden), (hidden.0, kept.0));
    let jobs = [
        (scan::HANDLER_KIND, hidden.0, kept.0),
        (enrich::LIBRARY_HANDLER_KIND, hidden.0, kept.0),
        (enrich::ITEM_HANDLER_KIND, of_hidden, of_kept),
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
        let told = jobs.iter().map(|job| (json!(job.0), json!(own(job))));
        told.collect::<Vec<_>>()
    };
    assert_eq!(jobs_until(root, last).await, expected(|job| job.1));
    assert_eq!(jobs_until(mia, last).await, expected(|job| job.2));
}

/// Kinds and subjects of the jobs that are told before a library's scan is.
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
async fn one_who_comes_back_is_told_what_ended_meanwhile_and_one_who_is_new_is_not() {
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
async fn one_who_read_too_slowly_is_told_so_and_how_every_scan_ended() {
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
async fn a_scan_of_a_library_that_was_revoked_is_not_told() {
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
async fn a_stream_ends_when_its_session_has_run_out() {
    let test = TestApp::new();
    let library = scanned_library(&test, "books");
    let mut mia = Stream::open(&test, &test.sign_in("mia").await, None).await;
    test.clock
        .advance(session::LIFETIME + Duration::from_secs(1));
    test.app.events.scan(library);
    assert_eq!(mia.next().await, None);
}

#[tokio::test]
async fn a_stream_ends_when_its_user_gets_another_role() {
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
