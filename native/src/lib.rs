//! What is asked of the C library and no safe crate offers: the only unsafe code.

mod allocator;
mod scheduling;

pub use allocator::{limit_arenas, return_free_memory};
pub use scheduling::{ThreadNumber, come_forward, is_ordinary, stand_back, this_thread};
