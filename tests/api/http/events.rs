//! Server-sent events: recipients, content, and the end of a stream.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_tests::server::{scan, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

/// Creates a library of one book and returns its id.
fn library(server: &Server, admin: &Client, name: &str) -> i64 {
    let media = server.folder().join(name);
    fs::create_dir(&media).expect("a folder");
    add_book(&media, "Emma");
    scanned_library(admin, name, &media).0
}

fn add_book(media: &Path, title: &str) {
    fs::write(media.join(format!("{title}.epub")), title).expect("a file");
}

fn grant(admin: &Client, library: i64, user: i64) {
    let path = format!("/libraries/{library}/grants/{user}");
    admin.send("PUT", &path, &[], None).expect(204);
}

fn is_done(library: i64) -> impl Fn(&str, &Value) -> bool {
    move |name, data| name == "scan" && data["library_id"] == library && data["status"] == "done"
}

#[test]
fn scan_and_job_events_reach_granted_users() {
    let server = Server::start();
    let admin = server.admin();
    let books = library(&server, &admin, "books");
    let (id, mia) = server.user(&admin, "mia");
    grant(&admin, books, id);
    let events = mia.events();
    add_book(&server.folder().join("books"), "Persuasion");
    let status = scan(&admin, books);
    let received = events.until(is_done(books));
    let jobs: Vec<&str> = received
        .iter()
        .filter(|(name, _)| name == "job")
        .map(|(_, job)| {
            assert_eq!(job["kind"], "scan");
            assert_eq!(job["ref_id"], books);
            assert_eq!(job["id"], status["job_id"]);
            assert_eq!(job.as_object().expect("an object").len(), 4);
            job["status"].as_str().expect("a status")
        })
        .collect();
    assert_eq!(jobs, ["queued", "running", "done"]);
    let (_, mut last) = received.last().expect("an event").clone();
    last.as_object_mut()
        .expect("an object")
        .remove("library_id");
    assert_eq!(last, status, "the status that the library's scan shows");
    let stages: Vec<&Value> = received
        .iter()
        .filter(|(name, _)| name == "scan")
        .map(|(_, data)| &data["status"])
        .collect();
    let after_queue = stages.iter().skip_while(|stage| **stage == "queued");
    assert!(after_queue.clone().count() > 0);
    assert!(
        after_queue.clone().all(|stage| *stage != "queued"),
        "{stages:?}"
    );
}

#[test]
fn ungranted_or_revoked_library_sends_no_events() {
    let server = Server::start();
    let admin = server.admin();
    let hidden = library(&server, &admin, "hidden");
    let lost = library(&server, &admin, "lost");
    let kept = library(&server, &admin, "kept");
    let (id, mia) = server.user(&admin, "mia");
    grant(&admin, lost, id);
    grant(&admin, kept, id);
    let events = mia.events();
    scan(&admin, hidden);
    scan(&admin, lost);
    let before = events.until(is_done(lost));
    admin
        .delete(&format!("/libraries/{lost}/grants/{id}"))
        .expect(204);
    let unseen = scan(&admin, lost)["job_id"].clone();
    scan(&admin, kept);
    let after = events.until(is_done(kept));
    let names = |events: &[(String, Value)], library: i64| {
        events.iter().any(|(name, data)| {
            let key = if name == "scan" {
                "library_id"
            } else {
                "ref_id"
            };
            data[key] == library
        })
    };
    assert!(names(&before, lost) && names(&after, kept));
    assert!(!names(&before, hidden) && !names(&after, hidden));
    // Events of the first scan may still have been in transit when the grant was revoked.
    let of_unseen = |(name, data): &&(String, Value)| {
        let job = if name == "scan" { "job_id" } else { "id" };
        data[job] == unseen
    };
    assert_eq!(after.iter().find(of_unseen), None);
}

