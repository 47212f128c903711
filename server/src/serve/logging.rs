//! Where the log goes: standard error, as text or JSON.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Starts the log. The filter was checked with the configuration.
pub(crate) fn start(config: &Config) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&config.log))
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    // Two servers in one process, as in tests, share the log of the first.
    let _ = match config.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
