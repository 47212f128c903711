//! Plug-ins: the core names no kind, and a further kind needs only a crate and one line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ledge_tests::Server;
use ledge_tests::server::{program, scanned_library};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("a folder")
        .filter_map(Result::ok)
    {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns a source without the test module at its end.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
}

fn kind_ids() -> BTreeSet<String> {
    let server = Server::with(&program("ledge"), &[]);
    let types = server.client().get("/media-types").expect(200).json();
    let items = types["items"].as_array().expect("items").clone();
    items
        .iter()
        .map(|kind| kind["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn every_kind_crate_is_linked() {
    let folders: BTreeSet<String> = fs::read_dir(root().join("kinds"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(kind_ids(), folders);
}

#[test]
fn core_names_no_kind() {
    let mut files = Vec::new();
    sources(&root().join("core/src"), &mut files);
    assert!(files.len() > 30, "the sources of the core");
    let ids = kind_ids();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        // Tests may use any word. Production code must not.
        let text = without_tests(&text);
        for id in &ids {
            assert!(
                !text.contains(&format!("\"{id}\"")),
                "{} names {id}",
                file.display()
            );
        }
    }
}

#[test]
fn readers_of_kinds_open_files_only_with_given_tools() {
    let mut files = Vec::new();
    let kinds = root().join("kinds");
    sources(&kinds, &mut files);
    let is_reader = |file: &PathBuf| {
        let path = file.strip_prefix(&kinds).expect("a source of a kind");
        let path = path.to_string_lossy();
        // Cores and BIOS files are next to the database and not in a library.
        let others = ["/tests", "/fixtures", "mutations.rs", "cores/folder.rs"];
        path.contains("/src/") && !others.iter().any(|other| path.contains(other))
    };
    files.retain(is_reader);
    assert!(files.len() > 100, "the sources of all kinds");
    // The example code must follow the rule too.
    sources(&root().join("tests/example-kind"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        let text = without_tests(&text);
        for own_way in [
            "File::open(",
            "OpenOptions",
            "fs::read(",
            "fs::read_to_string(",
            "fs::open(",
            "read_dir(",
            "canonicalize(",
        ] {
            assert!(
                !text.contains(own_way),
                "{}: {own_way} follows links out of the library",
                file.display()
            );
        }
    }
}

#[test]
fn example_kind_is_short() {
    let text = fs::read_to_string(root().join("tests/example-kind/src/lib.rs")).expect("a source");
    assert!(text.lines().count() < 80);
}

#[test]
fn additional_kind_is_scanned_listed_and_served() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(
        media.join("Turlough O'Carolan - Si Bheag, Si Mhor.abc"),
        "X:1",
    )
    .expect("a file");
    let admin = server.admin();
    let types = admin.get("/media-types").expect(200).json();
    let kinds = types["items"].as_array().expect("items");
    let kind = kinds
        .iter()
        .find(|kind| kind["id"] == "sheets")
        .expect("the kind");
    assert_eq!(kind["label_plural"], "Sheet music");
    assert_eq!(kind["viewers"]["abc"], "sheet");
    assert_eq!(kind["subkinds"][1]["label_plural"], "Tunes");
    let (library, status) = scanned_library(&admin, "Sheets", &media);
    assert_eq!(status["added"], 1, "{status}");
    let counts = admin
        .get(&format!("/libraries/{library}"))
        .expect(200)
        .json()["counts"]
        .clone();
    assert_eq!(counts["sheets"], 1);
    let subkinds = admin.get("/items/subkinds?kind=sheets").expect(200).json();
    let tunes = serde_json::json!([{"kind": "sheets", "subkind": "tune", "items": 1}]);
    assert_eq!(subkinds["items"], tunes);
    let card: Value = admin.get("/items?kind=sheets").expect(200).json()["items"][0].clone();
    assert_eq!(card["title"], "Si Bheag, Si Mhor");
    assert_eq!(card["authors"], "Turlough O'Carolan");
    let item = admin
        .get(&format!("/items/{}", card["id"]))
        .expect(200)
        .json();
    let file = &item["files"][0];
    assert_eq!(file["mime"], "text/vnd.abc");
    let path = file["content_url"]
        .as_str()
        .expect("a path")
        .replace("/api/v1", "");
    let content = admin.get(&path).expect(200);
    assert_eq!(content.body, b"X:1");
    assert_eq!(content.header("content-type"), "text/vnd.abc");
}

#[test]
fn additional_engine_is_listed_and_resolved() {
    let server = Server::start();
    let admin = server.admin();
    let engines = admin.get("/playback/engines").expect(200).json();
    let engines = engines["items"].as_array().expect("engines").clone();
    let radio = engines.iter().find(|engine| engine["id"] == "radio");
    let radio = radio.expect("the engine");
    assert_eq!(radio["label"], "Radio");
    assert_eq!(radio["vcodecs"], serde_json::json!([]));
    // Its rank places it after the server's engines.
    assert_eq!(engines.last(), Some(radio));
    // It plays nothing yet, but its list of playable items is valid.
    let list = admin.get("/items?engines=radio").expect(200).json();
    assert_eq!(list["total"], 0);
}

#[test]
fn item_of_removed_kind_can_be_listed_downloaded_and_purged() {
    let mut server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("A - B.abc"), "X:1").expect("a file");
    let (library, _) = scanned_library(&server.admin(), "Sheets", &media);
    server.terminate();
    server.restart_as(&program("ledge"));
    let admin = server.admin();
    let card = admin.get("/items").expect(200).json()["items"][0].clone();
    assert_eq!(card["kind"], "sheets");
    let file = admin
        .get(&format!("/items/{}", card["id"]))
        .expect(200)
        .json()["files"][0]
        .clone();
    assert_eq!(
        (&file["viewer"], &file["mime"]),
        (&"download".into(), &"application/octet-stream".into())
    );
    let path = file["content_url"]
        .as_str()
        .expect("a path")
        .replace("/api/v1", "");
    assert_eq!(admin.get(&path).expect(200).body, b"X:1");
    fs::remove_file(media.join("A - B.abc")).expect("gone");
    assert_eq!(ledge_tests::server::scan(&admin, library)["missing"], 1);
    let purged = admin.post(
        &format!("/libraries/{library}/purge"),
        &serde_json::json!({}),
    );
    assert_eq!(purged.expect(200).json()["deleted"], 1);
}
