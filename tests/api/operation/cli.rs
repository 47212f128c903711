//! Command line: with and without a running server.

mod first_password;
mod worker;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ledge_tests::Server;
use ledge_tests::server::{PASSWORD, program, until};
use serde_json::Value;

/// Runs the program on the server's database.
pub(crate) fn run(server: &Server, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program("ledge"))
        .args(arguments)
        .env("LEDGE_DATABASE", server.database())
        .env("LEDGE_LISTEN", format!("127.0.0.1:{}", server.port()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdin = child.stdin.take().expect("its input");
    // A program that does not read its input may have ended already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("its end")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn users_are_managed_while_server_runs() {
    let server = Server::with(&program("ledge"), &[]);
    let added = run(
        &server,
        &["user", "add", "marit", "--password-stdin"],
        "a long password\n",
    );
    assert_eq!(added.status.code(), Some(0), "{}", errors(&added));
    let marit = server.client().sign_in("Marit", "a long password");
    assert_eq!(marit.get("/users").status, 403);

    let again = run(
        &server,
        &["user", "add", "MARIT", "--password-stdin"],
        "a long password\n",
    );
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(errors(&again).lines().count(), 1, "{}", errors(&again));

    let changed = run(
        &server,
        &["user", "passwd", "marit", "--password-stdin"],
        "another password\n",
    );
    assert_eq!(changed.status.code(), Some(0), "{}", errors(&changed));
    marit.get("/auth/me").expect(401);
    let _ = server.client().sign_in("marit", "another password");

    run(
        &server,
        &["user", "add", "root", "--admin", "--password-stdin"],
        "a long password",
    );
    server
        .client()
        .sign_in("root", "a long password")
        .get("/users")
        .expect(200);

    let list = run(&server, &["user", "list", "--json"], "");
    let users: Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let text = users.to_string();
    assert!(
        text.contains("marit") && text.contains("root") && text.contains("admin"),
        "{text}"
    );
    assert!(!text.contains("argon2"), "{text}");
    let plain = run(&server, &["user", "list"], "");
    assert!(String::from_utf8_lossy(&plain.stdout).contains("marit"));
}

#[test]
fn short_password_and_unknown_user_are_one_line_errors() {
    let server = Server::with(&program("ledge"), &[]);
    for (arguments, input) in [
        (["user", "add", "x", "--password-stdin"], "short\n"),
        (
            ["user", "passwd", "nobody", "--password-stdin"],
            "long enough\n",
        ),
    ] {
        let output = run(&server, &arguments, input);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(errors(&output).lines().count(), 1, "{}", errors(&output));
    }
    assert_eq!(
        run(&server, &["user", "frobnicate"], "").status.code(),
        Some(2)
    );
    assert_eq!(run(&server, &["--no-such-flag"], "").status.code(), Some(2));
}

#[test]
fn backup_of_running_server_opens_as_database() {
    let server = Server::with(&program("ledge"), &[]);
    server.user(&server.admin(), "marit");
    let target = server.folder().join("copy.db");
    let target_text = target.to_str().expect("a path");
    let output = run(&server, &["backup", target_text], "");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let again = run(&server, &["backup", target_text], "");
    assert_eq!(again.status.code(), Some(1));
    assert!(errors(&again).contains("copy.db"), "{}", errors(&again));
    let copy = target_text.to_owned();
    let restored = Server::with(&program("ledge"), &[("LEDGE_DATABASE", &copy)]);
    let _ = restored.client().sign_in("marit", PASSWORD);
}

#[test]
fn second_server_on_same_database_is_refused() {
    let server = Server::with(&program("ledge"), &[]);
    let output = Command::new(program("ledge"))
        .env("LEDGE_DATABASE", server.database())
        .env("LEDGE_LISTEN", "127.0.0.1:0")
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors(&output).contains("Another server"),
        "{}",
        errors(&output)
    );
    assert_eq!(errors(&output).lines().count(), 1, "{}", errors(&output));
}

#[test]
fn healthcheck_detects_running_and_stopped_server() {
    let mut server = Server::with(&program("ledge"), &[]);
    assert_eq!(run(&server, &["healthcheck"], "").status.code(), Some(0));
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(run(&server, &["healthcheck"], "").status.code(), Some(1));
}

#[test]
fn stopped_server_leaves_one_complete_file() {
    let mut server = Server::with(&program("ledge"), &[]);
    server.user(&server.admin(), "marit");
    assert_eq!(server.terminate(), Some(0));
    let wal = server.folder().join("ledge.db-wal");
    assert!(!wal.exists() || wal.metadata().expect("a size").len() == 0);
    server.restart();
    let _ = server.client().sign_in("marit", PASSWORD);
}

#[test]
fn invalid_setting_is_named_and_prevents_start() {
    for (name, value) in [
        ("LEDGE_LISTEN", "nowhere"),
        ("LEDGE_JOB_WORKERS", "many"),
        ("LEDGE_TRUSTED_PROXIES", "10.0.0.0/99"),
        ("LEDGE_PUBLIC_URL", "not a url"),
        ("LEDGE_LOG_FORMAT", "xml"),
        ("LEDGE_ADMIN_PASSWORD", "short"),
        ("LEDGE_DATABASE", "/no/such/folder/ledge.db"),
        ("LEDGE_DATABASE", ""),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new(program("ledge"))
            .env("LEDGE_DATABASE", folder.path().join("ledge.db"))
            .env("LEDGE_LISTEN", "127.0.0.1:0")
            .env(name, value)
            .output()
            .expect("the program");
        assert!(
            matches!(output.status.code(), Some(1 | 2)),
            "{name}: {:?}",
            output.status
        );
        let text = errors(&output);
        assert!(text.contains(name), "{name}: {text}");
        assert_eq!(text.lines().count(), 1, "{name}: {text}");
    }
}

