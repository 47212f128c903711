//! Purges after scans that were not accepted: files that may still exist are not deleted.

use std::fs;
use std::path::Path;

use ledge_tests::server::{all_items, program, scan, scan_with, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::refused;

const FILES: usize = 4_000;
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

/// Views and triggers that keep the server busy for ever after it has marked this many files, in
/// the middle of a transaction. The earlier ones are committed: a transaction marks at most 500.
const STALL: &str = "
    CREATE VIEW endless AS
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
    SELECT n FROM numbers;
    CREATE TRIGGER stall AFTER UPDATE OF missing ON file
      WHEN (SELECT COUNT(*) FROM file WHERE missing = 1) >= 1000
     BEGIN SELECT COUNT(*) FROM endless; END;";

const END_STALL: &str = "
    DROP TRIGGER stall;
    DROP VIEW endless;";

fn change_schema(server: &Server, statements: &str) {
    let database = ledge_core::db::open::existing(&server.database()).expect("a database");
    database.execute_batch(statements).expect("a change");
}

/// Starts a scan and kills the server after it has marked some files and before it has marked all.
fn kill_while_marking(server: &mut Server, library: i64) {
    let admin = server.admin();
    change_schema(server, STALL);
    let path = format!("/libraries/{library}/scan");
    admin.send("POST", &path, &[], None).expect(202);
    until("the marking", || (missing(&admin) > 0).then_some(()));
    server.kill();
    change_schema(server, END_STALL);
}

#[test]
fn purge_is_refused_after_scan_killed_while_marking_and_rejected_scan() {
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
    remove(media.path(), 0..lost);
    kill_while_marking(&mut server, library);
    // The disk is removed for good while the server is down.
    remove(media.path(), lost..FILES * 3 / 4);
    server.restart();

    // The scan starts again automatically, and finds that too many files are gone.
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

    // If the files return, nothing is missing. If they are really gone, the loss is accepted and
    // purged.
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
