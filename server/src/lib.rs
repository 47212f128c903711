//! The server of Ledge: command line, configuration, routes, sessions, embedded web UI.

#![deny(unused_crate_dependencies)]

mod cli;
mod config;
mod first_password;
mod http;
mod plugins;
mod serve;
mod version;

pub use cli::main;
pub use http::router::router;
pub use http::service::Service;
pub use http::session::SessionService;
pub use http::session::csrf::PublicUrl;
pub use serve::metrics::Metrics;

/// The allocator of every executable that links this crate, also for SQLite. It returns freed
/// memory to the system soon; glibc keeps it between blocks in use, in one arena per thread.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
