//! Covers: finds a picture in a file or next to it, and stores it.

mod batch;
mod candidates;
mod find;
mod job;
mod pace;
mod picture_cache;
mod work;

pub use candidates::candidates_unscoped;
pub use job::{after_scan, run_job};
