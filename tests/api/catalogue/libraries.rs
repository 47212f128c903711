//! Libraries: valid roots, access, and protection of their files.

mod grants;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use ledge_tests::server::{scan, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{
    has_keys, id_of, invalid, is_time, library_of, list, page, refused, write,
};

const LIBRARY: &str = "id name path kinds created_at granted available watch watch_error \
    counts missing";

const SCAN_STATUS: &str = "status job_id scanned total added updated moved missing restored \
    errors errors_overflow started_at finished_at error";

fn folder(server: &Server, name: &str) -> PathBuf {
    let path = server.folder().join(name);
    fs::create_dir_all(&path).expect("a folder");
    path
}

fn create(admin: &Client, name: &str, path: &Path) -> Answer {
    admin.post("/libraries", &json!({"name": name, "path": path}))
}

/// Returns everything about a folder's content that a write would change.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64, i64, u64)> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        let meta = fs::symlink_metadata(&path).expect("an entry");
        let content = if meta.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            left.extend(entries.map(|entry| entry.expect("an entry").path()));
            Vec::new()
        } else if meta.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            target.into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).expect("a file")
        };
        let times = (meta.mtime(), meta.mtime_nsec());
        found.insert(path, (content, meta.mode(), times.0, times.1, meta.ino()));
    }
    found
}

#[test]
fn new_library_is_returned_and_granted_to_creator() {
    let server = Server::start();
    let admin = server.admin();
    let books = folder(&server, "books");
    let created = create(&admin, "  Books ", &books).expect(201).json();
    has_keys(&created, LIBRARY);
    is_time(&created["created_at"]);
    let expected = json!({
        "id": created["id"], "name": "Books", "path": books.canonicalize().expect("a path"),
        "kinds": null, "created_at": created["created_at"], "granted": true, "available": true,
        "watch": "off", "watch_error": null,
        "counts": {"books": 0, "audio": 0, "video": 0, "games": 0, "sheets": 0}, "missing": 0,
    });
    assert_eq!(created, expected);
    let id = id_of(&created);
    let shown = admin.get(&format!("/libraries/{id}")).expect(200).json();
    assert_eq!(shown, expected);
    assert_eq!(list(&admin.get("/libraries")), [expected]);
    let status = admin
        .get(&format!("/libraries/{id}/scan/status"))
        .expect(200);
    let never = json!({
        "status": "never", "job_id": null, "scanned": 0, "total": null, "added": 0,
        "updated": 0, "moved": 0, "missing": 0, "restored": 0, "errors": [],
        "errors_overflow": 0, "started_at": null, "finished_at": null, "error": null,
    });
    assert_eq!(status.json(), never);
}

#[test]
fn name_must_be_short_visible_and_unique() {
    let server = Server::start();
    let admin = server.admin();
    let (one, two) = (folder(&server, "one"), folder(&server, "two"));
    let id = id_of(&create(&admin, "Straße", &one).expect(201).json());
    for name in ["", "   ", "a\nb", "a\0b", &"x".repeat(101)] {
        invalid(&create(&admin, name, &two), "name");
        let rename = admin.patch(&format!("/libraries/{id}"), &json!({"name": name}));
        invalid(&rename, "name");
    }
    for name in ["Straße", "straße", "STRAßE", " straße "] {
        refused(&create(&admin, name, &two), 409, "conflict");
    }
    let other = id_of(&create(&admin, "Other", &two).expect(201).json());
    let rename =
        |id: i64, name: &str| admin.patch(&format!("/libraries/{id}"), &json!({"name": name}));
    refused(&rename(other, "STRAßE"), 409, "conflict");
    assert_eq!(rename(id, "STRAßE").expect(200).json()["name"], "STRAßE");
    has_keys(&rename(id, &"ü".repeat(100)).expect(200).json(), LIBRARY);
    let names: Vec<Value> = list(&admin.get("/libraries"))
        .iter()
        .map(|library| library["name"].clone())
        .collect();
    assert_eq!(names, [json!("Other"), json!("ü".repeat(100))]);
}

