//! Saves of games: bytes, slots, versions, two devices, and uploads that end badly.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use ledge_tests::server::{PASSWORD, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::Value;

use crate::conventions::{has_keys, invalid, refused};

const LIMIT: usize = 16 << 20;
const BYTES: (&str, &str) = ("Content-Type", "application/octet-stream");

struct Console {
    server: Server,
    admin: Client,
    library: i64,
    /// A game.
    game: i64,
    /// A book.
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

    /// Sends a request as it stands and returns the connection.
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

    /// Uploads in chunks, so that nothing is declared; the answer as it came.
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

    /// The most memory the server ever had, in KiB.
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

/// Bytes of every value, none of them compressible by chance.
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

fn read_answer(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_save_comes_back_as_it_was_with_its_hash_as_entity_tag() {
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
fn replaced_and_deleted_states_stay_among_the_versions_newest_first() {
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
fn what_another_device_saved_is_never_overwritten_unseen() {
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
fn of_devices_that_save_at_once_nothing_is_lost() {
    let console = console();
    console.put("auto", b"before").expect(201);
    let tag = console
        .admin
        .get(&console.path("auto"))
        .header("etag")
        .to_owned();
    let race = |headers: &[(&str, &str)], round: u8| {
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let devices: Vec<_> = (0..8_u8)
                .map(|n| {
                    let (console, body) = (&console, vec![round + n; 300_000]);
                    scope.spawn(move || {
                        put(&console.admin, &console.path("auto"), &body, headers).status
                    })
                })
                .collect();
            devices
                .into_iter()
                .map(|d| d.join().expect("a status"))
                .collect()
        });
        statuses
    };
    let mut statuses = race(&[("If-Match", &tag)], 10);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
    assert_eq!(console.versions("auto").len(), 1);
    assert_eq!(race(&[], 100), [200; 8]);
    let versions = console.versions("auto");
    assert_eq!(versions.len(), 9, "{versions:?}");
    let mut found: Vec<u8> = versions[..7]
        .iter()
        .map(|version| {
            console.admin.get(&format!(
                "{}/versions/{}",
                console.path("auto"),
                version["n"]
            ))
        })
        .chain([console.admin.get(&console.path("auto"))])
        .map(|answer| answer.body[0])
        .collect();
    found.sort_unstable();
    assert_eq!(found, (100..108).collect::<Vec<u8>>());
}

#[test]
fn sixteen_mebibytes_are_taken_and_one_byte_more_is_not() {
    let console = console();
    let whole = noise(LIMIT, 1);
    let stored = console.put("big", &whole).expect(201).json();
    assert_eq!(stored["size"], LIMIT);
    let too_large = noise(LIMIT + 1, 2);
    refused(&console.put("big", &too_large), 413, "payload_too_large");
    let answer = console.chunked("big", &too_large);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("payload_too_large"), "{answer}");
    // What declares more than it sends is refused at once.
    let answer =
        read_answer(console.raw("big", "Content-Length: 99999999999\r\nExpect: 100-continue"));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(console.admin.get(&console.path("big")).expect(200).body == whole);
    assert_eq!(console.versions("big"), Vec::<Value>::new());
}

#[test]
fn memory_depends_on_no_size_and_no_number_of_uploads() {
    let console = console();
    let too_large = noise(LIMIT + 1, 9);
    let before = console.peak();
    at_once(4, |_| {
        refused(&console.put("big", &too_large), 413, "payload_too_large");
        let answer = console.chunked("big", &too_large);
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    });
    let grown = console.peak().saturating_sub(before);
    assert!(grown < 16 << 10, "{grown} KiB for what was refused");
    // The writer's own page cache and journal fill up once.
    let bodies: Vec<Vec<u8>> = (0..8).map(|n| noise(LIMIT, 2 + n)).collect();
    for body in &bodies[..3] {
        console.put("big", body);
    }
    let before = console.peak();
    at_once(8, |n| {
        console.put("big", &bodies[n]);
        let answer = console.admin.get(&console.path("big")).expect(200);
        assert_eq!(answer.body.len(), LIMIT);
    });
    let grown = console.peak().saturating_sub(before);
    // Four readers begin to keep 4 MiB of pages each. An answer has up to three pieces of 1 MiB
    // under way: read, waiting, being sent. An upload that has its turn, as four have, holds two
    // buffers of 256 KiB that may have doubled, and every connection reads 400 KiB ahead.
    let under_way = 4 * 4_096 + 8 * 3 * 1_024 + 4 * 4 * 256 + 8 * 400;
    // As much again for what the allocator keeps between threads; whole bodies would be 64 MiB on
    // their way in, four at once, and 128 on their way out.
    assert!(grown < 2 * under_way, "{grown} KiB more than {before} KiB");
}

/// Does something on several threads at once.
fn at_once(threads: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for n in 0..threads {
            let work = &work;
            scope.spawn(move || work(n));
        }
    });
}

