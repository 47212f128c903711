//! Pages of items at every depth, and the cost of an item page, beside an answer that asks nothing.

use std::time::{Duration, Instant};

use ledge_tests::Client;

use crate::scanning::Scanned;
use crate::{figure, machine};

const ROUNDS: usize = 200;

/// Measures lists, letters and details.
pub(crate) fn measure(scanned: &Scanned) {
    let admin = &scanned.admin;
    let total = admin.get("/items?limit=1").expect(200).json()["total"]
        .as_u64()
        .unwrap_or(0);
    let floor = latencies(admin, |_| "/version".to_owned());
    figure("GET /version, the floor", &show(&floor), "p50 / p99");
    for sort in ["title", "added", "year", "author", "series", "random"] {
        for share in [0, 50, 90] {
            let offset = total * share / 100;
            let times = latencies(admin, |n| {
                format!(
                    "/items?sort={sort}&seed=7&offset={}",
                    offset + n as u64 % 50
                )
            });
            let budget = if share == 0 { "1 ms" } else { "60 ms" };
            figure(
                &format!("GET /items sort={sort} at {share} %"),
                &show(&times),
                &format!("p50 / p99; budget p99 {budget}"),
            );
        }
    }
    let times = latencies(admin, |_| "/items/letters".to_owned());
    figure("GET /items/letters", &show(&times), "p50 / p99");
    detail(scanned, total);
}

fn detail(scanned: &Scanned, total: u64) {
    let pid = scanned.server.pid();
    let cost = |path: &dyn Fn(u64) -> String| {
        let before = machine::cpu(pid);
        for n in 0..5000 {
            let _ = scanned.admin.get(&path(n));
        }
        machine::cpu_since(pid, before).as_micros() as f64 / 5000.0
    };
    let floor = cost(&|_| "/version".to_owned());
    let item = cost(&|n| format!("/items/{}", 1 + n * 7919 % total.max(1)));
    figure(
        "GET /items/ID, CPU",
        &format!("{item:.0} µs"),
        &format!("budget 60 µs; GET /version {floor:.0} µs"),
    );
}

/// The times of many requests, sorted.
pub(crate) fn latencies(client: &Client, path: impl Fn(usize) -> String) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|n| {
            let path = path(n);
            let begin = Instant::now();
            let answer = client.get(&path);
            let time = begin.elapsed();
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            time
        })
        .collect();
    times.sort();
    times
}

/// Median and 99th percentile.
pub(crate) fn show(times: &[Duration]) -> String {
    let at = |share: usize| {
        let place = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    format!("{:.2} / {:.2} ms", at(50), at(99))
}
