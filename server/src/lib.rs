//! The server of Ledge: command line, configuration, routes, sessions, embedded web UI.

#![deny(unused_crate_dependencies)]

mod cli;
mod config;
mod connection;
mod first_password;
mod folder;
mod job_kinds;
mod metrics;
mod middleware;
mod openapi;
mod plugins;
mod router;
mod routes;
mod serve;
mod session;
mod site;
#[cfg(test)]
mod test_app;
mod ui;
mod version;

pub use cli::main;
pub use metrics::Metrics;
pub use router::router;
pub use session::Gate;
pub use session::csrf::PublicUrl;
pub use site::Site;
