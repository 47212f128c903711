//! State of the server as administrators see it.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::until;
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, is_time, library_of, refused};

#[test]
fn status_has_all_fields() {
    let (server, admin, library) = library_of(&[("Emma.epub", "12345"), ("Nana.epub", "123")]);
    let status = admin.get("/status").expect(200).json();
    has_keys(
        &status,
        "version schema uptime database disk libraries jobs last_backup_at warnings",
    );
    let version = server.client().get("/version").expect(200).json();
    for key in ["version", "schema"] {
        assert_eq!(status[key], version[key], "{key}");
    }
    assert!(status["uptime"].as_u64().is_some_and(|time| time < 600));
    has_keys(&status["database"], "size wal");
    // A checkpoint between both reads changes the size.
    until("the size of the file", || {
        let status = admin.get("/status").expect(200).json();
        let on_disk = fs::metadata(server.database()).expect("a file").len();
        (status["database"]["size"] == on_disk).then_some(())
    });
    assert!(status["database"]["wal"].is_u64());
    has_keys(&status["disk"], "total free");
    let [total, free] = ["total", "free"].map(|key| status["disk"][key].as_u64().expect(key));
    assert!(0 < free && free <= total, "{status}");
    has_keys(&status["jobs"], "queued running failed");
    assert_eq!(
        [&status["last_backup_at"], &status["warnings"]],
        [&Value::Null, &json!([])]
    );
    let library_status = &status["libraries"][0];
    has_keys(library_status, "id name size available counts last_scan_at");
    assert_eq!(
        ["id", "name", "size", "available"].map(|key| library_status[key].clone()),
        [json!(library), json!("Media"), json!(8), json!(true)]
    );
    assert_eq!(library_status["counts"]["books"], 2);
    assert_eq!(library_status["counts"]["video"], 0);
    is_time(&library_status["last_scan_at"]);
    let (_, mia) = server.user(&admin, "mia");
    refused(&mia.get("/status"), 403, "forbidden");
}

#[test]
fn status_follows_folders_and_jobs() {
    let (server, admin, library) = library_of(&[("Emma.epub", "12345")]);
    let get = || admin.get("/status").expect(200).json();
    let media = server.folder().join("media");
    fs::rename(&media, server.folder().join("away")).expect("renamed");
    let status = get();
    assert_eq!(status["libraries"][0]["available"], false);
    // The catalogue still contains the files.
    assert_eq!(status["libraries"][0]["size"], 5);
    let scanned_at = status["libraries"][0]["last_scan_at"].clone();
    let scan = format!("/libraries/{library}/scan");
    admin.send("POST", &scan, &[], None).expect(202);
    let path = format!("/libraries/{library}/scan/status");
    until("a failed scan", || {
        let status = admin.get(&path).expect(200).json();
        (status["status"] == "failed").then_some(())
    });
    assert_eq!(get()["libraries"][0]["last_scan_at"], scanned_at);
    let database = open::writable(&server.database()).expect("the database");
    let time = "2026-01-01T00:00:00.000000Z";
    let before = get()["jobs"]["failed"].as_u64().expect("a number");
    database
        .execute(
            "INSERT INTO job (kind, status, attempts, run_at, created_at)
             VALUES ('scan', 'failed', 5, ?1, ?1)",
            [time],
        )
        .expect("a row");
    assert_eq!(get()["jobs"]["failed"], before + 1);
}
