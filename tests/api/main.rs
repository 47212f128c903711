//! Black-box tests: the real executable, over HTTP and its command line. One file per resource.

mod access;
mod cli;
mod crash;
mod plugins;
mod scans;
mod schema;
