//! The scanner: walk, prepare, apply, finish. It only ever reads the media folders, and can be
//! killed at any instruction: the next scan completes what this one began.

mod apply;
mod batch;
mod change;
mod contested;
pub mod disk;
mod fields;
mod fingerprint;
mod finish;
mod grouped;
mod grouping;
mod identity;
mod job;
pub mod name;
mod notes;
mod parts;
mod prepare;
mod read;
mod room;
mod rules;
mod run;
mod scope;
mod seen;
mod stages;
mod walk;

pub use job::{HANDLER_KIND, cancel, is_running, request, request_some, run_job};
pub(crate) use read::is_unreadable;
pub use run::Stop;
pub(crate) use run::error_line;
pub use scope::{Folders, Scope};
pub use stages::{Scan, scan};