#[test]
fn an_upload_cut_short_leaves_the_old_save_and_no_debris() {
    let console = console();
    let old = noise(700_000, 1);
    console.put("quick", &old).expect(201);
    let body = noise(2_000_000, 2);
    for sent in [0, 1, 65_536, 262_144, 1_999_999] {
        for headers in ["Content-Length: 2000000", "Transfer-Encoding: chunked"] {
            let mut stream = console.raw("quick", headers);
            if headers.starts_with('T') && sent > 0 {
                write!(stream, "{:x}\r\n", body.len()).expect("a chunk");
            }
            stream.write_all(&body[..sent]).expect("a part");
            stream.shutdown(Shutdown::Write).expect("the end");
            // It reaches the end of what was sent, and gives up.
            let answer = read_answer(stream);
            assert!(
                !answer.starts_with("HTTP/1.1 2"),
                "{sent} {headers}: {answer}"
            );
        }
    }
    assert!(console.admin.get(&console.path("quick")).expect(200).body == old);
    assert_eq!(console.versions("quick"), Vec::<Value>::new());
    let names = || -> Vec<String> {
        let entries = fs::read_dir(console.server.folder()).expect("entries");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect()
    };
    for name in names() {
        assert!(name == "media" || name.starts_with("ledge.db"), "{name}");
    }
    until("no open temporary file", || {
        let open = fs::read_dir(format!("/proc/{}/fd", console.server.pid())).expect("files");
        let mut targets = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        let left = targets.any(|target| target.to_string_lossy().contains("(deleted)"));
        (!left).then_some(())
    });
}

#[test]
fn a_body_is_refused_for_its_type_and_a_core_for_its_name() {
    let console = console();
    let path = console.path("quick");
    for kind in [
        "application/json",
        "text/plain",
        "application/octet-streams",
        "",
    ] {
        let headers = [("Content-Type", kind)];
        let answer = console.admin.send("PUT", &path, &headers, Some(b"x"));
        refused(&answer, 415, "unsupported_media_type");
        let json = answer.json();
        let message = json["error"]["message"].as_str().expect("a message");
        assert!(message.contains("octet-stream"), "{message}");
    }
    let headers = [("Content-Type", "Application/Octet-Stream; x=y")];
    console
        .admin
        .send("PUT", &path, &headers, Some(b"x"))
        .expect(201);
    let long = "a".repeat(65);
    for core in ["a%20b", "..%2Fx", "%00", "%C3%A4", long.as_str()] {
        let path = format!("{path}?core={core}");
        invalid(&put(&console.admin, &path, b"x", &[]), "core");
    }
    console
        .admin
        .send("POST", &path, &[BYTES], Some(b"x"))
        .expect(405);
}

#[test]
fn what_the_address_says_is_judged_before_the_body_has_come() {
    let console = console();
    let headers = "Content-Length: 5000000";
    for (slot, status) in [
        ("quick?core=a%20b", "422"),
        ("QUICK", "422"),
        ("QUICK?core=a%20b", "422"),
    ] {
        let mut stream = console.raw(slot, headers);
        // Nothing of the body is sent, and the answer comes.
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&head), format!("HTTP/1.1 {status}"));
    }
}

