//! File watcher: changes in a library's folder are catalogued automatically.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use ledge_tests::server::{all_items, program, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

struct World {
    server: Server,
    admin: Client,
    library: i64,
    media: PathBuf,
}

/// Starts a server that watches one library of one book.
fn world() -> World {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_WATCH", "on")]);
    let media = server.folder().join("media");
    fs::create_dir_all(media.join("Austen")).expect("a folder");
    fs::write(media.join("Austen/Emma.epub"), "emma").expect("a file");
    let admin = server.admin();
    let body = json!({"name": "Books", "path": media});
    let library = admin.post("/libraries", &body).expect(201).json();
    let world = World {
        server,
        admin,
        library: library["id"].as_i64().expect("an id"),
        media,
    };
    // Existing files are scanned automatically too.
    world.until_done();
    until_watched(&world.admin, world.library);
    assert!(world.item("Emma").is_some());
    world
}

fn until_watched(admin: &Client, library: i64) {
    until("the watch", || {
        let shown = admin.get(&format!("/libraries/{library}")).expect(200);
        (shown.json()["watch"] == "on").then_some(())
    });
}

impl World {
    fn item(&self, title: &str) -> Option<Value> {
        let mut items = all_items(&self.admin, "/items").into_iter();
        items.find(|item| item["title"] == title)
    }

    fn scans(&self) -> usize {
        all_items(&self.admin, "/jobs?kind=scan").len()
    }

    fn until_done(&self) -> Value {
        until("the scan's end", || {
            Some(self.status()).filter(|status| status["status"] == "done")
        })
    }

    fn status(&self) -> Value {
        let path = format!("/libraries/{}/scan/status", self.library);
        self.admin.get(&path).expect(200).json()
    }
}

#[test]
fn new_file_becomes_item_and_deleted_file_becomes_missing() {
    let world = world();
    fs::create_dir_all(world.media.join("Brontë/Shirley")).expect("folders");
    fs::write(world.media.join("Brontë/Shirley/Shirley.epub"), "shirley").expect("a file");
    until("the new book", || world.item("Shirley"));
    fs::remove_file(world.media.join("Austen/Emma.epub")).expect("no file");
    until("the loss", || {
        let missing = world.admin.get("/missing").expect(200).json();
        (missing["items"][0]["title"] == "Emma").then_some(())
    });
}

#[test]
fn renamed_folder_keeps_items_and_progress() {
    let world = world();
    let before = world.item("Emma").expect("a book");
    let path = format!("/items/{}", before["id"]);
    let file = world.admin.get(&path).expect(200).json()["files"][0]["id"].clone();
    fs::rename(world.media.join("Austen"), world.media.join("Jane Austen")).expect("a rename");
    until("the new path", || {
        let detail = world.admin.get(&path).expect(200).json();
        let moved = detail["files"][0]["path"]
            .as_str()
            .is_some_and(|path| path.starts_with("Jane Austen/"));
        moved.then(|| assert_eq!(detail["files"][0]["id"], file))
    });
    let status = world.until_done();
    assert_eq!(
        (&status["moved"], &status["missing"]),
        (&json!(1), &json!(0))
    );
}

#[test]
fn slowly_written_file_is_catalogued_once_and_complete() {
    let world = world();
    let scans = world.scans();
    let path = world.media.join("Austen/Persuasion.epub");
    let mut file = fs::File::create(&path).expect("a file");
    file.write_all(b"first half, ").expect("written");
    // The scan of a second library ends only after any scan of the incomplete file.
    let marker = world.server.folder().join("marker");
    fs::create_dir(&marker).expect("a folder");
    let (other, _) = scanned_library(&world.admin, "Marker", &marker);
    until_watched(&world.admin, other);
    for n in 0..3 {
        fs::write(marker.join(format!("{n}.epub")), format!("marker {n}")).expect("a file");
        until("the marker", || world.item(&n.to_string()));
    }
    assert_eq!(world.item("Persuasion"), None);
    file.write_all(b"second half").expect("written");
    drop(file);
    let item = until("the book", || world.item("Persuasion"));
    let detail = world.admin.get(&format!("/items/{}", item["id"]));
    let size = fs::metadata(&path).expect("a file").len();
    assert_eq!(detail.expect(200).json()["files"][0]["size"], size);
    let own = |job: &&Value| job["ref_id"] == world.library;
    let jobs = all_items(&world.admin, "/jobs?kind=scan");
    assert_eq!(jobs.iter().filter(own).count(), scans + 1);
}

