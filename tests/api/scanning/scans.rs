//! Scans as users see them: identity across renames and moves, lost disks, purges.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledge_core::db::open;
use ledge_tests::server::{all_items, program, scan, scan_with, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

/// Starts a server with one library of everything in its folder `media`.
fn library(make: impl Fn(&Path)) -> (Server, Client, i64) {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    make(&media);
    let admin = server.admin();
    let (id, status) = scanned_library(&admin, "Media", &media);
    assert_eq!(status["status"], "done", "{status}");
    (server, admin, id)
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// Returns the item ids by title.
fn ids(client: &Client) -> BTreeMap<String, i64> {
    all_items(client, "/items")
        .iter()
        .map(|item| {
            let title = item["title"].as_str().expect("a title").to_owned();
            (title, item["id"].as_i64().expect("an id"))
        })
        .collect()
}

fn all_kinds(media: &Path) {
    write(
        media,
        "Books/Herman Melville - Moby-Dick (1851).epub",
        "call me",
    );
    write(
        media,
        "Books/Herman Melville - Moby-Dick (1851).pdf",
        "ishmael",
    );
    for n in 1..=3 {
        write(
            media,
            &format!("Audio/Bach/Goldberg Variations/{n:02} - Aria {n}.mp3"),
            &format!("aria {n}"),
        );
        write(
            media,
            &format!("Video/Show/Season 01/Show - S01E0{n}.mkv"),
            &format!("episode {n}"),
        );
    }
    write(
        media,
        "Video/Metropolis (1927)/Metropolis (1927).mp4",
        "heart",
    );
    write(
        media,
        "Games/Nova the Squirrel (World).nes",
        "NES\x1a squirrel",
    );
}

#[test]
fn files_of_all_kinds_become_items() {
    let (_server, admin, id) = library(all_kinds);
    let titles: Vec<String> = ids(&admin).into_keys().collect();
    assert_eq!(
        titles,
        [
            "Goldberg Variations",
            "Metropolis",
            "Moby-Dick",
            "Nova the Squirrel (World)",
            "Show"
        ]
    );
    let library = admin.get(&format!("/libraries/{id}")).expect(200).json();
    let counts = |kind: &str| library["counts"][kind].as_i64().unwrap_or(0);
    assert_eq!(
        ["books", "audio", "video", "games"].map(counts),
        [1, 1, 2, 1]
    );
    let status = admin
        .get(&format!("/libraries/{id}/scan/status"))
        .expect(200)
        .json();
    assert_eq!(
        (&status["scanned"], &status["added"], &status["total"]),
        (&json!(10), &json!(10), &json!(10))
    );
}

#[test]
fn rename_move_and_re_root_keep_every_id() {
    let (server, admin, id) = library(all_kinds);
    let before = ids(&admin);
    let media = server.folder().join("media");
    // Renames files and a folder, and moves a file to another folder.
    fs::rename(media.join("Books"), media.join("Shelf")).expect("a rename");
    fs::rename(media.join("Audio/Bach"), media.join("Audio/J. S. Bach")).expect("a rename");
    fs::create_dir(media.join("Video/Films")).expect("a folder");
    fs::rename(
        media.join("Video/Metropolis (1927)"),
        media.join("Video/Films/Metropolis (1927)"),
    )
    .expect("a move");
    fs::rename(
        media.join("Games/Nova the Squirrel (World).nes"),
        media.join("Games/Nova the Squirrel (World) (Rev 1).nes"),
    )
    .expect("a rename");
    let status = scan(&admin, id);
    assert_eq!(
        (&status["added"], &status["missing"]),
        (&json!(0), &json!(0)),
        "{status}"
    );
    assert_eq!(status["moved"], 7, "{status}");
    let after = ids(&admin);
    let values = |ids: &BTreeMap<String, i64>| {
        let mut values: Vec<i64> = ids.values().copied().collect();
        values.sort_unstable();
        values
    };
    assert_eq!(values(&after), values(&before));
    assert_eq!(
        after["Nova the Squirrel (World) (Rev 1)"],
        before["Nova the Squirrel (World)"]
    );

    let moved = server.folder().join("elsewhere");
    fs::rename(&media, &moved).expect("a move");
    admin
        .patch(&format!("/libraries/{id}"), &json!({"path": moved}))
        .expect(200);
    let status = scan(&admin, id);
    assert_eq!(
        (&status["added"], &status["missing"], &status["moved"]),
        (&json!(0), &json!(0), &json!(0)),
        "{status}"
    );
    assert_eq!(ids(&admin), after);
}

#[test]
fn removed_file_is_missing_returned_is_restored_purged_is_deleted() {
    let (server, admin, id) = library(all_kinds);
    let media = server.folder().join("media");
    let hidden = server.folder().join("hidden");
    fs::rename(media.join("Video/Show"), &hidden).expect("a move");
    let status = scan(&admin, id);
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("done"), &json!(3)),
        "{status}"
    );
    let missing = admin.get("/missing").expect(200).json();
    assert_eq!(
        (&missing["total"], &missing["items"][0]["title"]),
        (&json!(1), &json!("Show"))
    );
    let since = missing["items"][0]["missing_since"].clone();
    assert!(since.is_string());
    assert_eq!(missing["items"][0]["library"]["name"], "Media");

    scan(&admin, id);
    assert_eq!(
        admin.get("/missing").expect(200).json()["items"][0]["missing_since"],
        since
    );

    fs::rename(&hidden, media.join("Video/Show")).expect("a move");
    let status = scan(&admin, id);
    assert_eq!(
        (&status["restored"], &status["added"]),
        (&json!(3), &json!(0)),
        "{status}"
    );
    assert_eq!(admin.get("/missing").expect(200).json()["total"], 0);

    fs::remove_dir_all(media.join("Video/Show")).expect("gone");
    // One of two formats is removed: the book is still present.
    fs::remove_file(media.join("Books/Herman Melville - Moby-Dick (1851).pdf")).expect("gone");
    scan(&admin, id);
    let show = ids(&admin)["Show"];
    let purge = || {
        admin
            .post(&format!("/libraries/{id}/purge"), &json!({}))
            .expect(200)
            .json()
    };
    assert_eq!(purge()["deleted"], 1);
    assert_eq!(purge()["deleted"], 0);
    admin.get(&format!("/items/{show}")).expect(404);
    assert_eq!(ids(&admin).len(), 4);
}

