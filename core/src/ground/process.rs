//! Other programs and child processes: readers of untrusted files run there with limits.

pub mod ffprobe;
mod priority;
mod subprocess;
pub mod worker;

pub(crate) use priority::lower_priority;

/// Returns the number of cores that this process may use, or 1 if it is unknown.
pub fn available_parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
