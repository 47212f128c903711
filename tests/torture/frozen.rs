//! Disk that became read-only, as Linux remounts it after an I/O error: remaining functions, and
//! recovery.

use std::path::Path;
use std::process::{Command, Output};

use ledge_tests::Server;
use ledge_tests::server::program;

use crate::full::Small;
use crate::say;

fn ledge(database: &Path, arguments: &[&str]) -> Output {
    Command::new(program("ledge"))
        .args(arguments)
        .arg("--database")
        .arg(database)
        .output()
        .expect("a program")
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

fn refuses(database: &Path, arguments: &[&str], reason: &str) {
    let output = ledge(database, arguments);
    assert!(!output.status.success(), "{arguments:?}: {output:?}");
    assert!(text(&output).contains(reason), "{arguments:?}: {output:?}");
}

pub(crate) fn disk() {
    let Some(small) = Small::new() else {
        say("a read-only disk: NOT RUN, as nobody here may mount a small file system");
        return;
    };
    let elsewhere = tempfile::tempdir().expect("a folder");
    let backup = elsewhere.path().join("backup.db");
    let backup = backup.to_str().expect("text");
    let mut server = Server::in_folder(&program("ledge"), small.path(), &[]);
    let database = server.database();
    let (id, _) = server.user(&server.admin(), "marit");
    server.kill();

    // The last writes are only in the log.
    small.remount("ro");
    refuses(&database, &["serve"], "Read-only file system");
    for arguments in [&["check"][..], &["backup", backup]] {
        refuses(&database, arguments, "Copy both files to another folder");
    }
    let copy = elsewhere.path().join("ledge.db");
    for end in ["", "-wal"] {
        let name = format!("ledge.db{end}");
        std::fs::copy(database.with_file_name(&name), copy.with_file_name(&name)).expect("a copy");
    }
    let users = ledge(&copy, &["user", "list"]);
    assert!(text(&users).contains("marit"), "{users:?}");

    small.remount("rw");
    server.restart();
    server.admin().get(&format!("/users/{id}")).expect(200);
    server.terminate();

    // All writes are in the database file.
    small.remount("ro");
    for arguments in [&["check"][..], &["backup", backup]] {
        let output = ledge(&database, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(text(&output).contains("2 users"), "{output:?}");
    }
    refuses(&database, &["restore", backup], "Read-only file system");
    small.remount("rw");
    server.restart();
    server.admin().get(&format!("/users/{id}")).expect(200);
    say(
        "a disk that turned read-only: refused with the reason by the server, checked and backed up \
         after a stop, had by a copy of two files after a kill; it went on once it was writable",
    );
}
