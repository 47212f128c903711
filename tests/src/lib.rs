//! Harness of the black-box tests and the benchmark: the real executable, and a client.

#![expect(
    clippy::indexing_slicing,
    reason = "a test that finds nothing at an index fails, as it should"
)]

pub mod client;
pub mod events;
pub mod fake;
pub mod server;
pub mod small_disk;

pub use client::{Answer, Client};
pub use fake::{After, Asked, Fake, Reply};
pub use server::Server;
pub use small_disk::SmallDisk;
