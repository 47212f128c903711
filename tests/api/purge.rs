//! Purges after scans that were not accepted: nothing is deleted that may still be there.

use std::fs;
use std::path::Path;

use ledge_tests::server::{all_items, program, scan, scan_with, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::conventions::refused;

const FILES: usize = 4_000;
/// Attempts to kill the server while it marks files.
const ATTEMPTS: usize = 20;
const SETTINGS: &[(&str, &str)] = &[("LEDGE_WATCH", "off"), ("LEDGE_FFPROBE", "off")];

fn name(n: usize) -> String {
    format!("Author {n} - A book with the number {n}.epub")
}

fn put(media: &Path, books: std::ops::Range<usize>) {
    for n in books {
        fs::write(media.join(name(n)), format!("book {n}")).expect("a file");
    }
}

fn remove(media: &Path, books: std::ops::Range<usize>) {
    for n in books {
        fs::remove_file(media.join(name(n))).expect("gone");
    }
}

fn status(admin: &Client, library: i64) -> Value {
    let path = format!("/libraries/{library}/scan/status");
    admin.get(&path).expect(200).json()
}

fn missing(admin: &Client) -> u64 {
    let missing = admin.get("/missing?limit=1").expect(200).json();
    missing["total"].as_u64().expect("a number")
}

/// Starts a scan and kills the server while it marks files. Returns whether the moment was hit.
fn kill_while_marking(server: &mut Server, library: i64) -> bool {
    let admin = server.admin();
    let path = format!("/libraries/{library}/scan");
    admin.send("POST", &path, &[], None).expect(202);
    let moment = until("the marking", || {
        let missing = missing(&admin);
        let is_over = status(&admin, library)["status"] == "done";
        (missing > 0 || is_over).then_some(!is_over)
    });
    server.kill();
    moment
}

#[test]
fn purge_is_refused_after_a_scan_was_killed_while_marking_and_the_next_one_was_rejected() {
    let media = tempfile::tempdir().expect("a folder");
    put(media.path(), 0..FILES);
    let mut server = Server::with(&program("ledge"), SETTINGS);
    let admin = server.admin();
    let (library, found) = scanned_library(&admin, "Books", media.path());
    assert_eq!(found["added"], FILES, "{found}");
    let first = all_items(&admin, "/items")
        .into_iter()
        .find(|item| item["title"] == "A book with the number 0")
        .expect("the first book");
    let progress = format!("/items/{}/progress", first["id"]);
    admin.put(&progress, &json!({"position": 7})).expect(200);

    let lost = FILES * 9 / 20;
    let mut is_hit = false;
    for _ in 0..ATTEMPTS {
        remove(media.path(), 0..lost);
        is_hit = kill_while_marking(&mut server, library);
        // The disk goes away for good while the server is down.
        let away = if is_hit { lost..FILES * 3 / 4 } else { 0..0 };
        remove(media.path(), away);
        server.restart();
        if is_hit {
            break;
        }
        put(media.path(), 0..lost);
        scan(&server.admin(), library);
    }
    assert!(is_hit, "no kill came while files were marked");

    // The scan begins again by itself, and finds that too much is gone.
    let admin = server.admin();
    let rejected = until("the rejection", || {
        let status = status(&admin, library);
        (status["status"] == "failed").then_some(status)
    });
    let error = rejected["error"].as_str().expect("a reason").to_owned();
    assert!(error.contains("more than half"), "{rejected}");
    assert!(missing(&admin) > 0, "some were marked before the kill");
    let purge = format!("/libraries/{library}/purge");
    let answer = admin.send("POST", &purge, &[], None);
    refused(&answer, 409, "conflict");
    let message = answer.json()["error"]["message"].to_string();
    assert!(
        message.contains("not accepted") && message.contains("more than half"),
        "{message}"
    );
    let count = admin.get("/items?limit=1").expect(200).json()["total"].clone();
    assert_eq!(count, FILES);
    let item = admin.get(&format!("/items/{}", first["id"])).expect(200);
    assert_eq!(item.json()["progress"]["position"], 7.0, "{item:?}");

    // Back again, nothing is missing; really gone, it is accepted and purged.
    put(media.path(), 0..FILES * 3 / 4);
    assert_eq!(scan(&admin, library)["status"], "done");
    assert_eq!(missing(&admin), 0);
    remove(media.path(), 0..FILES * 3 / 4);
    assert_eq!(scan(&admin, library)["status"], "failed");
    refused(&admin.send("POST", &purge, &[], None), 409, "conflict");
    let accepted = scan_with(&admin, library, &json!({"accept_missing": true}));
    assert_eq!(accepted["status"], "done", "{accepted}");
    for deleted in [FILES * 3 / 4, 0] {
        let purged = admin.send("POST", &purge, &[], None).expect(200);
        assert_eq!(purged.json(), json!({"deleted": deleted}));
    }
}
