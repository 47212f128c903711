//! Log output to standard error, as text or JSON.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Targets of libraries that log transmitted data, including tokens and keys. They are silenced for
/// every configured filter.
const TALKATIVE: [&str; 2] = ["reqwest=off", "hyper_util=off"];

fn filter(config: &Config) -> EnvFilter {
    let quiet = |filter: EnvFilter, directive: &&str| {
        filter.add_directive(directive.parse().expect("a directive"))
    };
    TALKATIVE.iter().fold(EnvFilter::new(&config.log), quiet)
}

/// Starts the log. The filter has been validated with the configuration.
pub(crate) fn start(config: &Config) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(config))
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    // Several servers in one process, as in tests, share the log of the first one.
    let _ = match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