#[test]
fn backup_is_restored_after_server_stops() {
    let mut server = Server::with(&program("ledge"), &[]);
    server.user(&server.admin(), "then");
    let backup = server.folder().join("copy.db");
    let backup = backup.to_str().expect("a path");
    let made = run(&server, &["backup", backup], "");
    assert_eq!(made.status.code(), Some(0), "{}", errors(&made));
    assert!(String::from_utf8_lossy(&made.stdout).contains("2 users"));
    server.user(&server.admin(), "later");

    let refused = run(&server, &["restore", backup], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        errors(&refused).contains("Another server"),
        "{}",
        errors(&refused)
    );

    server.kill();
    let restored = run(&server, &["restore", backup], "");
    assert_eq!(restored.status.code(), Some(0), "{}", errors(&restored));
    server.restart();
    let _ = server.client().sign_in("then", PASSWORD);
    let body = serde_json::json!({"username": "later", "password": PASSWORD});
    server.client().post("/auth/login", &body).expect(401);
    let kept = std::fs::read_dir(server.folder())
        .expect("a listing")
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .find(|name| name.contains("before-restore"));
    let kept = server.folder().join(kept.expect("what was there"));
    let old = Server::with(
        &program("ledge"),
        &[("LEDGE_DATABASE", kept.to_str().expect("a path"))],
    );
    let _ = old.client().sign_in("later", PASSWORD);
}

#[test]
fn check_reports_problems() {
    let mut server = Server::with(&program("ledge"), &[]);
    let media = server.folder().join("media");
    std::fs::create_dir(&media).expect("a folder");
    let add = ["library", "add", "Books", media.to_str().expect("a path")];
    assert_eq!(run(&server, &add, "").status.code(), Some(0));
    let whole = run(&server, &["check"], "");
    assert_eq!(whole.status.code(), Some(0), "{}", errors(&whole));
    assert!(String::from_utf8_lossy(&whole.stdout).contains("is whole: 1 user, 1 library"));

    std::fs::remove_dir(&media).expect("gone");
    let gone = run(&server, &["check"], "");
    assert_eq!(gone.status.code(), Some(1));
    assert!(
        errors(&gone).contains("the folder of library 1 cannot be read"),
        "{}",
        errors(&gone)
    );

    server.kill();
    let mut bytes = std::fs::read(server.database()).expect("the database");
    let len = bytes.len();
    bytes[len / 4..len / 2].fill(0xff);
    std::fs::write(server.database(), bytes).expect("damage");
    let damaged = run(&server, &["check"], "");
    assert_eq!(damaged.status.code(), Some(1), "damage goes unseen");
    assert!(!errors(&damaged).is_empty());
}

#[test]
fn wrong_folder_of_new_library_is_named_before_missing_administrator() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("ledge.db");
    let database = database.to_str().expect("a path");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program("ledge"));
        command
            .args(arguments)
            .args(["--database", database])
            .stdin(Stdio::null());
        command.output().expect("the program")
    };
    // A database without any account.
    drop(ledge_core::db::Db::open(Path::new(database)).expect("a database"));
    let wrong = errors(&run(&["library", "add", "Books", "/no/such/folder"]));
    assert!(wrong.contains("has no folder /no/such/folder"), "{wrong}");
    assert!(!wrong.contains("administrator"), "{wrong}");
    let media = folder.path().to_str().expect("a path");
    let right = errors(&run(&["library", "add", "Books", media]));
    assert!(right.contains("no administrator"), "{right}");
}

#[test]
fn libraries_are_managed_while_server_runs() {
    let server = Server::with(&program("ledge"), &[]);
    let admin = server.admin();
    let (_, marit) = server.user(&admin, "marit");
    let media = server.folder().join("media");
    std::fs::create_dir(&media).expect("a folder");
    let epub = crate::catalogue::books::epub();
    std::fs::write(media.join("Quiet.epub"), epub).expect("a book");
    let folder = media.to_str().expect("a path");

    let unknown = ["library", "add", "Books", folder, "--kind", "paintings"];
    let unknown = run(&server, &unknown, "");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(
        errors(&unknown).contains("paintings"),
        "{}",
        errors(&unknown)
    );
    let nobody = ["library", "add", "Books", folder, "--grant", "nobody"];
    assert!(errors(&run(&server, &nobody, "")).contains("no user named nobody"));
    let nowhere = ["library", "add", "Books", "/no/such/folder"];
    assert_eq!(run(&server, &nowhere, "").status.code(), Some(1));

    let add = ["library", "add", "Books", folder, "--grant", "marit"];
    let added = run(&server, &add, "");
    assert_eq!(added.status.code(), Some(0), "{}", errors(&added));
    let again = run(&server, &add, "");
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(errors(&again).lines().count(), 1, "{}", errors(&again));

    let scan = run(&server, &["library", "scan", "BOOKS"], "");
    assert_eq!(scan.status.code(), Some(0), "{}", errors(&scan));
    until("the book", || {
        let items = marit.get("/items").expect(200).json();
        (items["total"] == 1).then_some(())
    });
    assert_eq!(admin.get("/items").expect(200).json()["total"], 0);

    let list = run(&server, &["library", "list", "--json"], "");
    let list: Value = serde_json::from_slice(&list.stdout).expect("JSON");
    assert_eq!(list["items"][0]["name"], "Books");
    assert_eq!(list["items"][0]["items"], 1);
    let plain = run(&server, &["library", "list"], "");
    assert!(String::from_utf8_lossy(&plain.stdout).contains("Books"));
    let none = run(&server, &["library", "scan", "Films"], "");
    assert!(
        errors(&none).contains("no library Films"),
        "{}",
        errors(&none)
    );
}
