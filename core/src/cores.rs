//! How much of the machine there is.

/// How many cores this process may use; 1 where that cannot be told.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