#[test]
fn removed_folder_is_unwatched_until_it_returns() {
    let world = world();
    let away = world.server.folder().join("away");
    fs::rename(&world.media, &away).expect("a rename");
    let shown = until("the end of the watch", || {
        let path = format!("/libraries/{}", world.library);
        let shown = world.admin.get(&path).expect(200).json();
        (shown["watch"] == "unavailable").then_some(shown)
    });
    assert!(shown["watch_error"].is_string(), "{shown}");
    let (id, mia) = world.server.user(&world.admin, "mia");
    let grant = format!("/libraries/{}/grants/{id}", world.library);
    world.admin.send("PUT", &grant, &[], None).expect(204);
    let to_others = mia
        .get(&format!("/libraries/{}", world.library))
        .expect(200);
    assert_eq!(to_others.json()["watch"], "unavailable");
    assert_eq!(to_others.json()["watch_error"], Value::Null);
    fs::write(away.join("Austen/Sanditon.epub"), "sanditon").expect("a file");
    fs::rename(&away, &world.media).expect("a rename");
    until_watched(&world.admin, world.library);
    until("what nobody saw", || world.item("Sanditon"));
}

#[test]
fn moved_library_is_watched_at_new_path() {
    let world = world();
    let other = world.server.folder().join("other");
    fs::create_dir(&other).expect("a folder");
    let path = format!("/libraries/{}", world.library);
    world
        .admin
        .patch(&path, &json!({"path": other}))
        .expect(200);
    fs::write(other.join("Late.epub"), "late").expect("a file");
    until("a book at the new root", || world.item("Late"));
    world.admin.delete(&path).expect(204);
    // The end of its watch does not end the others.
    fs::write(other.join("Later.epub"), "later").expect("a file");
    let (library, _) = scanned_library(&world.admin, "Again", &world.media);
    until_watched(&world.admin, library);
    fs::write(world.media.join("Sanditon.epub"), "sanditon").expect("a file");
    until("a book of another library", || world.item("Sanditon"));
    assert_eq!(world.item("Later"), None);
}

#[test]
fn change_scans_only_its_folder() {
    let world = world();
    for n in 0..3 {
        fs::write(world.media.join(format!("{n}.epub")), format!("book {n}")).expect("a file");
    }
    until("the other books", || world.item("2"));
    world.until_done();
    fs::create_dir_all(world.media.join("Brontë/Shirley")).expect("folders");
    fs::write(world.media.join("Brontë/Shirley/Shirley.epub"), "shirley").expect("a file");
    until("the new book", || world.item("Shirley"));
    world.until_done();
    fs::write(world.media.join("Austen/Persuasion.epub"), "persuasion").expect("a file");
    until("the second new book", || world.item("Persuasion"));
    let status = world.until_done();
    let scanned = status["scanned"].as_u64().expect("a number");
    assert!(scanned <= 3, "{status}");
    // A requested scan includes the whole library.
    let whole = ledge_tests::server::scan(&world.admin, world.library);
    assert_eq!((&whole["scanned"], &whole["added"]), (&json!(6), &json!(0)));
}

#[test]
fn changes_during_downtime_are_scanned_at_start() {
    let mut world = world();
    assert_eq!(world.server.terminate(), Some(0));
    fs::write(world.media.join("Austen/Sanditon.epub"), "sanditon").expect("a file");
    fs::remove_file(world.media.join("Austen/Emma.epub")).expect("no file");
    world.server.restart();
    until("what nobody saw", || world.item("Sanditon"));
    until("the loss", || {
        let missing = world.admin.get("/missing").expect(200).json();
        (missing["items"][0]["title"] == "Emma").then_some(())
    });
}

#[test]
fn continuous_writes_do_not_delay_other_folders() {
    let world = world();
    let mut endless = fs::File::create(world.media.join("Austen/Endless.epub")).expect("a file");
    fs::create_dir(world.media.join("Brontë")).expect("a folder");
    fs::write(world.media.join("Brontë/Shirley.epub"), "shirley").expect("a file");
    until("the other folder's book", || {
        endless.write_all(b"more").expect("written");
        world.item("Shirley")
    });
    assert_eq!(world.item("Endless"), None);
    drop(endless);
    until("the end of the endless", || world.item("Endless"));
}
