//! Enrichment of ten thousand items with two fast fake providers: effect on other requests, memory,
//! rate limit, and repeated queries after a kill.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_tests::server::{program, scanned_library};
use ledge_tests::{Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

use crate::measure::latency::{self, Times};
use crate::{figure, measure::machine};

/// Number of files per folder.
const OF_FOLDER: u64 = 100;
/// Number of requests of the home page without other load.
const ROUNDS: usize = 300;
/// Pause between two requests, with or without other load.
const PAUSE: Duration = Duration::from_millis(20);
/// Rate limit of the example providers, in requests per second.
const PACE: f64 = 200.0;
/// Maximum duration of a job.
const MAX_WAIT: Duration = Duration::from_mins(30);

/// Measures a library of this size.
pub(crate) fn measure(items: u64) {
    let (first, second) = (Fake::start(half), Fake::start(nothing));
    let (one, two) = (first.url(), second.url());
    let settings = [
        ("LEDGE_SHEETCAT_URL", one.as_str()),
        ("LEDGE_TUNEBOOK_URL", two.as_str()),
    ];
    let mut server = Server::with(&program("ledge-example"), &settings);
    let media = server.folder().join("media");
    sheets(&media, items);
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Sheets", &media);
    let mut idle = Times::default();
    for _ in 0..ROUNDS {
        std::thread::sleep(PAUSE);
        idle.add(latency::once(&admin, "/home"));
    }
    let path = format!("/libraries/{library}/enrich");
    machine::memory("before the enrichment", server.pid(), "budget 40 MB");

    let begin = Instant::now();
    admin.post(&path, &json!({})).expect(202);
    let mut busy = Times::default();
    let mut resident = Vec::new();
    let mut watch = |server: &Server, admin: &Client, until: u64| {
        for status in Watched::new(admin, &path, until) {
            busy.add(latency::once(admin, "/home"));
            resident.push((seen(&status), machine::status_mb(server.pid(), "VmRSS")));
        }
    };
    watch(&server, &admin, items / 2);
    server.kill();
    server.restart();
    let admin = server.admin();
    watch(&server, &admin, items);
    let wall = begin.elapsed();

    let status = admin.get(&format!("{path}/status")).expect(200).json();
    figure(
        "items asked about, with a kill in the middle",
        &format!("{:.0} items/s", items as f64 / wall.as_secs_f64()),
        &format!("{status}"),
    );
    memory(&resident);
    figure(
        "GET /home while providers are asked",
        &busy.show(),
        &format!(
            "p50 / p99 of {}; idle {}; p99 {:.1} × idle, budget 1.5",
            busy.len(),
            idle.show(),
            busy.at(99) / idle.at(99)
        ),
    );
    for (name, fake, wanted) in [("first", &first, items), ("second", &second, items / 2)] {
        let asked = fake.asked();
        figure(
            &format!("questions to the {name} provider"),
            &asked.len().to_string(),
            &format!(
                "of {wanted} to be asked {} twice, at most 1 a kill; {} in the fullest second, \
                 its pace is {PACE}",
                twice(&asked),
                fullest_second(&asked)
            ),
        );
    }
}

/// Creates files without metadata. The queries are made from their names.
fn sheets(media: &Path, items: u64) {
    for n in 0..items {
        let folder = media.join(format!("{:04}", n / OF_FOLDER));
        if n % OF_FOLDER == 0 {
            fs::create_dir_all(&folder).expect("a folder");
        }
        let name = format!("Anon - Tune {n:06}.abc");
        fs::write(folder.join(name), format!("X:1\nK:C\n% {n}\n")).expect("a file");
    }
}

/// Has a match for every second item.
fn half(asked: &Asked) -> Reply {
    let number = asked.path.rsplit("%20").next().unwrap_or_default();
    match number.parse::<u64>() {
        Ok(n) if n % 2 == 0 => Reply::json(&json!({ "works": [{
            "id": format!("SC{n}"), "title": format!("Tune {n:06}"), "authors": ["Anon"],
            "year": 1900, "description": "A tune.",
        }] })),
        _ => nothing(asked),
    }
}

fn nothing(_: &Asked) -> Reply {
    Reply::json(&json!({ "works": [] }))
}

fn seen(status: &Value) -> u64 {
    status["seen"].as_u64().unwrap_or(0)
}

/// States of a job over time, until it has processed `until` items.
struct Watched<'a> {
    admin: &'a Client,
    path: String,
    until: u64,
    begun: Instant,
    is_over: bool,
}

impl<'a> Watched<'a> {
    fn new(admin: &'a Client, path: &str, until: u64) -> Self {
        Self {
            admin,
            path: format!("{path}/status"),
            until,
            begun: Instant::now(),
            is_over: false,
        }
    }
}

impl Iterator for Watched<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if self.is_over {
            return None;
        }
        assert!(self.begun.elapsed() < MAX_WAIT, "it does not end");
        std::thread::sleep(PAUSE);
        let status = self.admin.get(&self.path).expect(200).json();
        self.is_over = seen(&status) >= self.until || status["status"] == "done";
        Some(status)
    }
}

/// Reports the memory at each quarter of the job.
fn memory(resident: &[(u64, f64)]) {
    let most = resident.last().map_or(0, |(seen, _)| *seen);
    let at = |quarter: u64| {
        let wanted = most * quarter / 4;
        let found = resident.iter().find(|(seen, _)| *seen >= wanted);
        found.map_or(0.0, |(_, mb)| *mb)
    };
    let quarters: Vec<String> = (1..=4).map(|n| format!("{:.0}", at(n))).collect();
    let largest = resident.iter().map(|(_, mb)| *mb).fold(0.0, f64::max);
    figure(
        "resident memory at each quarter of the walk",
        &format!("{} MB", quarters.join(" ")),
        &format!("{largest:.0} MB at most; it does not grow with the items"),
    );
}

/// Returns the number of queries that were sent more than once.
fn twice(asked: &[Asked]) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in asked {
        *counts.entry(one.path.as_str()).or_default() += 1;
    }
    counts.values().filter(|count| **count > 1).count()
}

/// Returns the maximum number of queries within a second.
fn fullest_second(asked: &[Asked]) -> usize {
    let mut times: Vec<Instant> = asked.iter().map(|one| one.at).collect();
    times.sort_unstable();
    let mut first = 0;
    let mut most = 0;
    for (last, time) in times.iter().enumerate() {
        while time.duration_since(times[first]) >= Duration::from_secs(1) {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}
