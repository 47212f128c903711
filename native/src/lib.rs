//! What is asked of the C library and the kernel, and no safe crate offers: the only unsafe code.

mod allocator;
mod scheduler;

pub use allocator::{limit_arenas, return_free_memory};
pub use scheduler::{set_slice, slice};
