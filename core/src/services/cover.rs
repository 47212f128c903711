//! Covers: finds a picture in a file or next to it, and stores it.

mod batch;
mod find;
mod job;
mod pace;
mod picture_cache;
mod work;

pub use job::{after_scan, run_job};
