//! The server of Ledge: command line, configuration, routes, sessions, embedded web UI.

#![deny(unused_crate_dependencies)]

mod plugins;
