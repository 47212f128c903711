//! Game saves: content, slots, versions, two devices, and failed uploads.

mod cuts;
mod owners;
mod uploads;

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;

use ledge_tests::server::scanned_library;
use ledge_tests::{Answer, Client, Server};
use serde_json::Value;
use uploads::read_answer;

use crate::http::conventions::{has_keys, refused};

const LIMIT: usize = 16 << 20;
const BYTES: (&str, &str) = ("Content-Type", "application/octet-stream");

struct Console {
    server: Server,
    admin: Client,
    library: i64,
    /// Id of a game.
    game: i64,
    /// Id of a book.
    book: i64,
}

fn console() -> Console {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Lantern Drift (World).sfc"), vec![7; 1024]).expect("a game");
    fs::write(media.join("Melville, Herman - Moby-Dick.epub"), "no book").expect("a book");
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Shelf", &media);
    assert_eq!(status["status"], "done", "{status}");
    let only = |kind: &str| {
        let list = admin.get(&format!("/items?kind={kind}")).expect(200).json();
        assert_eq!(list["total"], 1, "{list}");
        list["items"][0]["id"].as_i64().expect("an id")
    };
    Console {
        game: only("games"),
        book: only("books"),
        server,
        admin,
        library,
    }
}

impl Console {
    fn path(&self, slot: &str) -> String {
        format!("/items/{}/saves/{slot}", self.game)
    }

    fn put(&self, slot: &str, body: &[u8]) -> Answer {
        put(&self.admin, &self.path(slot), body, &[])
    }

    fn list(&self) -> Vec<Value> {
        let list = self.admin.get(&format!("/items/{}/saves", self.game));
        let json = list.expect(200).json();
        has_keys(&json, "items");
        json["items"].as_array().expect("items").clone()
    }

    fn versions(&self, slot: &str) -> Vec<Value> {
        let list = self.admin.get(&format!("{}/versions", self.path(slot)));
        list.expect(200).json()["items"]
            .as_array()
            .expect("items")
            .clone()
    }

    /// Sends a request verbatim and returns the connection.
    fn raw(&self, slot: &str, headers: &str) -> TcpStream {
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.server.port())).expect("a connection");
        let token = self.admin.token().expect("a token");
        let head = format!(
            "PUT /api/v1{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/octet-stream\r\nConnection: close\r\n{headers}\r\n\r\n",
            self.path(slot)
        );
        stream.write_all(head.as_bytes()).expect("a request");
        stream
    }

    /// Uploads in chunks without a declared length. Returns the raw response.
    fn chunked(&self, slot: &str, body: &[u8]) -> String {
        let mut stream = self.raw(slot, "Transfer-Encoding: chunked");
        for piece in body.chunks(1 << 20) {
            write!(stream, "{:x}\r\n", piece.len()).expect("a chunk");
            stream.write_all(piece).expect("a chunk");
            stream.write_all(b"\r\n").expect("a chunk");
        }
        stream.write_all(b"0\r\n\r\n").expect("the end");
        read_answer(stream)
    }

    /// Returns the targets of the server's open descriptors.
    fn descriptors(&self) -> Vec<String> {
        let open = fs::read_dir(format!("/proc/{}/fd", self.server.pid())).expect("files");
        let targets = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        targets
            .map(|target| target.to_string_lossy().into_owned())
            .collect()
    }

    /// Returns the peak resident memory of the server in KiB.
    fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.pid()));
        let status = status.expect("a status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
        number.expect("a peak").parse().expect("a number")
    }
}

fn put(client: &Client, path: &str, body: &[u8], headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![BYTES];
    all.extend_from_slice(headers);
    client.send("PUT", path, &all, Some(body))
}

/// Returns pseudo-random bytes, which are incompressible.
fn noise(size: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        u8::try_from(state >> 24).expect("a byte")
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn save_is_returned_unchanged_with_hash_as_entity_tag() {
    let console = console();
    assert_eq!(console.list(), Vec::<Value>::new());
    let every_byte: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let path = format!("{}?core=snes9x", console.path("quick"));
    let created = put(&console.admin, &path, &every_byte, &[])
        .expect(201)
        .json();
    has_keys(&created, "slot size sha256 core updated_at");
    assert_eq!(created["slot"], "quick");
    assert_eq!(created["size"], 100_000);
    assert_eq!(created["core"], "snes9x");
    assert_eq!(console.list(), std::slice::from_ref(&created));
    let sha256 = created["sha256"].as_str().expect("a hash");
    assert_eq!(sha256.len(), 64);
    let tag = format!("\"{sha256}\"");
    let answer = console.admin.get(&console.path("quick")).expect(200);
    assert!(answer.body == every_byte, "other bytes");
    assert_eq!(answer.header("etag"), tag);
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("content-length"), "100000");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let ask = |name: &str, value: &str| {
        let headers = [(name, value)];
        console
            .admin
            .send("GET", &console.path("quick"), &headers, None)
    };
    let known = ask("If-None-Match", &tag).expect(304);
    assert_eq!((known.header("etag"), known.body.len()), (tag.as_str(), 0));
    ask("If-None-Match", "\"other\"").expect(200);
    refused(&ask("If-Match", "\"other\""), 412, "precondition_failed");
    let head = console
        .admin
        .send("HEAD", &console.path("quick"), &[], None);
    assert_eq!(head.expect(200).header("content-length"), "100000");
    let empty = console.put("none", b"").expect(201).json();
    assert_eq!(empty["size"], 0);
    assert_eq!(empty["core"], Value::Null);
    assert!(
        console
            .admin
            .get(&console.path("none"))
            .expect(200)
            .body
            .is_empty()
    );
}

