//! Uploads of saves: large, slow, invalid and concurrent ones.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use ledge_tests::server::until;
use serde_json::Value;

use super::{BYTES, LIMIT, console, noise, put};
use crate::http::conventions::{invalid, refused};

pub(super) fn read_answer(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn concurrent_saves_lose_nothing() {
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
fn save_of_sixteen_mebibytes_is_accepted_and_larger_is_refused() {
    let console = console();
    let whole = noise(LIMIT, 1);
    let stored = console.put("big", &whole).expect(201).json();
    assert_eq!(stored["size"], LIMIT);
    let too_large = noise(LIMIT + 1, 2);
    refused(&console.put("big", &too_large), 413, "payload_too_large");
    let answer = console.chunked("big", &too_large);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("payload_too_large"), "{answer}");
    let answer = console.chunked("pieces", &whole);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(console.admin.get(&console.path("pieces")).expect(200).body == whole);
    // A declared length above the limit is refused at once.
    let answer =
        read_answer(console.raw("big", "Content-Length: 99999999999\r\nExpect: 100-continue"));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(console.admin.get(&console.path("big")).expect(200).body == whole);
    assert_eq!(console.versions("big"), Vec::<Value>::new());
}

#[test]
fn memory_is_independent_of_size_and_number_of_uploads() {
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
    // The writer's page cache and journal reach their size once.
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
    // Four readers start to keep 4 MiB of pages each. A response has up to three pieces of 1 MiB in
    // memory: read, waiting, being sent. An active upload, of which there are four, has two buffers
    // of 256 KiB that may have doubled. Every connection reads 400 KiB ahead.
    let under_way = 4 * 4_096 + 8 * 3 * 1_024 + 4 * 4 * 256 + 8 * 400;
    // The factor covers freed memory that the allocator keeps for each thread until its background
    // thread returns it. Whole bodies would need 64 MiB for the uploads (four at once), and 128 MiB
    // for the downloads.
    assert!(grown < 3 * under_way, "{grown} KiB more than {before} KiB");
}

/// Runs work on several threads concurrently.
fn at_once(threads: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for n in 0..threads {
            let work = &work;
            scope.spawn(move || work(n));
        }
    });
}

#[test]
fn aborted_upload_keeps_old_save_and_leaves_no_files() {
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
            // The server reaches the end of the sent data and aborts.
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
        let is_known = name == "media" || name == "ledge.key" || name.starts_with("ledge.db");
        assert!(is_known, "{name}");
    }
    until("no open temporary file", || {
        let open = console.descriptors();
        let left = open.iter().any(|to| to.contains("(deleted)"));
        (!left).then_some(())
    });
}

#[test]
fn invalid_media_type_and_core_name_are_refused() {
    let console = console();
    let path = console.path("quick");
    for kind in [
        "application/json",
        "text/plain",
        "application/octet-streams",
        "multipart/form-data; boundary=x",
    ] {
        let headers = [("Content-Type", kind)];
        let answer = console.admin.send("PUT", &path, &headers, Some(b"x"));
        refused(&answer, 415, "unsupported_media_type");
        let json = answer.json();
        let message = json["error"]["message"].as_str().expect("a message");
        assert!(message.contains("octet-stream"), "{message}");
    }
    let untold = "application/x-www-form-urlencoded";
    for (kind, status) in [("Application/Octet-Stream; x=y", 201), (untold, 200)] {
        let headers = [("Content-Type", kind)];
        let answer = console.admin.send("PUT", &path, &headers, Some(b"x"));
        answer.expect(status);
    }
    console
        .admin
        .send("PUT", &path, &[], Some(b"x"))
        .expect(200);
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
fn path_is_checked_before_body_arrives() {
    let console = console();
    let headers = "Content-Length: 5000000";
    for (slot, status) in [
        ("quick?core=a%20b", "422"),
        ("QUICK", "422"),
        ("QUICK?core=a%20b", "422"),
    ] {
        let mut stream = console.raw(slot, headers);
        // The response arrives although no part of the body was sent.
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&head), format!("HTTP/1.1 {status}"));
    }
}
