//! Where the log goes: standard error, as text or JSON.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Libraries that log what goes over the wire, tokens and keys included: whatever is asked for,
/// they stay silent.
const TALKATIVE: [&str; 2] = ["ureq=off", "ureq_proto=off"];

fn filter(config: &Config) -> EnvFilter {
    let quiet = |filter: EnvFilter, directive: &&str| {
        filter.add_directive(directive.parse().expect("a directive"))
    };
    TALKATIVE.iter().fold(EnvFilter::new(&config.log), quiet)
}

/// Starts the log. The filter was checked with the configuration.
pub(crate) fn start(config: &Config) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(config))
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    // Two servers in one process, as in tests, share the log of the first.
    let _ = match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
