//! Scans: the first one, and one without changes compared with `find`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ledge_tests::{Client, Server};
use serde_json::Value;

use crate::prepare::Library;
use crate::{figure, measure::machine};

/// Maximum duration of a scan.
const MAX_WAIT: Duration = Duration::from_hours(1);

/// Measures the first scan of every library.
pub(crate) fn first(server: &Server, admin: &Client, roots: &[PathBuf], libraries: &[i64]) {
    warm(roots);
    machine::memory("idle", server.pid(), "budget 25 MB");
    let cpu = machine::cpu(server.pid());
    let begin = Instant::now();
    let files: u64 = libraries
        .iter()
        .map(|id| scan(admin, *id)["added"].as_u64().unwrap_or(0))
        .sum();
    let wall = begin.elapsed().as_secs_f64();
    let items = total(admin);
    let cpu = machine::cpu_since(server.pid(), cpu);
    figure(
        "first scan, names in the cache",
        &format!("{:.0} items/s", items as f64 / wall),
        &format!(
            "budget 5,000/s; {items} items, {files} files, {:.0} files/s, {:.0} µs CPU an item",
            files as f64 / wall,
            cpu.as_micros() as f64 / items.max(1) as f64,
        ),
    );
    let pid = server.pid();
    machine::memory("after the first scan", pid, "budget 200 MB at most");
}

/// Measures rescans without changes.
pub(crate) fn rescan(library: &Library) {
    let floor = find(&library.roots);
    let times = (0..2).map(|_| {
        let begin = Instant::now();
        for id in &library.ids {
            let status = scan(&library.admin, *id);
            assert_eq!(status["updated"], 0, "{status}");
            assert_eq!(status["added"], 0, "{status}");
        }
        begin.elapsed()
    });
    let best = times.min().unwrap_or_default();
    figure(
        "rescan without changes / find -printf",
        &format!("{:.2}", best.as_secs_f64() / floor.as_secs_f64()),
        &format!(
            "budget 1.0; {} ms against {} ms, best of 2 each",
            best.as_millis(),
            floor.as_millis()
        ),
    );
    let pid = library.server.pid();
    machine::memory("after the rescans", pid, "budget 200 MB at most");
}

/// Scans a library and waits longer than the tests do.
pub(crate) fn scan(admin: &Client, library: i64) -> Value {
    let queued = admin.send("POST", &format!("/libraries/{library}/scan"), &[], None);
    let job = queued.expect(202).json()["job_id"].clone();
    let deadline = Instant::now() + MAX_WAIT;
    while Instant::now() < deadline {
        let status = admin.get(&format!("/libraries/{library}/scan/status"));
        let status = status.expect(200).json();
        let is_over = !matches!(
            status["status"].as_str(),
            Some("queued" | "running" | "never")
        );
        if is_over && status["job_id"] == job {
            return status;
        }
        std::thread::park_timeout(Duration::from_millis(10));
    }
    panic!("the scan of library {library} does not end");
}

/// Returns the number of items.
pub(crate) fn total(client: &Client) -> u64 {
    client.get("/items?limit=1").expect(200).json()["total"]
        .as_u64()
        .unwrap_or(0)
}

/// Reads all names and sizes, because those of older trees may not be in the kernel's cache.
fn warm(trees: &[PathBuf]) {
    find_once(trees);
}

fn find(trees: &[PathBuf]) -> Duration {
    let times = (0..2).map(|_| find_once(trees));
    times.min().unwrap_or_default()
}

fn find_once(trees: &[PathBuf]) -> Duration {
    let begin = Instant::now();
    let status = Command::new("find")
        .args(trees.iter().map(Path::new))
        .args(["-printf", "%p %s %T@\n"])
        .stdout(Stdio::null())
        .status()
        .expect("find");
    assert!(status.success());
    begin.elapsed()
}
