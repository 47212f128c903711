//! Writer of the Prometheus text format.

use std::fmt::Write as _;
use std::time::Duration;

/// Incomplete text of the metrics.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    text: String,
}

impl Exposition {
    /// Starts a metric family: its help and its type.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Adds a sample with an integer value.
    pub(super) fn count(&mut self, name: &str, labels: &[(&str, &str)], value: u64) {
        self.write(format_args!("{name}"));
        for (index, (label, text)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            self.write(format_args!("{before}{label}=\"{}\"", escaped(text)));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        self.write(format_args!("{close} {value}\n"));
    }

    /// Adds a sample with a time in seconds.
    pub(super) fn seconds(&mut self, name: &str, value: Duration) {
        self.write(format_args!("{name} {}\n", value.as_secs_f64()));
    }

    /// Returns the complete text.
    pub(super) fn finish(self) -> String {
        self.text
    }

    fn write(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(what);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\\")
        .replace('"', r#"\""#)
        .replace('\n', r"\n")
}
