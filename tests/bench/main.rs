//! The benchmark: the real executable on a synthetic library, each figure beside a floor that was
//! measured in the same run. Ratios and CPU time are what counts; wall time on a shared machine
//! is told only where it is set against something that ran beside it.

#![expect(
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark that finds nothing at an index stops, as it should"
)]

mod beside;
mod books;
mod covers;
mod enriching;
mod floor;
mod latency;
mod load;
mod machine;
mod pages;
mod prepare;
mod recordings;
mod scanning;
mod search;
mod streaming;
mod videos;

use std::path::PathBuf;
use std::process::ExitCode;

use ledge_tests::server::program;

/// What to measure.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Items in the synthetic library; without any, only strangers are asked.
    pub(crate) items: u64,
    /// Folder for trees and catalogue: kept there, and used again where they are there.
    pub(crate) keep: Option<PathBuf>,
    /// Gigabytes streamed.
    pub(crate) gigabytes: u64,
    /// Items that strangers are asked about.
    pub(crate) asked: u64,
}

fn main() -> ExitCode {
    let plan = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(problem) => {
            report(&format!(
                "{problem}\nusage: ledge-bench [--items N] [--keep DIR] [--gigabytes N] \
                 [--asked N]"
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
    machine::program_size(&ledge);
    machine::start_time(&ledge);
    covers::one();
    recordings::measure(&ledge);
    videos::one();
    let mut library = prepare::library(&ledge, &plan);
    machine::restart_time(&mut library.server);
    pages::measure(&library);
    search::measure(&library);
    machine::memory("after the pages", library.server.pid(), "budget 40 MB");
    scanning::rescan(&library);
    beside::measure(&library);
    books::first_scan(&library);
    covers::beside(&library);
    machine::restart_time(&mut library.server);
    machine::logins(&library.server);
    drop(library);
    if plan.gigabytes > 0 {
        streaming::measure(&ledge, &plan);
    }
    if plan.asked > 0 {
        enriching::measure(plan.asked);
    }
    report(&machine::describe());
    ExitCode::SUCCESS
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan {
        items: 100_000,
        keep: None,
        gigabytes: 8,
        asked: 10_000,
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
            "--keep" => plan.keep = Some(value.into()),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(plan)
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "printing is what a benchmark is for")]
pub(crate) fn report(line: &str) {
    println!("{line}");
}

/// Prints a figure beside its budget or floor.
pub(crate) fn figure(name: &str, value: &str, beside: &str) {
    report(&format!("{name:<44} {value:>22}   {beside}"));
}
