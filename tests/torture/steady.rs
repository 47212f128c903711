//! Memory during a long load, printed every five minutes.

use std::time::{Duration, Instant};

use crate::load::{Crew, World, compare};
use crate::{Plan, rest, say};

/// Interval of the output.
const REPORT_INTERVAL: Duration = Duration::from_mins(5);

fn resident_mb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

pub(crate) fn memory(plan: &Plan, seed: u64) {
    let world = World::new(&[]);
    let crew = Crew::begin(&world, Vec::new(), seed);
    let end = Instant::now() + Duration::from_secs(60 * plan.minutes);
    let mut samples = Vec::new();
    let mut next = Instant::now() + REPORT_INTERVAL;
    while Instant::now() < end {
        if Instant::now() >= next {
            next += REPORT_INTERVAL;
            say(&format!(
                "resident memory {} MB",
                samples.last().unwrap_or(&0)
            ));
        }
        for _ in 0..50 {
            world.admin.get("/home").expect(200);
            world.admin.get("/search?q=title").expect(200);
        }
        samples.push(resident_mb(world.server.pid()));
        rest(200);
    }
    let (mut ledgers, writes, others) = crew.end();
    compare(&world.admin, &mut ledgers);
    let quarter = samples.len().div_ceil(4).max(1);
    let mean = |part: &[u64]| part.iter().sum::<u64>() / (part.len() as u64).max(1);
    let of = |n: usize| samples.chunks(quarter).nth(n).map_or(0, mean);
    say(&format!(
        "{} minutes of load: {writes} writes, {} scans, {} backups; resident memory by quarters {} \
         {} {} {} MB",
        plan.minutes,
        others[0],
        others[1],
        of(0),
        of(1),
        of(2),
        of(3),
    ));
}
