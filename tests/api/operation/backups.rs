//! Backups that the server writes: on request and on a schedule.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use ledge_core::db::open;
use ledge_tests::server::{program, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::cli::run;
use crate::http::conventions::{has_keys, is_time, list, refused};

/// Folder of the backups, which does not exist yet.
fn backup_folder(parent: &Path) -> PathBuf {
    parent.join("backups")
}

/// Starts a server with a backup folder.
fn server_with_backups(parent: &Path, further: &[(&str, &str)]) -> Server {
    let folder = backup_folder(parent);
    let folder = folder.to_str().expect("a path");
    let settings = [&[("LEDGE_BACKUP_DIR", folder)], further].concat();
    Server::in_folder(&program("ledge-example"), parent, &settings)
}

/// Requests a backup, and returns its job at its end.
fn back_up(admin: &Client) -> Value {
    let accepted = admin.send("POST", "/backups", &[], None).expect(202).json();
    has_keys(&accepted, "job_id");
    until("the end of the backup", || {
        let jobs = admin.get("/jobs?kind=backup").expect(200).json();
        let mut jobs = jobs["items"].as_array().expect("jobs").clone().into_iter();
        let job = jobs.find(|job| job["id"] == accepted["job_id"])?;
        ["done", "failed"]
            .contains(&job["status"].as_str()?)
            .then_some(job)
    })
}

fn names(admin: &Client) -> Vec<String> {
    let backups = list(&admin.get("/backups")).into_iter();
    let name = |backup: Value| backup["name"].as_str().expect("a name").to_owned();
    backups.map(name).collect()
}

/// Adds a row that refers to nothing, or deletes it. A backup of such a database fails.
fn damage(server: &Server, is_damaged: bool) {
    let database = open::existing(&server.database()).expect("the database");
    let sql = if is_damaged {
        "PRAGMA foreign_keys = OFF;
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 77);"
    } else {
        "DELETE FROM library_grant WHERE library_id = 77;"
    };
    database.execute_batch(sql).expect("a change");
}

#[test]
fn requested_backup_is_checked_and_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server_with_backups(folder.path(), &[]);
    let admin = server.admin();
    assert_eq!(names(&admin), [""; 0]);
    let job = back_up(&admin);
    assert_eq!(job["status"], "done", "{job}");
    let backup = list(&admin.get("/backups"))[0].clone();
    has_keys(&backup, "name size created_at checked");
    is_time(&backup["created_at"]);
    assert_eq!(backup["checked"], true);
    assert_eq!(job["result"]["name"], backup["name"]);
    let path = backup_folder(folder.path()).join(backup["name"].as_str().expect("a name"));
    let metadata = fs::metadata(&path).expect("a file");
    assert_eq!(backup["size"], metadata.len());
    assert_eq!(metadata.permissions().mode() & 0o077, 0);
    let status = admin.get("/status").expect(200).json();
    assert_eq!(status["last_backup_at"], backup["created_at"]);
    assert_eq!(status["warnings"], json!([]));
    let copy = path.to_str().expect("a path");
    let checked = run(&server, &["check", "--database", copy], "");
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let (_, mia) = server.user(&admin, "mia");
    for answer in [mia.get("/backups"), mia.send("POST", "/backups", &[], None)] {
        refused(&answer, 403, "forbidden");
    }
}

#[test]
fn backup_without_folder_is_409() {
    let server = Server::start();
    let admin = server.admin();
    let answer = admin.send("POST", "/backups", &[], None);
    refused(&answer, 409, "conflict");
    assert_eq!(names(&admin), [""; 0]);
}

#[test]
fn schedule_writes_backups_and_keeps_the_newest() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = [("LEDGE_BACKUP_INTERVAL", "1s"), ("LEDGE_BACKUP_KEEP", "2")];
    let server = server_with_backups(folder.path(), &settings);
    let admin = server.admin();
    let mut seen: Vec<String> = Vec::new();
    until("four backups", || {
        for name in names(&admin) {
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        (seen.len() >= 4).then_some(())
    });
    // Names sort like times. A third file exists between the new backup and the deletion.
    until("the deletion of old backups", || {
        let names = names(&admin);
        (names.len() == 2 && !names.contains(&seen[0])).then_some(())
    });
    assert!(seen.is_sorted(), "{seen:?}");
}

#[test]
fn failed_backup_removes_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = server_with_backups(folder.path(), &[("LEDGE_BACKUP_KEEP", "1")]);
    let admin = server.admin();
    back_up(&admin);
    let first = names(&admin);
    damage(&server, true);
    let job = back_up(&admin);
    assert_eq!(job["status"], "failed");
    let error = job["error"].as_str().expect("a message");
    assert!(error.contains("is not whole"), "{error}");
    assert_eq!(names(&admin), first);
    let files = fs::read_dir(backup_folder(folder.path())).expect("a folder");
    assert_eq!(files.count(), 1, "no partial file remains");
    damage(&server, false);
    back_up(&admin);
    let second = names(&admin);
    assert_eq!(second.len(), 1);
    assert_ne!(second, first);
}

#[test]
fn unusable_folder_fails_the_job_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let absent = folder.path().join("disk/backups");
    let absent = absent.to_str().expect("a path");
    let server = Server::with(&program("ledge-example"), &[("LEDGE_BACKUP_DIR", absent)]);
    let admin = server.admin();
    let job = back_up(&admin);
    assert_eq!(job["status"], "failed");
    let error = job["error"].as_str().expect("a message");
    assert!(error.contains(absent), "{error}");
    assert!(!folder.path().join("disk").exists());
}

#[test]
fn status_warns_of_backup_older_than_twice_the_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server_with_backups(folder.path(), &[]);
    back_up(&server.admin());
    let name = names(&server.admin())[0].clone();
    server.kill();
    let backups = backup_folder(folder.path());
    let old = "ledge-2020-01-01T00-00-00.000000Z.db";
    fs::rename(backups.join(name), backups.join(old)).expect("renamed");
    damage(&server, true);
    // A recent attempt would delay the next one.
    let database = open::existing(&server.database()).expect("the database");
    database
        .execute_batch("DELETE FROM job;")
        .expect("no attempts");
    drop(database);
    drop(server);
    let server = server_with_backups(folder.path(), &[("LEDGE_BACKUP_INTERVAL", "1h")]);
    let admin = server.admin();
    let status = admin.get("/status").expect(200).json();
    assert_eq!(status["last_backup_at"], "2020-01-01T00:00:00.000000Z");
    let warnings = status["warnings"].as_array().expect("warnings");
    assert_eq!(warnings.len(), 1, "{status}");
    has_keys(&warnings[0], "code message");
    assert_eq!(warnings[0]["code"], "backup_old");
    // The schedule has tried at once, and the failure has removed nothing.
    until("a failed backup", || {
        let failed = admin.get("/jobs?kind=backup&status=failed").expect(200);
        (failed.json()["total"] == 1).then_some(())
    });
    assert_eq!(names(&admin), [old]);
    damage(&server, false);
    assert_eq!(back_up(&admin)["status"], "done");
    let status = admin.get("/status").expect(200).json();
    assert_eq!(status["warnings"], json!([]));
}
