//! Effect of a scan on other requests: reads and durable writes, first without and then with a
//! running scan.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::measure::floor::{self, Floor};
use crate::measure::latency::{self, Times};
use crate::measure::load::{self, Cost, Request};
use crate::prepare::{self, Library};
use crate::{figure, measure::machine, scanning};

/// Items of the library that is scanned during reads. It is large enough for some thousand reads,
/// because a high percentile of a few hundred is not reliable.
const MANY: u64 = 60_000;
/// Items of the library that is scanned during writes. That takes several times as long.
const NEWCOMERS: u64 = 20_000;
/// Number of clients that save progress concurrently.
const WRITERS: usize = 8;
/// Number of reads per path, and of writes, without other load.
const ROUNDS: usize = 1000;

/// Paths that are read. The first two are floors: one without database access, and one that reads a
/// few rows on a reader thread. Their additional delay during a scan applies to all paths.
const READS: [&str; 6] = [
    "/version",
    "/libraries",
    "/items",
    "/items/ID",
    "/home",
    "/search?q=12345",
];

/// Measures reads and writes.
pub(crate) fn measure(library: &Library) {
    let writes = Writes::of(library);
    let disk = floor::disk(library.server.folder(), ROUNDS);
    figure("a page to the disk, the floor", &disk.show(), "p50 / p99");
    machine::warm(&library.server.database());
    let idle = reads(library, &|n| n < ROUNDS * READS.len());
    let one = writes.send(library, 1, &|n| n < ROUNDS);
    let many = writes.send(library, WRITERS, &|n| n < 20_000);
    show_writes("idle", &one, &many);

    let (mut busy, mut mixed, mut one, mut many) = (None, None, None, None);
    during(library, (MANY, 97), |more| {
        busy = Some(reads(library, &|_| more()));
    });
    show_reads("a scan writes", &idle, &busy.unwrap_or_default());
    during(library, (NEWCOMERS, 98), |more| {
        std::thread::scope(|scope| {
            let all = scope.spawn(|| reads(library, &|_| more()));
            one = Some(writes.send(library, 1, &|_| more()));
            mixed = Some(all.join().expect("the reads"));
        });
    });
    let both = "a scan writes and places are kept";
    show_reads(both, &idle, &mixed.unwrap_or_default());
    during(library, (NEWCOMERS, 99), |more| {
        many = Some(writes.send(library, WRITERS, &|_| more()));
    });
    if let (Some(one), Some(many)) = (one, many) {
        show_writes("while a scan writes", &one, &many);
    }
    machine::memory("after scans beside", library.server.pid(), "budget 200 MB");
}

/// Runs `work` while a new library of this size is scanned.
fn during(
    library: &Library,
    (items, seed): (u64, u64),
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)),
) {
    let folder = library.server.folder().join("newcomers");
    // Removes the remains of an aborted run.
    if let Some(id) = prepare::id_of(&library.admin, &folder) {
        library
            .admin
            .delete(&format!("/libraries/{id}"))
            .expect(204);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an empty place");
    }
    prepare::make_tree(&folder, "books,games", items, seed);
    let id = prepare::register(&library.admin, &folder);
    machine::warm(&library.server.database());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let scan = scope.spawn(|| {
            let begin = std::time::Instant::now();
            let status = scanning::scan(&library.admin, id);
            is_over.store(true, Ordering::Release);
            let files = status["added"].as_u64().unwrap_or(0) as f64;
            files / begin.elapsed().as_secs_f64()
        });
        work(&|| !is_over.load(Ordering::Acquire));
        let rate = scan.join().expect("a scan");
        figure("the scan meanwhile", &format!("{rate:.0} files/s"), "");
    });
    let path = format!("/libraries/{id}");
    library.admin.delete(&path).expect(204);
}

/// Reads each path in turn while `more` returns `true`.
fn reads(library: &Library, more: &dyn Fn(usize) -> bool) -> Vec<Times> {
    let total = scanning::total(&library.heavy);
    let mut times: Vec<Times> = READS.iter().map(|_| Times::default()).collect();
    let mut n = 0;
    while more(n) {
        let place = n % READS.len();
        let id = 1 + n as u64 * 7919 % total.max(1);
        let path = READS[place].replace("ID", &id.to_string());
        times[place].add(latency::once(&library.heavy, &path));
        n += 1;
    }
    times
}

/// Items and files of the heavy user, whose progress is written.
struct Writes(Vec<(u64, u64)>);

impl Writes {
    fn of(library: &Library) -> Self {
        let floor = Floor::of(&library.server.database());
        Self(floor.pairs(
            "SELECT item_id, file_id FROM progress
              WHERE user_id = (SELECT id FROM user WHERE username = 'reader1')
              LIMIT 5000",
        ))
    }

    fn send(
        &self,
        library: &Library,
        clients: usize,
        more: &(dyn Fn(usize) -> bool + Sync),
    ) -> Cost {
        let token = library.heavy.token().expect("a session");
        load::of(&library.server, token, clients, more, |n| {
            let (item, file) = self.0[n * 31 % self.0.len()];
            Request {
                method: "PUT",
                path: format!("/items/{item}/progress"),
                body: format!(r#"{{"file_id":{file},"position":{}}}"#, n % 1000),
            }
        })
    }
}

fn show_reads(when: &str, idle: &[Times], busy: &[Times]) {
    for ((path, idle), busy) in READS.iter().zip(idle).zip(busy) {
        figure(
            &format!("GET {path} while {when}"),
            &busy.show(),
            &format!(
                "p50 / p99 of {}; idle {}; p99 {:.1} × idle, budget 1.5",
                busy.len(),
                idle.show(),
                busy.at(99) / idle.at(99)
            ),
        );
    }
}

fn show_writes(when: &str, one: &Cost, many: &Cost) {
    figure(
        &format!("progress writes from one client, {when}"),
        &one.times.show(),
        &format!(
            "p50 / p99 of {}; p90 {:.1} ms; budget p99 10 ms",
            one.times.len(),
            one.times.at(90)
        ),
    );
    figure(
        &format!("progress writes from {WRITERS} clients, {when}"),
        &format!("{:.0}/s", many.times.len() as f64 / many.wall.as_secs_f64()),
        &format!(
            "budget 2,000/s; p50 / p99 {}, budget 10 ms; {:.0} µs CPU each",
            many.times.show(),
            many.cpu
        ),
    );
}