#[test]
fn root_must_be_readable_folder_of_one_library() {
    let server = Server::start();
    let admin = server.admin();
    let media = folder(&server, "media");
    let inner = folder(&server, "media/inner");
    write(&media, "file.epub", "no folder");
    symlink(&media, server.folder().join("alias")).expect("a link");
    symlink("nowhere", server.folder().join("broken")).expect("a link");
    for path in [
        server.folder().join("absent"),
        media.join("file.epub"),
        media.join("file.epub/x"),
        server.folder().join("broken"),
        PathBuf::new(),
        PathBuf::from("/\0"),
    ] {
        invalid(&create(&admin, "Media", &path), "path");
    }
    let id = id_of(&create(&admin, "Media", &media).expect(201).json());
    // Different spellings of the path count as the same root.
    for path in [
        media.clone(),
        media.join(""),
        media.join("."),
        inner.join(".."),
        server.folder().join("alias"),
    ] {
        refused(&create(&admin, "Again", &path), 409, "conflict");
    }
    // A library is a unit of grants, so it may be inside another one.
    let nested = id_of(&create(&admin, "Nested", &inner).expect(201).json());
    let patch =
        |id: i64, path: &Path| admin.patch(&format!("/libraries/{id}"), &json!({"path": path}));
    refused(&patch(nested, &media), 409, "conflict");
    invalid(&patch(nested, &media.join("file.epub")), "path");
    patch(id, &media).expect(200);
    let elsewhere = folder(&server, "elsewhere");
    let moved = patch(nested, &elsewhere).expect(200).json();
    assert_eq!(
        moved["path"],
        json!(elsewhere.canonicalize().expect("a path"))
    );
    create(&admin, "Inner", &inner).expect(201);
}

#[test]
fn kinds_limit_scanned_files() {
    let server = Server::start();
    let admin = server.admin();
    let media = folder(&server, "media");
    write(&media, "Moby-Dick.epub", "book");
    write(&media, "Nova.nes", "game");
    write(&media, "Aria.mp3", "audio");
    for kinds in [json!(["films"]), json!(["books", "Books"]), json!([""])] {
        let body = json!({"name": "Media", "path": media, "kinds": kinds});
        invalid(&admin.post("/libraries", &body), "kinds");
    }
    let body = json!({"name": "Media", "path": media, "kinds": ["games", "books", "games"]});
    let created = admin.post("/libraries", &body).expect(201).json();
    assert_eq!(created["kinds"], json!(["books", "games"]));
    let id = id_of(&created);
    let path = format!("/libraries/{id}");
    let counts = || {
        scan(&admin, id);
        let library = admin.get(&path).expect(200).json();
        ["books", "games", "audio"].map(|kind| library["counts"][kind].clone())
    };
    assert_eq!(counts(), [json!(1), json!(1), json!(0)]);
    invalid(&admin.patch(&path, &json!({"kinds": ["films"]})), "kinds");
    let patched = admin
        .patch(&path, &json!({"name": "Renamed"}))
        .expect(200)
        .json();
    assert_eq!(
        patched["kinds"],
        json!(["books", "games"]),
        "left out: as it was"
    );
    let patched = admin
        .patch(&path, &json!({"kinds": null}))
        .expect(200)
        .json();
    assert_eq!(patched["kinds"], Value::Null);
    assert_eq!(counts(), [json!(1), json!(1), json!(1)]);
}

#[test]
fn deleted_library_leaves_disk_unchanged() {
    let (server, admin, id) = library_of(&[
        ("Books/Moby-Dick.epub", "book"),
        ("Books/deep/er/x.cbz", "comic"),
        ("Nova.nes", "game"),
        ("notes.txt", "of no kind"),
        (".hidden", "neither"),
    ]);
    let media = server.folder().join("media");
    symlink("Nova.nes", media.join("link.nes")).expect("a link");
    let before = snapshot(&media);
    assert!(before.len() >= 9, "{before:?}");
    scan(&admin, id);
    let item = id_of(&page(&admin.get("/items"))[0]);
    let path = format!("/libraries/{id}");
    let answer = admin.delete(&path).expect(204);
    assert!(answer.body.is_empty());
    assert_eq!(snapshot(&media), before);
    for path in [
        path.clone(),
        format!("{path}/items"),
        format!("{path}/scan/status"),
        format!("/items/{item}"),
    ] {
        refused(&admin.get(&path), 404, "not_found");
    }
    refused(&admin.delete(&path), 404, "not_found");
    assert_eq!(page(&admin.get("/items")), [] as [Value; 0]);
    // The same folder registered again is another library with other items.
    let again = id_of(&create(&admin, "Media", &media).expect(201).json());
    scan(&admin, again);
    assert!(again > id);
    let items = page(&admin.get("/items"));
    assert!(items.iter().all(|card| id_of(card) > item), "{items:?}");
}