#[test]
fn the_same_bytes_keep_their_core() {
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

#[test]
fn hostile_slots_are_422_and_other_items_404() {
    let console = console();
    let long = "a".repeat(33);
    for slot in [
        "%2E%2E",
        "a%2Fb",
        "a%5Cb",
        "%00",
        "a%00",
        "A",
        "-a",
        "_a",
        "a.b",
        "a%20b",
        "%D0%B0",
        "%EF%BC%91",
        "a%E2%80%8B",
        "%FF",
        "a;b",
        "a%0A",
        long.as_str(),
    ] {
        invalid(&console.put(slot, b"x"), "slot");
        invalid(&console.admin.get(&console.path(slot)), "slot");
        invalid(&console.admin.delete(&console.path(slot)), "slot");
        invalid(
            &console
                .admin
                .get(&format!("{}/versions", console.path(slot))),
            "slot",
        );
    }
    for slot in ["versions", "con", "nul", "0", "a-_9"] {
        console.put(slot, slot.as_bytes()).expect(201);
        let answer = console.admin.get(&console.path(slot)).expect(200);
        assert_eq!(answer.body, slot.as_bytes());
    }
    for item in [
        console.book.to_string(),
        "987654".into(),
        "x".into(),
        "0".into(),
    ] {
        let path = format!("/items/{item}/saves");
        let slot = format!("{path}/quick");
        let absent = console.admin.get("/items/987655/saves").expect(404);
        assert_eq!(console.admin.get(&path).expect(404).body, absent.body);
        refused(&put(&console.admin, &slot, b"x", &[]), 404, "not_found");
        refused(&console.admin.get(&slot), 404, "not_found");
        refused(&console.admin.delete(&slot), 404, "not_found");
        refused(
            &console.admin.get(&format!("{slot}/versions/1")),
            404,
            "not_found",
        );
    }
}

#[test]
fn everybody_has_their_own_saves_as_long_as_they_see_the_game() {
    let console = console();
    let (id, mia) = console.server.user(&console.admin, "mia");
    console.put("quick", b"admin's").expect(201);
    let path = console.path("quick");
    refused(&put(&mia, &path, b"mia's", &[]), 404, "not_found");
    let grant = format!("/libraries/{}/grants/{id}", console.library);
    console.admin.send("PUT", &grant, &[], None).expect(204);
    refused(&mia.get(&path), 404, "not_found");
    put(&mia, &path, b"mia's", &[]).expect(201);
    assert_eq!(mia.get(&path).expect(200).body, b"mia's");
    assert_eq!(console.admin.get(&path).expect(200).body, b"admin's");
    // The grant goes while an upload is under way.
    let token = mia.token().expect("a token");
    let mut stream =
        TcpStream::connect(("127.0.0.1", console.server.port())).expect("a connection");
    write!(
        stream,
        "PUT /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: 4\r\nConnection: close\r\n\
         Expect: 100-continue\r\n\r\n"
    )
    .expect("a request");
    let mut go_on = [0; 12];
    stream.read_exact(&mut go_on).expect("an interim answer");
    assert_eq!(&go_on, b"HTTP/1.1 100");
    console.admin.delete(&grant).expect(204);
    stream.write_all(b"late").expect("the body");
    let answer = read_answer(stream);
    assert!(answer.contains("HTTP/1.1 404"), "{answer}");
    for path in [
        path.clone(),
        format!("{path}/versions"),
        format!("/items/{}/saves", console.game),
    ] {
        refused(&mia.get(&path), 404, "not_found");
    }
    console.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(mia.get(&path).expect(200).body, b"mia's");
}

#[test]
fn saves_follow_the_game_when_its_file_moves_and_go_with_it_when_it_is_purged() {
    let console = console();
    console.put("quick", b"one").expect(201);
    console.put("quick", b"two").expect(200);
    let media = console.server.folder().join("media");
    fs::create_dir(media.join("SNES")).expect("a folder");
    let name = "Lantern Drift (World).sfc";
    fs::rename(media.join(name), media.join("SNES").join(name)).expect("moved");
    ledge_tests::server::scan(&console.admin, console.library);
    assert_eq!(
        console.admin.get(&console.path("quick")).expect(200).body,
        b"two"
    );
    assert_eq!(console.versions("quick").len(), 1);
    fs::remove_file(media.join("SNES").join(name)).expect("gone");
    ledge_tests::server::scan(&console.admin, console.library);
    assert_eq!(
        console.admin.get(&console.path("quick")).expect(200).body,
        b"two"
    );
    let purge = format!("/libraries/{}/purge", console.library);
    let purged = console
        .admin
        .send("POST", &purge, &[], None)
        .expect(200)
        .json();
    assert_eq!(purged["deleted"], 1);
    refused(&console.admin.get(&console.path("quick")), 404, "not_found");
    let database = ledge_core::db::open::existing(&console.server.database()).expect("a database");
    for table in ["game_save", "game_save_version"] {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = database
            .query_row(&count, [], |row| row.get(0))
            .expect("a count");
        assert_eq!(left, 0, "{table}");
    }
}

#[test]
fn slots_that_hold_something_are_bounded() {
    let console = console();
    for n in 0..64 {
        console.put(&format!("s{n}"), b"x").expect(201);
    }
    refused(&console.put("one-more", b"x"), 409, "conflict");
    console.put("s5", b"y").expect(200);
    console.admin.delete(&console.path("s7")).expect(204);
    console.put("one-more", b"x").expect(201);
    assert_eq!(console.list().len(), 64);
    // What the emptied one held is still there.
    assert_eq!(console.versions("s7").len(), 1);
    refused(&console.put("s7", b"x"), 409, "conflict");
}

#[test]
fn a_save_survives_the_power_cut_after_its_answer() {
    let mut console = console();
    let body = noise(3_000_000, 5);
    console.put("quick", &body).expect(201);
    console.server.kill();
    console.server.restart();
    let admin = console.server.client().sign_in("admin", PASSWORD);
    assert!(admin.get(&console.path("quick")).expect(200).body == body);
}
