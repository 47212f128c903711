//! The generated first password: where it appears, and when it disappears.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use ledge_tests::server::{PASSWORD, program};
use ledge_tests::{Client, Server};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use super::{errors, run};

/// Starts a server that generates its administrator's password. Standard error is a file, as in a
/// service or a container.
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
fn first_password_file_is_deleted_by_every_way_to_invalidate_the_password() {
    /// Creates a second administrator. Returns its client, and the path of the first one.
    fn second(server: &Server, password: &str) -> (Client, String) {
        let admin = server.client().sign_in("admin", password);
        let body = json!({"username": "second", "password": PASSWORD, "role": "admin"});
        admin.post("/users", &body).expect(201);
        let second = server.client().sign_in("second", PASSWORD);
        let me = admin.get("/auth/me").expect(200).json();
        (second, format!("/users/{}", me["id"]))
    }
    let reset = |server: &Server, password: &str| {
        let (second, path) = second(server, password);
        let body = json!({"password": "another password"});
        second.put(&format!("{path}/password"), &body).expect(204);
    };
    let disable = |server: &Server, password: &str| {
        let (second, path) = second(server, password);
        second
            .patch(&path, &json!({"username": "first"}))
            .expect(200);
        assert!(server.folder().join("first-password").exists());
        second.patch(&path, &json!({"disabled": true})).expect(200);
    };
    let delete = |server: &Server, password: &str| {
        let (second, path) = second(server, password);
        second.delete(&path).expect(204);
    };
    let passwd = |server: &Server, _: &str| {
        let arguments = ["user", "passwd", "admin", "--password-stdin"];
        let changed = run(server, &arguments, "another password\n");
        assert_eq!(changed.status.code(), Some(0), "{}", errors(&changed));
    };
    let ways: [&dyn Fn(&Server, &str); 4] = [&reset, &disable, &delete, &passwd];
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
    // `script` runs the program on a pseudo-terminal.
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
