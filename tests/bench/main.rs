//! Benchmark of the real executable with a synthetic library. Each figure is printed with a floor
//! that was measured in the same run. Only ratios and CPU times are reliable. Wall time on a shared
//! machine is printed only together with a comparison measured at the same time.

#![expect(
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark that finds nothing at an index stops, as it should"
)]

mod beside;
mod books;
mod covers;
mod edits;
mod enriching;
mod pages;
mod lists {
    pub(crate) mod collections;
    pub(crate) mod playlists;
    pub(crate) mod statistics;
}
mod search {
    pub(crate) mod cost;
    pub(crate) mod matches;
    pub(crate) mod vocabulary;
}
mod prepare;
mod protocols;
mod recordings;
mod scanning;
mod streaming;
mod videos;

mod measure {
    pub(crate) mod floor;
    pub(crate) mod hello;
    pub(crate) mod latency;
    pub(crate) mod load;
    pub(crate) mod machine;
}

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ledge_tests::server::program;

use crate::measure::{hello, machine};

/// Parameters of the benchmark.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Number of items in the synthetic library. With 0, only enrichment is measured.
    pub(crate) items: u64,
    /// Folder for generated files and the catalogue. Existing content is reused.
    pub(crate) keep: Option<PathBuf>,
    /// Gigabytes to stream.
    pub(crate) gigabytes: u64,
    /// Number of items to enrich.
    pub(crate) asked: u64,
    /// Parts to measure. Empty for all.
    only: Vec<String>,
}

/// Parts that need no large library.
const APART: [&str; 8] = [
    "start",
    "cover",
    "recordings",
    "search-cost",
    "statistics",
    "videos",
    "streams",
    "vocabulary",
];
/// Parts that use the synthetic library.
const TOGETHER: [&str; 12] = [
    "restart",
    "pages",
    "own-lists",
    "facets",
    "search",
    "protocols",
    "edits",
    "rescan",
    "beside",
    "books",
    "covers",
    "logins",
];

impl Plan {
    fn has(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one == part)
    }
}

/// Idle time after which the server has freed its caches.
const REST: std::time::Duration = std::time::Duration::from_secs(20);

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(hello::SERVE) {
        return hello::serve();
    }
    let plan = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(problem) => {
            report(&format!(
                "{problem}\nusage: ledge-bench [--items N] [--keep DIR] [--gigabytes N] \
                 [--asked N] [--only PART,PART]\nparts: {}",
                [APART.as_slice(), &TOGETHER].concat().join(" ")
            ));
            return ExitCode::from(2);
        }
    };
    let ledge = program("ledge");
    if plan.items == 0 {
        enriching::measure(plan.asked);
        return ExitCode::SUCCESS;
    }
    report(&format!(
        "{} items in 5 libraries, {}",
        plan.items,
        machine::describe()
    ));
    apart(&ledge, &plan);
    if TOGETHER.iter().any(|part| plan.has(part)) {
        together(&ledge, &plan);
    }
    if plan.gigabytes > 0 && plan.has("streams") {
        streaming::measure(&ledge, &plan);
    }
    if plan.asked > 0 && plan.only.is_empty() {
        enriching::measure(plan.asked);
    }
    report(&machine::describe());
    ExitCode::SUCCESS
}

/// Measures the parts that need no large library.
fn apart(ledge: &Path, plan: &Plan) {
    if plan.has("start") {
        machine::program_size(ledge);
        machine::start_time(ledge);
    }
    if plan.has("cover") {
        covers::one();
    }
    if plan.has("recordings") {
        recordings::measure(ledge);
    }
    if plan.has("search-cost") {
        search::cost::measure(ledge);
    }
    if plan.has("statistics") {
        lists::statistics::measure(ledge);
    }
    if plan.has("videos") {
        videos::one();
    }
    if plan.has("vocabulary") {
        search::vocabulary::measure(plan.items);
    }
}

/// Measures the parts that use the synthetic library.
fn together(ledge: &Path, plan: &Plan) {
    let mut library = prepare::library(ledge, plan);
    if plan.has("restart") {
        machine::restart_time(&mut library.server);
    }
    machine::warm(&library.server.database());
    if plan.has("pages") {
        pages::measure(&library);
    }
    if plan.has("own-lists") {
        pages::own_lists(&library);
    }
    if plan.has("facets") {
        pages::facets(&library);
    }
    if plan.has("search") {
        search::matches::measure(&library);
    }
    if plan.has("protocols") {
        protocols::measure(&library);
    }
    if plan.has("pages") {
        let pid = library.server.pid();
        machine::memory("after the pages", pid, "budget 40 MB");
        machine::wait(REST);
        machine::memory("after the pages and a rest", pid, "budget 40 MB");
    }
    if plan.has("edits") {
        edits::measure(&library);
    }
    if plan.has("rescan") {
        scanning::rescan(&library);
    }
    if plan.has("beside") {
        beside::measure(&library);
    }
    if plan.has("books") {
        books::first_scan(&library);
    }
    if plan.has("covers") {
        covers::beside(&library);
    }
    if plan.has("logins") {
        machine::restart_time(&mut library.server);
        machine::logins(&library.server);
    }
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan {
        items: 100_000,
        keep: None,
        gigabytes: 8,
        asked: 10_000,
        only: Vec::new(),
    };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let number = || {
            value
                .parse()
                .map_err(|_| format!("{name}: {value} is no number"))
        };
        match name.as_str() {
            "--items" => plan.items = number()?,
            "--gigabytes" => plan.gigabytes = number()?,
            "--asked" => plan.asked = number()?,
            "--only" => plan.only = parts(&value)?,
            "--keep" => plan.keep = Some(value.into()),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(plan)
}

fn parts(value: &str) -> Result<Vec<String>, String> {
    let parts: Vec<String> = value.split(',').map(str::to_owned).collect();
    match parts.iter().find(|part| {
        ![APART.as_slice(), &TOGETHER]
            .concat()
            .contains(&part.as_str())
    }) {
        Some(part) => Err(format!("there is no part {part}")),
        None => Ok(parts),
    }
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "printing is what a benchmark is for")]
pub(crate) fn report(line: &str) {
    println!("{line}");
}

/// Prints a figure with its budget or floor.
pub(crate) fn figure(name: &str, value: &str, beside: &str) {
    report(&format!("{name:<44} {value:>22}   {beside}"));
}
