//! Full disk: every write is refused with a reason, reads continue, and writes succeed again once
//! there is space, without a restart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use ledge_tests::server::{PASSWORD, program, scan, scanned_library, until};
use ledge_tests::{Answer, Client, Server, SmallDisk};
use serde_json::{Value, json};

/// Size of the small disk in KiB: sufficient for a database with some items, and less than one
/// checkpoint interval.
const DISK: u32 = 12 << 10;
/// Number of clients that write concurrently, so that their writes share commits.
const CLIENTS: usize = 12;

struct World {
    disk: SmallDisk,
    server: Server,
    admin: Client,
    media: tempfile::TempDir,
    library: i64,
}

/// Starts a server whose database is on a small disk. Returns `None` if mounts are not permitted.
fn world(books: usize) -> Option<World> {
    let disk = SmallDisk::new(&program("ledge"), DISK)?;
    let settings = [("LEDGE_WATCH", "off"), ("LEDGE_FFPROBE", "off")];
    let server = Server::in_folder(&disk.program(), &disk.path(), &settings);
    let media = tempfile::tempdir().expect("a folder");
    fs::write(media.path().join("Lantern Drift.nes"), b"NES\x1a and more").expect("a game");
    put_books(media.path(), 0..books);
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Media", media.path());
    assert_eq!(status["status"], "done", "{status}");
    until("the end of all jobs", || {
        ledge_tests::server::is_idle(&admin).then_some(())
    });
    Some(World {
        disk,
        server,
        admin,
        media,
        library,
    })
}

fn put_books(media: &Path, books: std::ops::Range<usize>) {
    for n in books {
        let name = format!("Author {n} - A book with the number {n}.epub");
        fs::write(media.join(name), format!("book {n}")).expect("a book");
    }
}

#[track_caller]
fn is_refused(what: &str, answer: &Answer) {
    assert_eq!(answer.status, 503, "{what}: {answer:?}");
    assert_eq!(answer.code(), "unavailable", "{what}");
    let message = answer.json()["error"]["message"].to_string();
    assert!(message.contains("The disk is full"), "{what}: {message}");
}

fn put_bytes(client: &Client, path: &str, size: usize) -> Answer {
    let headers = [("Content-Type", "application/octet-stream")];
    client.send("PUT", path, &headers, Some(&vec![0xa5; size]))
}

fn put_cover(client: &Client, path: &str) -> Answer {
    let headers = [("Content-Type", "image/png")];
    client.send(
        "PUT",
        path,
        &headers,
        Some(&ledge_fixtures::png(400, 600, 1)),
    )
}

impl World {
    fn only(&self, kind: &str) -> Value {
        let list = self.admin.get(&format!("/items?kind={kind}&limit=1"));
        list.expect(200).json()["items"][0].clone()
    }

    /// Sends one request of each kind of write, each with a name.
    fn writes(&self) -> Vec<(&'static str, Answer)> {
        let (admin, id) = (&self.admin, self.library);
        let book = self.only("books")["id"].clone();
        let game = self.only("games")["id"].clone();
        let login = json!({"username": "admin", "password": PASSWORD});
        let user = json!({"username": format!("user {}", book), "password": PASSWORD});
        let new = json!({"name": "Other", "path": self.media.path().join("..")});
        vec![
            ("login", admin.anonymous().post("/auth/login", &login)),
            ("user", admin.post("/users", &user)),
            ("library", admin.post("/libraries", &new)),
            (
                "edit",
                admin.patch(&format!("/items/{book}"), &json!({"title": "Emma"})),
            ),
            (
                "progress",
                admin.put(&format!("/items/{book}/progress"), &json!({"position": 5})),
            ),
            (
                "favourite",
                admin.put(&format!("/items/{book}/favourite"), &json!({})),
            ),
            (
                "view",
                admin.post(&format!("/items/{book}/view"), &json!({})),
            ),
            (
                "small save",
                put_bytes(admin, &format!("/items/{game}/saves/small"), 1 << 10),
            ),
            (
                "spooled save",
                put_bytes(admin, &format!("/items/{game}/saves/large"), 1 << 20),
            ),
            ("cover", put_cover(admin, &format!("/items/{book}/cover"))),
            (
                "scan",
                admin.post(&format!("/libraries/{id}/scan"), &json!({})),
            ),
            (
                "enrichment",
                admin.post(&format!("/libraries/{id}/enrich"), &json!({})),
            ),
            (
                "item's enrichment",
                admin.post(&format!("/items/{book}/enrich"), &json!({})),
            ),
        ]
    }
}