#[test]
fn administrator_without_grant_gets_no_library_events() {
    let server = Server::start();
    let admin = server.admin();
    let hidden = library(&server, &admin, "hidden");
    let kept = library(&server, &admin, "kept");
    let own = admin.get("/auth/me").expect(200).json()["id"].clone();
    admin
        .delete(&format!("/libraries/{hidden}/grants/{own}"))
        .expect(204);
    let events = admin.events();
    scan(&admin, hidden);
    scan(&admin, kept);
    for (_, data) in events.until(is_done(kept)) {
        assert!(data["library_id"] != hidden && data["ref_id"] != hidden);
    }
}

#[test]
fn stream_ends_with_session() {
    let server = Server::start();
    let admin = server.admin();
    let (id, mia) = server.user(&admin, "mia");
    let again = || mia.sign_in("mia", ledge_tests::server::PASSWORD);
    let ends: [(&str, &dyn Fn(&Client)); 3] = [
        ("signing out", &|client| {
            client.send("POST", "/auth/logout", &[], None).expect(204);
        }),
        ("a new password", &|_| {
            let body = json!({"password": ledge_tests::server::PASSWORD});
            admin
                .put(&format!("/users/{id}/password"), &body)
                .expect(204);
        }),
        ("disabling the account", &|_| {
            let body = json!({"disabled": true});
            admin.patch(&format!("/users/{id}"), &body).expect(200);
        }),
    ];
    for (what, end) in ends {
        let client = again();
        let events = client.events();
        end(&client);
        assert_eq!(events.next(), None, "{what}");
        let body = json!({"disabled": false});
        admin.patch(&format!("/users/{id}"), &body).expect(200);
    }
    let events = again().events();
    admin.delete(&format!("/users/{id}")).expect(204);
    assert_eq!(events.next(), None, "deleting the account");
}

#[test]
fn password_set_on_command_line_ends_stream_before_next_event() {
    let server = Server::start();
    let admin = server.admin();
    let books = library(&server, &admin, "books");
    let (id, mia) = server.user(&admin, "mia");
    grant(&admin, books, id);
    let events = mia.events();
    let command = ["user", "passwd", "mia", "--password-stdin"];
    let changed = crate::operation::cli::run(&server, &command, "another password\n");
    assert_eq!(changed.status.code(), Some(0));
    scan(&admin, books);
    assert_eq!(events.next(), None);
}

#[test]
fn reconnected_client_receives_missed_scan_result() {
    let server = Server::start();
    let admin = server.admin();
    let books = library(&server, &admin, "books");
    let (id, mia) = server.user(&admin, "mia");
    grant(&admin, books, id);
    let events = mia.events();
    scan(&admin, books);
    events.until(is_done(books));
    let last = events.last_id();
    assert!(!last.is_empty());
    drop(events);
    let status = scan(&admin, books);
    let received = mia.events_after(&last).until(is_done(books));
    let names: Vec<&str> = received.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["reset", "scan"]);
    assert_eq!(received[1].1["job_id"], status["job_id"]);
}

#[test]
fn stopping_server_does_not_wait_for_streams() {
    let mut server = Server::start();
    let admin = server.admin();
    let events = admin.events();
    let begun = Instant::now();
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(events.next(), None);
    // Open streams are closed only after ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(9));
}

#[test]
fn stream_is_neither_cached_nor_buffered() {
    let server = Server::start();
    let answer = server.admin().send("HEAD", "/events", &[], None);
    let answer = answer.expect(200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    assert!(!answer.headers.contains_key("content-encoding"));
    let stranger = server.client().get("/events");
    assert_eq!(
        stranger.expect(401).json()["error"]["code"],
        "unauthenticated"
    );
}

#[test]
fn excess_streams_of_one_user_are_refused_and_others_are_not() {
    let server = Server::start();
    let admin = server.admin();
    let (_, mia) = server.user(&admin, "mia");
    let streams: Vec<_> = (0..16).map(|_| mia.events()).collect();
    let refused = mia.get("/events").expect(429);
    assert_eq!(refused.json()["error"]["code"], "too_many_requests");
    assert!(refused.headers.contains_key("retry-after"));
    drop(admin.events());
    drop(streams);
}
