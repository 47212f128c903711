//! A database that another process has locked: writes wait their turn, reads notice nothing.

use std::thread;
use std::time::{Duration, Instant};

use ledge_tests::server::scanned_library;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::conventions::{id_of, list, page, write};

/// How long the other process writes; the server waits half as long again.
const HELD: Duration = Duration::from_secs(10);

fn median_of_reads(client: &Client, count: usize) -> Duration {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let begin = Instant::now();
            client.get("/libraries").expect(200);
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn while_another_process_writes_reads_go_on_and_writes_wait_and_succeed() {
    let server = Server::start();
    let admin = server.admin();
    let media = server.folder().join("media");
    write(&media, "Emma.epub", "a book");
    write(&media, "Lantern Drift (World).sfc", vec![7; 1024]);
    scanned_library(&admin, "Media", &media);
    let only = |kind: &str| id_of(&page(&admin.get(&format!("/items?kind={kind}")))[0]);
    let (book, game) = (only("books"), only("games"));
    let undisturbed = median_of_reads(&admin, 200);
    let other = ledge_core::db::open::existing(&server.database()).expect("the database");
    // Every request from now on wants to renew its session.
    let long_ago = "UPDATE session SET renewed_at = '2026-01-01T00:00:00.000000Z'";
    other.execute(long_ago, []).expect("sessions");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let begin = Instant::now();
    let json = |value: Value| value.to_string().into_bytes();
    let user = json!({"username": "reader", "password": "correct horse battery"});
    let save = vec![9; 1 << 20];
    let requests = [
        ("POST", "/users".to_owned(), "application/json", json(user)),
        (
            "PUT",
            format!("/items/{book}/progress"),
            "application/json",
            json(json!({"position": 3})),
        ),
        (
            "PUT",
            format!("/items/{game}/saves/quick"),
            "application/octet-stream",
            save.clone(),
        ),
    ];
    // More of them than writes may wait.
    for _ in 0..4_200 {
        admin.get("/auth/me").expect(200);
    }
    let writers = requests.map(|(method, path, mime, body)| {
        let admin = admin.clone();
        thread::spawn(move || {
            let answer = admin.send(method, &path, &[("Content-Type", mime)], Some(&body));
            (answer.status, begin.elapsed())
        })
    });
    let mut medians = Vec::new();
    while begin.elapsed() < HELD {
        medians.push(median_of_reads(&admin, 50));
        let is_waiting = |writer: &thread::JoinHandle<_>| !writer.is_finished();
        assert!(
            writers.iter().all(is_waiting),
            "a write did not wait for the lock"
        );
    }
    other.execute_batch("ROLLBACK").expect("no lock");
    let answers = writers.map(|writer| writer.join().expect("an answer"));
    assert_eq!(answers.map(|(status, _)| status), [201, 200, 201]);
    for (_, waited) in answers {
        assert!(waited >= HELD, "{waited:?}");
    }
    let places = list(&admin.get(&format!("/items/{book}/progress")));
    assert_eq!(places[0]["position"], 3);
    let saved = admin.get(&format!("/items/{game}/saves/quick"));
    assert!(saved.expect(200).body == save, "other bytes");
    medians.sort();
    let beside = medians[medians.len() / 2];
    // Generous: a read that waited for the writer would take a thousand times as long.
    let limit = undisturbed * 50 + Duration::from_millis(50);
    assert!(beside < limit, "{beside:?} beside {undisturbed:?}");
}
