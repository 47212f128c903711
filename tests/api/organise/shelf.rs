//! Two libraries with playable files, and users who put them into lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use ledge_tests::server::{all_items, scan, scanned_library};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, write};

/// Files of the library `media`: an item with three parts, one without parts, and a book.
const MEDIA: [&str; 5] = [
    "Album/01 - One.mp3",
    "Album/02 - Two.mp3",
    "Album/03 - Three.mp3",
    "Lantern (2001).mp4",
    "Emma.epub",
];
/// Files of the library `attic`.
const ATTIC: [&str; 3] = ["Box/01 - Four.mp3", "Box/02 - Five.mp3", "Box/03 - Six.mp3"];

pub(super) struct Shelf {
    pub(super) server: Server,
    /// Administrator with grants for both libraries.
    pub(super) admin: Client,
    pub(super) media: i64,
    pub(super) attic: i64,
    /// Ids by the word of the name: `One`, `Lantern`, `Emma`, ….
    files: BTreeMap<String, i64>,
}

/// Returns the word of a file name that the tests use.
fn word(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = stem.rsplit_once("- ").map_or(stem, |(_, title)| title);
    stem.split(' ').next().unwrap_or(stem).to_owned()
}

/// Starts a server with both libraries.
pub(super) fn shelf() -> Shelf {
    let server = Server::start();
    for (folder, names) in [("media", MEDIA.as_slice()), ("attic", &ATTIC)] {
        for name in names {
            write(&server.folder().join(folder), name, word(name));
        }
    }
    let admin = server.admin();
    let [media, attic] = ["media", "attic"].map(|name| {
        let (id, status) = scanned_library(&admin, name, &server.folder().join(name));
        assert_eq!(status["status"], "done", "{status}");
        id
    });
    let files = files(&admin);
    Shelf {
        server,
        admin,
        media,
        attic,
        files,
    }
}

/// Returns the ids of all files by word.
fn files(admin: &Client) -> BTreeMap<String, i64> {
    let details = all_items(admin, "/items").into_iter().flat_map(|item| {
        let detail = admin.get(&format!("/items/{}", item["id"])).expect(200);
        detail.json()["files"].as_array().expect("files").clone()
    });
    details
        .map(|file| (word(file["name"].as_str().expect("a name")), id_of(&file)))
        .collect()
}

impl Shelf {
    /// Returns the id of a file.
    #[track_caller]
    pub(super) fn file(&self, word: &str) -> i64 {
        self.files[word]
    }

    /// Returns the ids of files, separated by spaces.
    #[track_caller]
    pub(super) fn ids(&self, words: &str) -> Vec<i64> {
        words.split(' ').map(|word| self.file(word)).collect()
    }

    /// Returns the id of the item with this title.
    #[track_caller]
    pub(super) fn item(&self, title: &str) -> i64 {
        let items = all_items(&self.admin, "/items");
        id_of(
            items
                .iter()
                .find(|item| item["title"] == title)
                .expect(title),
        )
    }

    /// Creates a playlist of these files, and returns its path. A file may occur several times.
    #[track_caller]
    pub(super) fn playlist(&self, owner: &Client, words: &str) -> String {
        let made = owner
            .post("/playlists", &json!({"name": "List"}))
            .expect(201);
        let path = format!("/playlists/{}", id_of(&made.json()));
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            let body = json!({"files": [self.file(word)]});
            add_entries(owner, &path, &body).expect(201);
        }
        path
    }

    /// Returns the entries of a list as words.
    #[track_caller]
    pub(super) fn words(&self, reader: &Client, path: &str) -> String {
        let entries = entries(reader, path);
        let word = |entry: &Value| {
            let found = self.files.iter().find(|(_, id)| entry["file_id"] == **id);
            found.expect("a file").0.clone()
        };
        entries.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Grants a library to a user, or revokes the grant.
    pub(super) fn grant(&self, library: i64, user: i64, is_granted: bool) {
        let path = format!("/libraries/{library}/grants/{user}");
        let method = if is_granted { "PUT" } else { "DELETE" };
        self.admin.send(method, &path, &[], None).expect(204);
    }

    /// Creates a user with grants for both libraries.
    pub(super) fn user(&self, name: &str) -> (i64, Client) {
        let (id, client) = self.server.user(&self.admin, name);
        for library in [self.media, self.attic] {
            self.grant(library, id, true);
        }
        (id, client)
    }

    /// Returns the path of a file on the disk.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.server.folder().join(name)
    }

    /// Deletes a file from the disk, and scans its library.
    pub(super) fn lose(&self, library: i64, name: &str) {
        fs::remove_file(self.path(name)).expect("gone");
        assert_eq!(scan(&self.admin, library)["status"], "done");
    }
}

/// Returns all entries of a playlist or of the queue.
#[track_caller]
pub(super) fn entries(reader: &Client, path: &str) -> Vec<Value> {
    if path == "/queue" {
        let queue = reader.get("/queue?limit=500").expect(200).json();
        return queue["items"].as_array().expect("entries").clone();
    }
    all_items(reader, &format!("{path}/entries"))
}

/// Returns the version of a playlist or of the queue, which is also its tag.
#[track_caller]
pub(super) fn version(reader: &Client, path: &str) -> i64 {
    let answer = reader.get(path).expect(200);
    let version = answer.json()["version"].as_i64().expect("a version");
    assert_eq!(answer.header("etag"), format!("\"{version}\""));
    version
}

/// Sends a change with `If-Match`.
pub(super) fn change(
    client: &Client,
    (method, path): (&str, &str),
    tag: &str,
    body: &Value,
) -> Answer {
    let headers = [("Content-Type", "application/json"), ("If-Match", tag)];
    client.send(method, path, &headers, Some(body.to_string().as_bytes()))
}

/// Adds entries to a playlist.
pub(super) fn add_entries(owner: &Client, path: &str, body: &Value) -> Answer {
    owner.post(&format!("{path}/entries"), body)
}
