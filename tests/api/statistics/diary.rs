//! A library with items of two units, and users whose progress has past times.

use ledge_tests::server::{all_items, scan};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, library_of};

const FILES: &[(&str, &str)] = &[
    ("Emma.epub", "1"),
    ("Nana.epub", "2"),
    ("Bach/Goldberg/01 - Aria.mp3", "3"),
    ("Bach/Goldberg/02 - Variatio.mp3", "4"),
    ("Lantern (2001).mp4", "5"),
];

/// A server with one library.
pub(super) struct Diary {
    pub(super) server: Server,
    pub(super) admin: Client,
    pub(super) library: i64,
}

pub(super) fn diary() -> Diary {
    let (server, admin, library) = library_of(FILES);
    Diary {
        server,
        admin,
        library,
    }
}

impl Diary {
    /// Returns the id of the item with this title.
    #[track_caller]
    pub(super) fn item(&self, title: &str) -> i64 {
        let items = all_items(&self.admin, "/items");
        let found = items.iter().find(|item| item["title"] == title);
        id_of(found.expect(title))
    }

    /// Returns the ids of an item's files.
    pub(super) fn files(&self, item: i64) -> Vec<i64> {
        let detail = self.admin.get(&format!("/items/{item}")).expect(200).json();
        let files = detail["files"].as_array().expect("files");
        files.iter().map(id_of).collect()
    }

    /// Grants the library to a user, or revokes the grant.
    pub(super) fn grant(&self, user: i64, is_granted: bool) {
        let path = format!("/libraries/{}/grants/{user}", self.library);
        let method = if is_granted { "PUT" } else { "DELETE" };
        self.admin.send(method, &path, &[], None).expect(204);
    }

    /// Creates a user with the grant.
    pub(super) fn reader(&self, name: &str) -> (i64, Client) {
        let (id, client) = self.server.user(&self.admin, name);
        self.grant(id, true);
        (id, client)
    }

    /// Deletes a file from the disk, and purges its item.
    pub(super) fn purge(&self, name: &str) {
        let path = self.server.folder().join("media").join(name);
        std::fs::remove_file(path).expect("gone");
        assert_eq!(scan(&self.admin, self.library)["status"], "done");
        let path = format!("/libraries/{}/purge", self.library);
        let purged = self.admin.send("POST", &path, &[], None);
        assert!(purged.status < 300, "{purged:?}");
    }
}

/// Saves a position in an item with one file, at a time of January 2024: `31T22:58`.
#[track_caller]
pub(super) fn read(client: &Client, item: i64, steps: &[(&str, i64)]) {
    for (time, position) in steps {
        save(
            client,
            item,
            time,
            &json!({"position": position, "finished": false}),
        );
    }
}

/// Saves progress at a time of January 2024, and returns the response.
#[track_caller]
pub(super) fn save(client: &Client, item: i64, time: &str, body: &Value) -> Value {
    let mut body = body.clone();
    let seconds = if time.len() > 8 { "" } else { ":00" };
    body["recorded_at"] = json!(format!("2024-01-{time}{seconds}Z"));
    let path = format!("/items/{item}/progress");
    client.put(&path, &body).expect(200).json()
}

/// Returns the statistics of January and February 2024, with further parameters.
#[track_caller]
pub(super) fn stats(client: &Client, further: &str) -> Value {
    let path = format!("/stats?from=2024-01-01&to=2024-02-29&{further}");
    client.get(&path).expect(200).json()
}

/// Returns seconds, pages, sessions and finished items of an object.
#[track_caller]
pub(super) fn sums(object: &Value) -> [i64; 4] {
    ["seconds", "pages", "sessions", "finished"].map(|key| object[key].as_i64().expect(key))
}

/// Returns key, seconds and pages of each entry, separated by spaces.
#[track_caller]
pub(super) fn entries(object: &Value) -> Vec<String> {
    let entries = object["items"].as_array().expect("entries");
    let show = |entry: &Value| {
        let key = match &entry["key"] {
            Value::String(text) => text.clone(),
            number => number.to_string(),
        };
        format!("{key} {} {}", entry["seconds"], entry["pages"])
    };
    entries.iter().map(show).collect()
}
