//! What is stored: one module per noun, the SQL beside the function that runs it.

pub mod error;
pub mod job;

pub use error::{StoreError, StoreResult};
