//! The library scanner. Its stages are walk, diff, group, read, apply and finish. It never writes to
//! media folders. A scan may be killed at any point: the next scan completes the work.

mod apply;
mod diff;
mod finish;
mod group;
mod identity;
mod read;
mod rules;
mod run;
mod stages;
mod walk;

pub use run::Stop;
pub use run::job::{cancel, is_running, request, request_some, run_job};
pub use stages::{Scan, scan};
pub use walk::scope::{Folders, Scope};