#[test]
fn every_write_on_a_full_disk_is_refused_as_unavailable_until_there_is_space() {
    let Some(world) = world(3) else { return };
    world.disk.fill(&world.server, 0);
    // The rest of the log's last page is used up first.
    let book = world.only("books")["id"].clone();
    let progress = format!("/items/{book}/progress");
    until("the first refusal", || {
        let answer = world.admin.put(&progress, &json!({"position": 1}));
        (answer.status != 200).then_some(())
    });
    for (what, answer) in world.writes() {
        is_refused(what, &answer);
    }
    world.admin.get("/home").expect(200);
    world.admin.get(&format!("/items/{book}")).expect(200);
    world.disk.free(&world.server);
    for (what, answer) in world.writes() {
        assert!((200..300).contains(&answer.status), "{what}: {answer:?}");
    }
}

#[test]
fn writes_that_share_a_commit_on_a_full_disk_are_all_refused_with_the_reason() {
    let Some(world) = world(3) else { return };
    let game = world.only("games")["id"].clone();
    let book = world.only("books")["id"].clone();
    world.disk.fill(&world.server, 200 << 10);
    let answers: Vec<Answer> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (admin, book, game) = (world.admin.clone(), book.clone(), game.clone());
                scope.spawn(move || {
                    let mut answers = Vec::new();
                    for n in 0..20 {
                        let place = json!({"position": client * 100 + n});
                        answers.push(admin.put(&format!("/items/{book}/progress"), &place));
                        let slot = format!("/items/{game}/saves/slot{client}");
                        answers.push(put_bytes(&admin, &slot, 100 << 10));
                    }
                    answers
                })
            })
            .collect();
        let mut answers = Vec::new();
        for client in clients {
            answers.extend(client.join().expect("no panic"));
        }
        answers
    });
    let refused: Vec<&Answer> = answers.iter().filter(|one| one.status >= 300).collect();
    assert!(
        refused.len() > CLIENTS,
        "{} of {}",
        refused.len(),
        answers.len()
    );
    for answer in refused {
        is_refused("a write", answer);
    }
    world.disk.free(&world.server);
    world
        .admin
        .put(&format!("/items/{book}/progress"), &json!({"position": 9}))
        .expect(200);
}

#[test]
fn scan_that_fills_the_disk_fails_and_marks_nothing_as_missing() {
    let Some(world) = world(40) else { return };
    let media = world.media.path();
    for n in 0..20 {
        let name = format!("Author {n} - A book with the number {n}.epub");
        fs::remove_file(media.join(name)).expect("gone");
    }
    put_books(media, 1000..4000);
    world.disk.fill(&world.server, 600 << 10);
    let status = scan(&world.admin, world.library);
    assert_eq!(status["status"], "failed", "{status}");
    let error = status["error"].as_str().expect("a reason");
    assert!(error.starts_with("The disk is full."), "{error}");
    assert_eq!(status["missing"], 0, "{status}");
    assert_eq!(world.admin.get("/missing").expect(200).json()["total"], 0);
    world.disk.free(&world.server);
    let status = scan(&world.admin, world.library);
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("done"), &json!(20)),
        "{status}"
    );
    let items = world.admin.get("/items?kind=books&missing=false&limit=1");
    assert_eq!(items.expect(200).json()["total"], 3020);
}

#[test]
fn backup_to_full_disk_fails_with_one_line_and_leaves_nothing() {
    let server = Server::with(&program("ledge"), &[]);
    // From less than the first page of the temporary file to almost enough.
    for kib in [16, 64, 256] {
        let program = listing_after_ledge(&server);
        let Some(disk) = SmallDisk::new(&program, kib) else {
            return;
        };
        let target = disk.path().join("copy.db");
        let done = Command::new(disk.program())
            .arg("backup")
            .arg(&target)
            .env("LEDGE_DATABASE", server.database())
            .env("LISTED", disk.path())
            .output()
            .expect("the program");
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{kib} KiB: {errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.contains("the disk is full"), "{errors}");
        assert_eq!(String::from_utf8_lossy(&done.stdout), "", "{kib} KiB");
    }
}

#[test]
fn command_on_full_disk_fails_with_reason_and_remedy() {
    let Some(disk) = SmallDisk::new(&program("ledge"), 64) else {
        return;
    };
    let done = Command::new(disk.program())
        .args(["user", "add", "marit", "--password-stdin", "--database"])
        .arg(disk.path().join("ledge.db"))
        .stdin(first_line("correct horse battery"))
        .output()
        .expect("the program");
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{errors}");
    assert_eq!(
        errors.trim_end(),
        "ledge: The disk is full, so nothing was saved. Free some space on the disk of the \
         database, then try again."
    );
}

/// Returns a file with this line, as standard input.
fn first_line(line: &str) -> fs::File {
    use std::io::{Seek as _, Write as _};
    let mut file = tempfile::tempfile().expect("a file");
    writeln!(file, "{line}").expect("a line");
    file.rewind().expect("its beginning");
    file
}

/// Returns a script that runs the program, lists the folder `LISTED`, and exits with the program's
/// status.
fn listing_after_ledge(server: &Server) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = server.folder().join("listing");
    let script = format!(
        "#!/bin/sh\n'{}' \"$@\"\nstatus=$?\nls -A \"$LISTED\"\nexit $status\n",
        program("ledge").display()
    );
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    path
}
