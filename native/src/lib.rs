//! What is asked of the C library and no safe crate offers: the only unsafe code.

mod allocator;

pub use allocator::{limit_arenas, return_free_memory};