#[test]
fn replaced_and_deleted_saves_become_versions_newest_first() {
    let console = console();
    console.put("quick", b"state 1").expect(201);
    console.put("quick", b"state 1").expect(200);
    assert_eq!(console.versions("quick"), Vec::<Value>::new());
    for n in 2..=13 {
        console
            .put("quick", format!("state {n}").as_bytes())
            .expect(200);
    }
    let versions = console.versions("quick");
    let numbers: Vec<i64> = versions.iter().filter_map(|v| v["n"].as_i64()).collect();
    assert_eq!(numbers, (3..=12).rev().collect::<Vec<_>>());
    for version in &versions {
        has_keys(version, "n size sha256 core saved_at");
        let path = format!("{}/versions/{}", console.path("quick"), version["n"]);
        let answer = console.admin.get(&path).expect(200);
        assert_eq!(answer.body, format!("state {}", version["n"]).as_bytes());
        let tag = format!("\"{}\"", version["sha256"].as_str().expect("a hash"));
        assert_eq!(answer.header("etag"), tag);
    }
    console.admin.delete(&console.path("quick")).expect(204);
    refused(&console.admin.get(&console.path("quick")), 404, "not_found");
    refused(
        &console.admin.delete(&console.path("quick")),
        404,
        "not_found",
    );
    assert_eq!(console.list(), Vec::<Value>::new());
    assert_eq!(console.versions("quick")[0]["n"], 13);
    console.put("quick", b"anew").expect(201);
    console.put("quick", b"again").expect(200);
    assert_eq!(console.versions("quick")[0]["n"], 14);
    for n in [
        "0",
        "1",
        "99",
        "-1",
        "+14",
        "014",
        "x",
        "9223372036854775808",
    ] {
        let path = format!("{}/versions/{n}", console.path("quick"));
        refused(&console.admin.get(&path), 404, "not_found");
    }
    refused(
        &console
            .admin
            .get(&format!("{}/versions", console.path("never"))),
        404,
        "not_found",
    );
}

#[test]
fn save_of_other_device_is_never_overwritten_unseen() {
    let console = console();
    let path = console.path("auto");
    let conditional =
        |name, value: &str, body: &[u8]| put(&console.admin, &path, body, &[(name, value)]);
    refused(
        &conditional("If-Match", "*", b"a"),
        412,
        "precondition_failed",
    );
    let first = conditional("If-None-Match", "*", b"a").expect(201).json();
    refused(
        &conditional("If-None-Match", "*", b"b"),
        412,
        "precondition_failed",
    );
    let tag = format!("\"{}\"", first["sha256"].as_str().expect("a hash"));
    conditional("If-Match", &tag, b"b").expect(200);
    refused(
        &conditional("If-Match", &tag, b"c"),
        412,
        "precondition_failed",
    );
    let delete = |tag: &str| {
        let headers = [("If-Match", tag)];
        console.admin.send("DELETE", &path, &headers, None)
    };
    refused(&delete(&tag), 412, "precondition_failed");
    assert_eq!(console.admin.get(&path).expect(200).body, b"b");
    assert_eq!(console.versions("auto").len(), 1);
    delete("*").expect(204);
}

#[test]
fn equal_bytes_keep_core() {
    let console = console();
    let path = console.path("quick");
    let with_core = format!("{path}?core=snes9x");
    put(&console.admin, &with_core, b"state", &[]).expect(201);
    let again = console.put("quick", b"state").expect(200).json();
    assert_eq!(again["core"], "snes9x");
    assert_eq!(console.list()[0]["core"], "snes9x");
    let other = console.put("quick", b"other").expect(200).json();
    assert_eq!(other["core"], Value::Null);
    assert_eq!(console.versions("quick")[0]["core"], "snes9x");
}
