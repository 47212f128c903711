//! A scanned library, users, and databases of other programs that name its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use ledge_fixtures::{EpubSpec, PdfSpec, Story};
use ledge_tests::server::{all_items, scanned_library};
use ledge_tests::{Client, Server};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::catalogue::books;
use crate::http::conventions::{id_of, write};
use crate::operation::cli;

/// Files of the library that are not real media.
const FILES: [&str; 6] = [
    "Album/01 - One.mp3",
    "Album/02 - Two.mp3",
    "Album/03 - Three.mp3",
    "Solo/Alone.mp3",
    "Lantern (2001).mp4",
    "Café.mp3",
];

/// Story with three chapters, of which each is a section.
const STORY: &str = "title: The Long Way\nauthor: Ann Example\n\n# One\n\nFirst.\n\n# Two\n\nSecond.\n\n# Three\n\nThird.\n";

pub(super) struct World {
    pub(super) server: Server,
    pub(super) admin: Client,
    /// Library `media`.
    pub(super) library: i64,
}

/// Starts a server with the scanned library, and the users `admin` and `ann`.
pub(super) fn world() -> World {
    let server = Server::start();
    let media = server.folder().join("media");
    for name in FILES {
        write(&media, name, name);
    }
    fs::write(media.join("harbour.epub"), long_book()).expect("a file");
    fs::write(media.join("lantern.cbz"), books::comic()).expect("a file");
    write(&media, "Papers/Treatise.pdf", notes());
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "media", &media);
    assert_eq!(status["status"], "done", "{status}");
    World {
        server,
        admin,
        library,
    }
}

/// Returns an EPUB with several sections.
fn long_book() -> Vec<u8> {
    let spec = EpubSpec::from(Story::parse(STORY));
    assert_eq!(spec.chapters.len(), 3);
    ledge_fixtures::epub(&spec)
}

/// Returns a PDF with a title page and a page for each of twelve chapters.
fn notes() -> Vec<u8> {
    let chapters = "\n\n# Chapter\n\nText.".repeat(12);
    let story = Story::parse(&format!("title: Notes\nauthor: Ann Example{chapters}\n"));
    ledge_fixtures::pdf(&PdfSpec { story })
}

impl World {
    /// Creates a user with a grant for the library.
    pub(super) fn user(&self, name: &str) -> Client {
        let (id, client) = self.server.user(&self.admin, name);
        let path = format!("/libraries/{}/grants/{id}", self.library);
        self.admin.send("PUT", &path, &[], None).expect(204);
        client
    }

    /// Returns the root of the library.
    pub(super) fn media(&self) -> String {
        let media = self.server.folder().join("media");
        let media = media.canonicalize().expect("a folder");
        media.to_str().expect("text").to_owned()
    }

    /// Creates a database next to the library. `MEDIA` in the statements is the library's root.
    pub(super) fn database(&self, name: &str, sql: &str) -> PathBuf {
        let folder = self.server.folder().join("theirs");
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(name);
        database(&path, &sql.replace("MEDIA", &self.media()));
        path
    }

    /// Runs `ledge import`.
    pub(super) fn run(&self, source: &str, path: &Path, more: &[&str]) -> Output {
        let path = path.to_str().expect("text");
        let mut arguments = vec!["import", source, path, "--json"];
        arguments.extend(more);
        cli::run(&self.server, &arguments, "")
    }

