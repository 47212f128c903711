//! Ownership and lifetime of saves.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use ledge_tests::server::PASSWORD;

use super::uploads::read_answer;
use super::{console, noise, put};
use crate::http::conventions::{invalid, refused};

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
fn saves_are_private_and_require_grant() {
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
    // The grant is revoked during an upload.
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
fn saves_follow_moved_game_and_are_deleted_with_purged_game() {
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
fn used_slots_are_limited() {
    let console = console();
    for n in 0..64 {
        console.put(&format!("s{n}"), b"x").expect(201);
    }
    refused(&console.put("one-more", b"x"), 409, "conflict");
    console.put("s5", b"y").expect(200);
    console.admin.delete(&console.path("s7")).expect(204);
    console.put("one-more", b"x").expect(201);
    assert_eq!(console.list().len(), 64);
    // The version of the emptied slot still exists.
    assert_eq!(console.versions("s7").len(), 1);
    refused(&console.put("s7", b"x"), 409, "conflict");
}

#[test]
fn acknowledged_save_survives_power_failure() {
    let mut console = console();
    let body = noise(3_000_000, 5);
    console.put("quick", &body).expect(201);
    console.server.kill();
    console.server.restart();
    let admin = console.server.client().sign_in("admin", PASSWORD);
    assert!(admin.get(&console.path("quick")).expect(200).body == body);
}
