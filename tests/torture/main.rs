//! Stress tests of the real executable: kills, many clients, stalled connections, invalid requests
//! and full disks. Prints each step and its result. Fails if an acknowledged write is lost.

#![expect(
    clippy::indexing_slicing,
    reason = "a harness that finds nothing at an index stops, as it should"
)]

mod crowd;
mod frozen;
mod full;
mod hostile;
mod kills;
mod load;
mod steady;
mod stop;

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Parameters of the stress tests.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Number of kills.
    kills: u32,
    /// Number of concurrent clients.
    clients: usize,
    /// Number of invalid requests.
    nonsense: u32,
    /// Duration of the load in minutes.
    minutes: u64,
    /// `true` to run only the load.
    is_load_only: bool,
}

const USAGE: &str = "usage: ledge-torture [--kills N] [--clients N] [--nonsense N] [--minutes N] [--seed N] \
     [--only-load]";

fn main() -> ExitCode {
    let (plan, seed) = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(problem) => {
            say(&format!("{problem}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    let begin = Instant::now();
    say(&format!("seed {seed}"));
    if !plan.is_load_only {
        kills::survive(&plan, seed);
        stop::under_load(seed);
        crowd::wait_on(&plan);
        crowd::slow();
        hostile::answer(&plan, seed);
        full::disk();
        frozen::disk();
    }
    steady::memory(&plan, seed);
    say(&format!("all of it in {} s", begin.elapsed().as_secs()));
    ExitCode::SUCCESS
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Result<(Plan, u64), String> {
    let mut plan = Plan {
        kills: 200,
        clients: 500,
        nonsense: 10_000,
        minutes: 5,
        is_load_only: false,
    };
    let mut seed = 1;
    while let Some(name) = arguments.next() {
        if name == "--only-load" {
            plan.is_load_only = true;
            continue;
        }
        let value: u64 = arguments
            .next()
            .and_then(|value| value.parse().ok())
            .ok_or_else(|| format!("{name}: a number is missing"))?;
        let small = || u32::try_from(value).map_err(|_| format!("{name}: {value} is too much"));
        match name.as_str() {
            "--kills" => plan.kills = small()?,
            "--clients" => plan.clients = small()? as usize,
            "--nonsense" => plan.nonsense = small()?,
            "--minutes" => plan.minutes = value,
            "--seed" => seed = value,
            _ => return Err(format!("{name}: unknown")),
        }
    }
    Ok((plan, seed))
}

/// Prints a result.
pub(crate) fn say(line: &str) {
    use std::io::Write;
    // The output may be closed.
    let _ = writeln!(std::io::stdout(), "{line}");
}

pub(crate) fn rest(milliseconds: u64) {
    std::thread::park_timeout(Duration::from_millis(milliseconds));
}

/// Deterministic random numbers: SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.throw() % end.max(1)
    }

    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(all.len() as u64)).expect("a place in memory");
        &all[at]
    }
}