    /// Imports, and returns the summary.
    #[track_caller]
    pub(super) fn import(&self, source: &str, path: &Path, more: &[&str]) -> Value {
        let output = self.run(source, path, more);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Runs a dry run, the import and its repetition, and returns the summary of the import.
    #[track_caller]
    pub(super) fn import_thrice(&self, source: &str, path: &Path, more: &[&str]) -> Value {
        let mut dry: Vec<&str> = more.to_vec();
        dry.push("--dry-run");
        let mut expected = self.import(source, path, &dry);
        assert_eq!(expected["batch"], Value::Null);
        let summary = self.import(source, path, more);
        assert!(summary["batch"].is_i64(), "{summary}");
        expected["batch"] = summary["batch"].clone();
        expected["dry_run"] = json!(false);
        assert_eq!(summary, expected, "the dry run has the same numbers");
        let again = self.import(source, path, more);
        assert_eq!(again["batch"], Value::Null, "{again}");
        let taken = again["taken"].as_object().expect("numbers");
        assert!(taken.values().all(|number| *number == 0), "{again}");
        summary
    }

    /// Refuses an import with one line, and returns it.
    #[track_caller]
    pub(super) fn refused(&self, source: &str, path: &Path, more: &[&str]) -> String {
        let output = self.run(source, path, more);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        errors
    }

    /// Returns the details of the item that has a file with this name.
    #[track_caller]
    #[expect(
        clippy::unused_self,
        reason = "it reads like the other requests of a world"
    )]
    pub(super) fn item(&self, reader: &Client, file: &str) -> Value {
        let details = all_items(reader, "/items").into_iter().map(|item| {
            let path = format!("/items/{}", id_of(&item));
            reader.get(&path).expect(200).json()
        });
        let has_file = |item: &Value| {
            let files = item["files"].as_array().expect("files");
            files.iter().any(|one| one["name"] == file)
        };
        let mut found = details.into_iter().filter(has_file);
        found.next().unwrap_or_else(|| panic!("no item of {file}"))
    }

    /// Returns the id of a file.
    #[track_caller]
    pub(super) fn file(&self, name: &str) -> i64 {
        let item = self.item(&self.admin, name);
        let files = item["files"].as_array().expect("files");
        id_of(files.iter().find(|one| one["name"] == name).expect(name))
    }

    /// Returns a user's progress in a file: position, finished, time.
    #[track_caller]
    pub(super) fn progress(&self, reader: &Client, file: &str) -> Option<(i64, bool, String)> {
        let item = id_of(&self.item(reader, file));
        let id = self.file(file);
        let places = reader.get(&format!("/items/{item}/progress")).expect(200);
        let places = places.json()["items"].as_array().expect("places").clone();
        let place = places.into_iter().find(|place| place["file_id"] == id)?;
        let text = |key: &str| place[key].as_str().expect("text").to_owned();
        Some((
            place["position"].as_i64().expect("a number"),
            place["finished"].as_bool().expect("a truth value"),
            text("updated_at"),
        ))
    }

    /// Returns names, owners and members of the lists that a user reads.
    #[track_caller]
    #[expect(
        clippy::unused_self,
        reason = "it reads like the other requests of a world"
    )]
    pub(super) fn lists(&self, reader: &Client, kind: &str) -> Vec<(String, String, Vec<String>)> {
        let entries = |id: i64| {
            let path = if kind == "playlists" {
                format!("/playlists/{id}/entries")
            } else {
                format!("/collections/{id}/items")
            };
            let title = |entry: &Value| entry["title"].as_str().expect("a title").to_owned();
            all_items(reader, &path).iter().map(title).collect()
        };
        let list = |list: &Value| {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            let owner = text(&list["owner"]["username"]);
            (text(&list["name"]), owner, entries(id_of(list)))
        };
        all_items(reader, &format!("/{kind}"))
            .iter()
            .map(list)
            .collect()
    }

    /// Undoes a batch, and returns the response.
    #[track_caller]
    pub(super) fn undo(&self, summary: &Value) -> Value {
        let path = format!("/edits/{}/undo", summary["batch"]);
        self.admin.post(&path, &json!({})).expect(200).json()
    }
}

/// Creates an SQLite database in WAL mode.
pub(super) fn database(path: &Path, sql: &str) {
    let connection = Connection::open_with_flags(path, OpenFlags::default()).expect("a database");
    connection.execute_batch(sql).expect("rows");
}

/// Checks some numbers of a summary: `taken.progress 2`.
#[track_caller]
pub(super) fn has_numbers(summary: &Value, expected: &[(&str, u64)]) {
    for (pointer, number) in expected {
        let found = &summary.pointer(&format!("/{}", pointer.replace('.', "/")));
        assert_eq!(found, &Some(&json!(number)), "{pointer} of {summary}");
    }
}
