//! The harness of the black-box tests and the benchmark: the real executable, and a client.

pub mod client;
pub mod server;

pub use client::{Answer, Client};
pub use server::Server;
