//! Database locked by another process: writes wait, reads continue.

use std::collections::BTreeMap;
use std::iter;
use std::thread;
use std::time::{Duration, Instant};

use ledge_tests::server::scanned_library;
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, list, page, write};

/// Time during which the other process holds the lock. The server waits 1.5 times as long.
const HELD: Duration = Duration::from_secs(10);
/// Upper limit for a read, even on a busy machine. A read that waited for the lock would take about
/// [`HELD`].
const WAITED: Duration = Duration::from_secs(5);

/// Durations of reads by path.
type Times = BTreeMap<String, Vec<Duration>>;

/// Returns paths with different queries that users often request.
fn paths(book: i64, game: i64) -> [String; 9] {
    [
        "/libraries".to_owned(),
        "/items?sort=title".to_owned(),
        "/items?sort=added&order=desc".to_owned(),
        "/home".to_owned(),
        "/search?q=lantern".to_owned(),
        "/history".to_owned(),
        format!("/items/{book}"),
        format!("/items/{book}/progress"),
        format!("/items/{game}/saves"),
    ]
}

/// Reads from every path in turn, `rounds` times.
fn read(client: &Client, paths: &[String], rounds: usize, times: &mut Times) {
    for path in iter::repeat_n(paths, rounds).flatten() {
        let begin = Instant::now();
        client.get(path).expect(200);
        let taken = begin.elapsed();
        times.entry(path.clone()).or_default().push(taken);
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

/// Asserts that every path was read, that no read waited, and that most were as fast as before.
fn went_on(paths: &[String], undisturbed: &Times, beside: &Times) {
    for path in paths {
        let times = beside.get(path).expect("reads during the lock");
        let slowest = times.iter().max().expect("a read during the lock");
        assert!(*slowest < WAITED, "{path}: {slowest:?}");
        let (before, beside) = (median(&undisturbed[path]), median(times));
        // The limit is generous: a read that waited for the writer would take a thousand times as
        // long.
        let limit = before * 50 + Duration::from_millis(50);
        assert!(beside < limit, "{path}: {beside:?} beside {before:?}");
    }
}

#[test]
fn reads_continue_and_writes_wait_while_other_process_writes() {
    let server = Server::start();
    let admin = server.admin();
    let media = server.folder().join("media");
    write(&media, "Emma.epub", "a book");
    write(&media, "Lantern Drift (World).sfc", vec![7; 1024]);
    scanned_library(&admin, "Media", &media);
    let only = |kind: &str| id_of(&page(&admin.get(&format!("/items?kind={kind}")))[0]);
    let (book, game) = (only("books"), only("games"));
    let place = format!("/items/{book}/progress");
    // Creates an entry of the history.
    admin.put(&place, &json!({"position": 1})).expect(200);
    let paths = paths(book, game);
    let (mut undisturbed, mut beside) = (Times::new(), Times::new());
    read(&admin, &paths, 20, &mut undisturbed);
    let other = ledge_core::db::open::existing(&server.database()).expect("the database");
    // From now on, every request tries to renew its session.
    let long_ago = "UPDATE session SET renewed_at = '2026-01-01T00:00:00.000000Z'";
    other.execute(long_ago, []).expect("sessions");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let json = |value: Value| value.to_string().into_bytes();
    let user = json!({"username": "reader", "password": "correct horse battery"});
    let save = vec![9; 1 << 20];
    let requests = [
        ("POST", "/users".to_owned(), "application/json", json(user)),
        (
            "PUT",
            place.clone(),
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
    // More requests than the queue of writes holds.
    for _ in 0..4_200 {
        admin.get("/auth/me").expect(200);
    }
    let begin = Instant::now();
    let writers = requests.map(|(method, path, mime, body)| {
        let admin = admin.clone();
        thread::spawn(move || {
            let answer = admin.send(method, &path, &[("Content-Type", mime)], Some(&body));
            (answer.status, begin.elapsed())
        })
    });
    while begin.elapsed() < HELD {
        read(&admin, &paths, 5, &mut beside);
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
    let places = list(&admin.get(&place));
    assert_eq!(places[0]["position"], 3);
    let saved = admin.get(&format!("/items/{game}/saves/quick"));
    assert!(saved.expect(200).body == save, "other bytes");
    went_on(&paths, &undisturbed, &beside);
}