#[test]
fn vanished_root_marks_nothing_and_blocks_purge() {
    let (server, admin, id) = library(all_kinds);
    let media = server.folder().join("media");
    let away = server.folder().join("away");
    fs::rename(&media, &away).expect("a move");
    let status = scan(&admin, id);
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("failed"), &json!(0)),
        "{status}"
    );
    assert!(
        status["error"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{status}"
    );
    assert_eq!(admin.get("/missing").expect(200).json()["total"], 0);
    let refused = admin
        .post(&format!("/libraries/{id}/purge"), &json!({}))
        .expect(409);
    assert_eq!(refused.code(), "conflict");
    let job = admin.get("/jobs?kind=scan").expect(200).json()["items"][0].clone();
    assert_eq!(job["status"], "done", "it is no error to try again");
    let library = admin.get(&format!("/libraries/{id}")).expect(200).json();
    assert_eq!(library["available"], false);
    fs::rename(&away, &media).expect("back");
    assert_eq!(scan(&admin, id)["status"], "done");
}

#[test]
fn loss_of_more_than_half_of_hundred_files_is_refused() {
    let (server, admin, id) = library(|media| {
        for n in 0..100 {
            write(media, &format!("Book {n}.epub"), &format!("book {n}"));
        }
    });
    let media = server.folder().join("media");
    for n in 0..51 {
        fs::remove_file(media.join(format!("Book {n}.epub"))).expect("gone");
    }
    let status = scan(&admin, id);
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("failed"), &json!(0)),
        "{status}"
    );
    assert_eq!(admin.get("/missing").expect(200).json()["total"], 0);
    let status = scan_with(&admin, id, &json!({"accept_missing": true}));
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("done"), &json!(51)),
        "{status}"
    );
    assert_eq!(admin.get("/missing").expect(200).json()["total"], 51);
}

#[test]
fn cancelled_scan_marks_nothing_and_is_reported() {
    let (server, admin, id) = library(|media| {
        for n in 0..3000 {
            write(
                media,
                &format!("{}/Book {n}.epub", n % 100),
                &format!("book {n}"),
            );
        }
    });
    let media = server.folder().join("media");
    fs::remove_dir_all(media.join("7")).expect("gone");
    admin
        .post(&format!("/libraries/{id}/scan"), &json!({}))
        .expect(202);
    admin.delete(&format!("/libraries/{id}/scan")).expect(204);
    let status = until("the end", || {
        let status = admin
            .get(&format!("/libraries/{id}/scan/status"))
            .expect(200)
            .json();
        (!["queued", "running"].contains(&status["status"].as_str().expect("a status")))
            .then_some(status)
    });
    // Such a small scan may end before the request to stop it arrives.
    if status["status"] == "cancelled" {
        assert_eq!(admin.get("/missing").expect(200).json()["total"], 0);
        let job = admin.get("/jobs?kind=scan").expect(200).json()["items"][0].clone();
        assert_eq!(
            (&job["status"], &job["result"]["cancelled"]),
            (&json!("done"), &json!(true))
        );
    } else {
        assert_eq!(status["missing"], 30, "{status}");
    }
}

