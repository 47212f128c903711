//! A database that another process has locked: writes wait their turn, reads notice nothing.

use std::thread;
use std::time::{Duration, Instant};

use ledge_tests::{Client, Server};
use serde_json::json;

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
fn while_another_process_writes_reads_go_on_and_a_write_waits_and_succeeds() {
    let server = Server::start();
    let admin = server.admin();
    let undisturbed = median_of_reads(&admin, 200);
    let other = ledge_core::db::open::existing(&server.database()).expect("the database");
    other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let begin = Instant::now();
    let writer = thread::spawn({
        let admin = admin.clone();
        move || {
            let body = json!({"username": "reader", "password": "correct horse battery"});
            let answer = admin.post("/users", &body);
            (answer.status, begin.elapsed())
        }
    });
    let mut medians = Vec::new();
    while begin.elapsed() < HELD {
        medians.push(median_of_reads(&admin, 50));
        assert!(!writer.is_finished(), "the write did not wait for the lock");
    }
    other.execute_batch("ROLLBACK").expect("no lock");
    let (status, waited) = writer.join().expect("an answer");
    assert_eq!(status, 201);
    assert!(waited >= HELD, "{waited:?}");
    medians.sort();
    let beside = medians[medians.len() / 2];
    // Generous: a read that waited for the writer would take a thousand times as long.
    let limit = undisturbed * 50 + Duration::from_millis(50);
    assert!(beside < limit, "{beside:?} beside {undisturbed:?}");
}
