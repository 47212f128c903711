//! The command line: beside a running server, and without one.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

use ledge_tests::Server;
use ledge_tests::server::{PASSWORD, program, until};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

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
    // A program that does not read its input may be gone before it is written.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("its end")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn users_are_added_listed_and_given_passwords_beside_a_running_server() {
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
fn a_short_password_and_an_unknown_user_are_one_clear_line() {
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
fn a_backup_is_taken_while_the_server_runs_and_opens_as_a_server() {
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
fn a_second_server_on_the_same_database_is_refused() {
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
fn healthcheck_tells_a_running_server_from_a_stopped_one() {
    let mut server = Server::with(&program("ledge"), &[]);
    assert_eq!(run(&server, &["healthcheck"], "").status.code(), Some(0));
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(run(&server, &["healthcheck"], "").status.code(), Some(1));
}

#[test]
fn a_server_that_stops_leaves_one_whole_file() {
    let mut server = Server::with(&program("ledge"), &[]);
    server.user(&server.admin(), "marit");
    assert_eq!(server.terminate(), Some(0));
    let wal = server.folder().join("ledge.db-wal");
    assert!(!wal.exists() || wal.metadata().expect("a size").len() == 0);
    server.restart();
    let _ = server.client().sign_in("marit", PASSWORD);
}

#[test]
fn an_unusable_setting_stops_the_start_and_is_named() {
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

/// A server that chose the password of its administrator itself. Standard error goes to a file, as
/// it does in a service or a container.
fn without_chosen_password() -> Server {
    let settings = [("LEDGE_ADMIN_PASSWORD", ""), ("LEDGE_LOG", "warn")];
    Server::with(&program("ledge"), &settings)
}

#[test]
fn first_password_is_in_a_private_file_until_it_changes() {
    let server = without_chosen_password();
    let file = server.folder().join("first-password");
    let mode = file.metadata().expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let password = std::fs::read_to_string(&file).expect("a password");
    let password = password.trim_end();
    let log = server.log();
    assert!(log.contains("first-password"), "{log}");
    assert!(!log.contains(password), "{log}");

    let admin = server.client().sign_in("admin", password);
    // The password of another account does not matter.
    let (_, marit) = server.user(&admin, "marit");
    let change = json!({"current_password": PASSWORD, "new_password": "another password"});
    marit.put("/auth/password", &change).expect(204);
    assert!(file.exists());

    let change = json!({"current_password": password, "new_password": "another password"});
    admin.put("/auth/password", &change).expect(204);
    assert!(!file.exists());
}

#[test]
fn first_password_file_is_deleted_by_every_way_to_set_a_password() {
    let reset = |server: &Server, password: &str| {
        let admin = server.client().sign_in("admin", password);
        let body = json!({"username": "second", "password": PASSWORD, "role": "admin"});
        admin.post("/users", &body).expect(201);
        let second = server.client().sign_in("second", PASSWORD);
        let me = admin.get("/auth/me").expect(200).json();
        let body = json!({"password": "another password"});
        second
            .put(&format!("/users/{}/password", me["id"]), &body)
            .expect(204);
    };
    let passwd = |server: &Server, _: &str| {
        let arguments = ["user", "passwd", "admin", "--password-stdin"];
        let changed = run(server, &arguments, "another password\n");
        assert_eq!(changed.status.code(), Some(0), "{}", errors(&changed));
    };
    let ways: [&dyn Fn(&Server, &str); 2] = [&reset, &passwd];
    for way in ways {
        let server = without_chosen_password();
        let file = server.folder().join("first-password");
        let password = std::fs::read_to_string(&file).expect("a password");
        way(&server, password.trim_end());
        assert!(!file.exists());
    }
}

#[test]
fn first_password_is_printed_on_a_terminal_and_not_written_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // `script` runs the program on a terminal of its own.
    let mut child = Command::new("script")
        .args(["--quiet", "--flush", "--command"])
        .arg(program("ledge"))
        .arg("/dev/null")
        .env("LEDGE_DATABASE", folder.path().join("ledge.db"))
        .env("LEDGE_LISTEN", "127.0.0.1:0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("script");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = lines
        .map_while(Result::ok)
        .find(|line| line.contains("with the password"))
        .expect("a line with the password");
    let group = Pid::from_child(&child);
    kill_process_group(group, Signal::KILL).expect("running");
    child.wait().expect("its end");
    assert!(line.contains("admin"), "{line}");
    assert!(!folder.path().join("first-password").exists());
}

#[test]
fn work_done_aside_is_answered_refused_or_ended_within_its_limits() {
    let story = ledge_fixtures::Story {
        title: "A Title".to_owned(),
        ..ledge_fixtures::Story::default()
    };
    let document = ledge_fixtures::pdf(&ledge_fixtures::PdfSpec { story });
    let page = aside("pdf-cover", &document);
    assert_eq!(page.status.code(), Some(0), "{}", errors(&page));
    assert!(page.stdout.starts_with(&[0xff, 0xd8, 0xff]), "no JPEG");

    let locked = aside("pdf-unlock", &document);
    assert_eq!(locked.status.code(), Some(0), "{}", errors(&locked));
    let told: Value = serde_json::from_slice(&locked.stdout).expect("JSON");
    assert_eq!(told["pages"], 1, "{told}");

    let works = ["pdf-cover", "pdf-unlock"].map(|work| (work, &b"no document"[..]));
    for (work, input) in works.into_iter().chain([("nothing", &b""[..])]) {
        let refused = aside(work, input);
        assert_eq!(refused.status.code(), Some(1), "{work}");
        assert_eq!(errors(&refused).lines().count(), 1, "{}", errors(&refused));
    }

    let endless = aside("pdf-cover", endless().as_bytes());
    // Not an answer of its own: it was ended.
    assert_eq!(endless.status.code(), None, "{}", errors(&endless));
}

/// Works on bytes as the server has it done.
fn aside(work: &str, input: &[u8]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    std::fs::write(&path, input).expect("room");
    Command::new(program("ledge"))
        .args(["aside", work])
        .stdin(std::fs::File::open(&path).expect("a file"))
        .output()
        .expect("the program")
}

/// A PDF whose page draws a form twelve times, which draws another twelve times, and so on.
fn endless() -> String {
    const FORMS: usize = 12;
    let stream = |about: &str, text: &str| {
        let length = text.len();
        format!("<<{about}/Length {length}>>stream\n{text}\nendstream")
    };
    let uses = |form: usize| format!("/Resources<</XObject<</F {form} 0 R>>>>");
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R{}>>",
            uses(5)
        ),
        stream("", &"/F Do ".repeat(12)),
    ];
    for form in 1..=FORMS {
        let about = "/Type/XObject/Subtype/Form/BBox[0 0 99 99]";
        objects.push(if form == FORMS {
            stream(about, "0 0 50 50 re f")
        } else {
            stream(&format!("{about}{}", uses(form + 5)), &"/F Do ".repeat(12))
        });
    }
    let numbered = objects.iter().zip(1..);
    let numbered = numbered.map(|(object, number)| format!("{number} 0 obj\n{object}\nendobj\n"));
    let objects = numbered.collect::<Vec<_>>().concat();
    format!("%PDF-1.7\n{objects}trailer\n<</Root 1 0 R>>\n%%EOF\n")
}

#[test]
fn a_backup_is_restored_once_the_server_has_stopped() {
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
fn a_check_tells_what_is_wrong() {
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
fn libraries_are_added_listed_and_scanned_beside_a_running_server() {
    let server = Server::with(&program("ledge"), &[]);
    let admin = server.admin();
    let (_, marit) = server.user(&admin, "marit");
    let media = server.folder().join("media");
    std::fs::create_dir(&media).expect("a folder");
    let epub = crate::books::epub();
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