#[test]
fn second_request_during_scan_gets_same_job() {
    let (_server, admin, id) = library(|media| {
        for n in 0..2000 {
            write(media, &format!("{}/Book {n}.epub", n % 50), "");
        }
    });
    let ask = || {
        admin
            .post(&format!("/libraries/{id}/scan"), &json!({}))
            .expect(202)
            .json()["job_id"]
            .as_i64()
    };
    let (first, second) = (ask(), ask());
    let status = |job: Option<i64>| -> Value {
        let jobs = admin.get("/jobs?kind=scan").expect(200).json();
        let items = jobs["items"].as_array().expect("jobs");
        items
            .iter()
            .find(|row| row["id"].as_i64() == job)
            .expect("the job")
            .clone()
    };
    // The first scan may have ended in between. Then the second request has another job, and both
    // are done.
    if first != second {
        assert_eq!(status(first)["status"], "done");
    }
    until("the end", || {
        (status(second)["status"] == "done").then_some(())
    });
}

#[test]
fn hostile_names_and_links_do_not_affect_scan() {
    let server = Server::start();
    ledge_fixtures::hostile(server.folder()).expect("hostile names");
    let media = server.folder().join("library");
    std::os::unix::fs::symlink("/etc", media.join("system")).expect("a link");
    let admin = server.admin();
    let (id, status) = scanned_library(&admin, "Hostile", &media);
    assert_eq!(status["status"], "done", "{status}");
    let errors = status["errors"].to_string();
    assert!(errors.contains("system"), "{errors}");
    let items = all_items(&admin, "/items");
    assert!(items.len() > 10, "{}", items.len());
    for card in items {
        let item = admin
            .get(&format!("/items/{}", card["id"]))
            .expect(200)
            .json();
        for file in item["files"].as_array().expect("files") {
            let path = file["content_url"]
                .as_str()
                .expect("a path")
                .replace("/api/v1", "");
            let answer = admin.get(&format!("{path}?download=1"));
            assert!(matches!(answer.status, 200 | 404), "{file}: {answer:?}");
            let body = String::from_utf8_lossy(&answer.body);
            assert!(
                !body.contains("root:") && !body.contains(ledge_fixtures::SECRET),
                "{file}"
            );
        }
    }
    let again = scan(&admin, id);
    let changes = ["added", "updated", "moved", "missing"].map(|name| again[name].clone());
    assert_eq!(changes, [0, 0, 0, 0].map(Value::from), "{again}");
}

/// Starts a server with this scan interval, or none. Its library was last scanned long ago and has
/// a new book since.
fn overdue(interval: &str) -> (Server, Client) {
    // The watcher would find the book too.
    let settings = [("LEDGE_SCAN_INTERVAL", interval), ("LEDGE_WATCH", "off")];
    let mut server = Server::with(&program("ledge-example"), &settings);
    let media = server.folder().join("media");
    write(&media, "Emma.epub", "emma");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    assert_eq!(server.terminate(), Some(0));
    set_back_scans(&server.database());
    write(&media, "Nana.epub", "nana");
    server.restart();
    (server, admin)
}

/// The shortest interval is a minute, which is too long for a test.
fn set_back_scans(database: &Path) {
    let database = open::writable(database).expect("the database");
    let set_back = "UPDATE scan_run SET started_at = ?1, finished_at = ?1";
    let runs = database.execute(set_back, ["2020-01-01T00:00:00.000000Z"]);
    assert_eq!(runs.expect("the scan's run"), 1);
}

fn scans(client: &Client) -> usize {
    all_items(client, "/jobs?kind=scan").len()
}

#[test]
fn due_scan_starts_automatically() {
    let (_server, admin) = overdue("1m");
    until("the new book", || ids(&admin).get("Nana").copied());
    assert_eq!(scans(&admin), 2);
}

#[test]
fn no_scan_starts_automatically_without_interval() {
    let (_server, admin) = overdue("off");
    // A server checks for due scans a second after its start. The other server started later.
    let (_other, other_admin) = overdue("1m");
    until("the other's scan", || {
        ids(&other_admin).get("Nana").copied()
    });
    assert_eq!(scans(&admin), 1);
    assert!(!ids(&admin).contains_key("Nana"));
}
