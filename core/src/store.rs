//! What is stored: one module per noun, the SQL beside the function that runs it.

pub mod error;
pub mod item;
pub mod job;
pub mod library;
pub mod location;
pub mod location;
pub mod missing;
pub mod purge;
pub mod session;
pub mod user;

pub use error::{StoreError, StoreResult};
