//! Progress sync of KOReader.

mod login;
mod matching;
mod places;

use std::fs;

use ledge_core::db::open;
use ledge_fixtures::{Chapter, EpubSpec};
use ledge_tests::server::{all_items, scan, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use md5::{Digest as _, Md5};
use serde_json::{Value, json};

use crate::catalogue::books::comic;
use crate::http::conventions::id_of;
use crate::protocols::devices::issue;

/// A visible library of a book and a comic, a library that only the administrator sees, and a
/// device of the user `mia`.
struct World {
    server: Server,
    admin: Client,
    mia: Client,
    mia_id: i64,
    books: i64,
    secret: i64,
    device: Device,
}

/// A device with the login of KOReader.
struct Device {
    client: Client,
    user: String,
    key: String,
}

impl Device {
    fn new(server: &Server, user: &str, secret: &str) -> Self {
        Self {
            client: server.client().anonymous(),
            user: user.to_owned(),
            key: hex(secret.as_bytes()),
        }
    }

    fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Answer {
        let headers = [
            ("x-auth-user", self.user.as_str()),
            ("x-auth-key", self.key.as_str()),
            ("accept", "application/vnd.koreader.v1+json"),
            ("content-type", "application/json"),
        ];
        let path = format!("//kosync{path}");
        let answer = self.client.send(method, &path, &headers, body);
        assert_eq!(answer.header("content-type"), "application/json");
        answer
    }

    fn get(&self, document: &str) -> Value {
        let path = format!("/syncs/progress/{document}");
        self.send("GET", &path, None).expect(200).json()
    }

    fn put(&self, message: &Value) -> Answer {
        let body = message.to_string();
        self.send("PUT", "/syncs/progress", Some(body.as_bytes()))
    }

    /// Sends a position.
    fn sync(&self, document: &str, progress: &str, percentage: f64) -> Value {
        let message = message(document, progress, percentage);
        self.put(&message).expect(200).json()
    }
}

fn message(document: &str, progress: &str, percentage: f64) -> Value {
    json!({
        "document": document, "progress": progress, "percentage": percentage,
        "device": "Kobo Libra", "device_id": "0A1B",
    })
}

fn hex(bytes: &[u8]) -> String {
    let digest: [u8; 16] = Md5::digest(bytes).into();
    format!("{:032x}", u128::from_be_bytes(digest))
}

/// Returns the digest of a content as KOReader computes it.
fn partial(content: &[u8]) -> String {
    let mut sample = Vec::new();
    let mut offset = 0;
    while offset < content.len() {
        sample.extend(&content[offset..content.len().min(offset + 1024)]);
        offset = if offset == 0 { 1024 } else { offset * 4 };
    }
    hex(&sample)
}

/// Returns a book of four chapters with ten paragraphs.
fn book(title: &str) -> Vec<u8> {
    let chapter = |chapter: usize| Chapter {
        title: format!("Chapter {chapter}"),
        paragraphs: (0..10)
            .map(|paragraph| format!("Paragraph {paragraph} of {title}, some words & more."))
            .collect(),
    };
    ledge_fixtures::epub(&EpubSpec {
        title: title.to_owned(),
        language: "en".to_owned(),
        chapters: (0..4).map(chapter).collect(),
        ..EpubSpec::default()
    })
}

fn world() -> World {
    let server = Server::start();
    let admin = server.admin();
    let files = [
        ("books", "harbour.epub", book("Harbour")),
        ("books", "lantern.cbz", comic()),
        ("secret", "hidden.epub", book("Hidden")),
    ];
    for (folder, name, content) in files {
        fs::create_dir_all(server.folder().join(folder)).expect("a folder");
        fs::write(server.folder().join(folder).join(name), content).expect("a file");
    }
    let [books, secret] = ["books", "secret"]
        .map(|name| scanned_library(&admin, name, &server.folder().join(name)).0);
    let (mia_id, mia) = server.user(&admin, "mia");
    grant(&admin, books, mia_id);
    let issued = issue(&mia, &["places"]);
    let device = Device::new(&server, "mia", issued["secret"].as_str().expect("a secret"));
    let world = World {
        server,
        admin,
        mia,
        mia_id,
        books,
        secret,
        device,
    };
    world.wait();
    world
}

fn grant(admin: &Client, library: i64, user: i64) {
    let path = format!("/libraries/{library}/grants/{user}");
    admin.send("PUT", &path, &[], None).expect(204);
}

impl World {
    /// Waits until all digests are stored and all documents are adopted.
    fn wait(&self) {
        let database = open::read_only(&self.server.database()).expect("the database");
        until("digests", || {
            let waiting: i64 = database
                .query_row(
                    "SELECT (SELECT count(*) FROM digest_queue)
                          + (SELECT count(*) FROM adoption_queue)
                          + (SELECT count(*) FROM file WHERE id > last_id)
                       FROM queue_position
                      WHERE queue = 'digest'",
                    (),
                    |row| row.get(0),
                )
                .expect("a number");
            (waiting == 0).then_some(())
        });
    }

    fn add(&self, library: i64, path: &str, content: &[u8]) {
        let path = self.server.folder().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
        scan(&self.admin, library);
        self.wait();
    }

    fn item(&self, title: &str) -> i64 {
        let items = all_items(&self.admin, "/items");
        let item = items.iter().find(|item| item["title"] == title);
        id_of(item.expect(title))
    }

    /// Returns the progress of the user in the only file of an item.
    fn place(&self, title: &str) -> Value {
        let path = format!("/items/{}/progress", self.item(title));
        let places = self.mia.get(&path).expect(200).json();
        places["items"][0].clone()
    }

    fn read(&self, title: &str, place: &Value) {
        let path = format!("/items/{}/progress", self.item(title));
        self.mia.put(&path, place).expect(200);
    }

    fn history(&self, title: &str) -> Vec<Value> {
        let path = format!("/items/{}/progress/history", self.item(title));
        let history = self.mia.get(&path).expect(200).json();
        history["items"].as_array().expect("items").clone()
    }
}