#[test]
fn library_reports_counts_availability_and_missing() {
    let (server, admin, id) = library_of(&[("A.epub", "a"), ("B.epub", "b"), ("C.nes", "c")]);
    let media = server.folder().join("media");
    fs::remove_file(media.join("B.epub")).expect("gone");
    let status = scan(&admin, id);
    has_keys(&status, SCAN_STATUS);
    is_time(&status["started_at"]);
    is_time(&status["finished_at"]);
    let shown = || admin.get(&format!("/libraries/{id}")).expect(200).json();
    let library = shown();
    assert_eq!(library["missing"], 1);
    assert_eq!(
        (&library["counts"]["books"], &library["counts"]["games"]),
        (&json!(1), &json!(1))
    );
    fs::rename(&media, server.folder().join("away")).expect("away");
    let gone = until("the folder is seen to be gone", || {
        let library = shown();
        (library["available"] == false).then_some(library)
    });
    assert_eq!(
        gone["counts"]["books"], 1,
        "an absent disk takes nothing away"
    );
}

#[test]
fn scan_is_accepted_with_and_without_body() {
    let (_server, admin, id) = library_of(&[("A.epub", "a")]);
    let path = format!("/libraries/{id}/scan");
    for body in [None, Some(&b"{}"[..]), Some(b"{\"accept_missing\": false}")] {
        let headers: &[_] = match body {
            Some(_) => &[("Content-Type", "application/json")],
            None => &[],
        };
        let answer = admin.send("POST", &path, headers, body).expect(202);
        has_keys(&answer.json(), "job_id");
        assert!(answer.json()["job_id"].is_i64(), "{answer:?}");
    }
    // The second request has nothing to stop.
    for _ in 0..2 {
        assert!(admin.delete(&path).expect(204).body.is_empty());
    }
    refused(&admin.delete("/libraries/98765/scan"), 404, "not_found");
    let absent = admin.post("/libraries/98765/scan", &json!({}));
    refused(&absent, 404, "not_found");
}

#[test]
fn folder_picker_lists_folders_only() {
    let server = Server::start();
    let admin = server.admin();
    let media = folder(&server, "media");
    for name in ["Folder 10", "Folder 2", ".hidden", "Ünï & \"quoted\""] {
        fs::create_dir(media.join(name)).expect("a folder");
    }
    write(&media, "file.epub", "no folder");
    let ask = |path: &str| {
        let escaped: Vec<String> = path.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let encoded = escaped.concat();
        admin.get(&format!("/directories?path={encoded}"))
    };
    let media = media.canonicalize().expect("a path");
    let text = media.to_str().expect("text");
    let answer = ask(text).expect(200).json();
    assert_eq!(answer["path"], text);
    assert_eq!(answer["parent"], json!(media.parent().expect("a parent")));
    let items = answer["items"].as_array().expect("items");
    for item in items {
        has_keys(item, "name path readable");
        assert_eq!(item["readable"], true);
    }
    let names: Vec<_> = items.iter().map(|item| item["name"].as_str()).collect();
    let expected = ["Folder 2", "Folder 10", "Ünï & \"quoted\""];
    assert_eq!(names, expected.map(Some));
    assert_eq!(items[0]["path"], json!(media.join("Folder 2")));
    assert_eq!(ask("/").expect(200).json()["parent"], Value::Null);
    for path in [
        "/no/such/folder",
        "relative",
        &format!("{text}/file.epub"),
        "/\0",
    ] {
        invalid(&ask(path), "path");
    }
}

#[test]
fn path_must_be_absolute() {
    let server = Server::start();
    let admin = server.admin();
    for path in [".", "media", "../", "~"] {
        let refused = admin.post("/libraries", &json!({"name": "Books", "path": path}));
        assert_eq!(
            refused.expect(422).json()["error"]["field"],
            "path",
            "{path}"
        );
    }
}

#[test]
fn refused_change_keeps_scan_running() {
    let server = Server::start();
    let admin = server.admin();
    let folder = |name: &str| {
        let folder = server.folder().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    };
    let (one, _) = scanned_library(&admin, "One", &folder("one"));
    scanned_library(&admin, "Two", &folder("two"));
    let queued = admin.send("POST", &format!("/libraries/{one}/scan"), &[], None);
    let job = queued.expect(202).json()["job_id"].clone();
    let change = json!({"name": "Two", "path": folder("three")});
    admin
        .patch(&format!("/libraries/{one}"), &change)
        .expect(409);
    let status = until("the scan's end", || {
        let path = format!("/libraries/{one}/scan/status");
        let status = admin.get(&path).expect(200).json();
        (status["job_id"] == job && status["status"] != "queued" && status["status"] != "running")
            .then_some(status)
    });
    assert_eq!(status["status"], "done");
}
