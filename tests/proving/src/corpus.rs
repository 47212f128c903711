//! Real files, with facts that other programs read from them.

#![expect(clippy::indexing_slicing, reason = "JSON is indexed without a panic")]
#![expect(
    clippy::print_stderr,
    reason = "whoever runs it wants to see each miss"
)]

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

use ledge_core::registry::reading::ReadTools;
use serde_json::Value;

use crate::damage::MAX_WAIT;

/// Tools without external programs, with the time limit of the tests.
pub static READ_TOOLS: LazyLock<ReadTools<'static>> = LazyLock::new(|| ReadTools {
    root: Path::new("/"),
    ffprobe: None,
    time_limit: MAX_WAIT,
});

/// Folder of real and hostile files, with a `manifest.json` of known facts.
#[derive(Debug)]
pub struct Corpus {
    /// Path of the folder.
    pub root: PathBuf,
    rows: Vec<Value>,
}

impl Corpus {
    /// Opens the corpus in `LEDGE_TEST_CORPUS`. Without it, prints that the test is skipped and
    /// returns `None`.
    pub fn open() -> Option<Self> {
        let Some(root) = std::env::var_os("LEDGE_TEST_CORPUS").map(PathBuf::from) else {
            eprintln!("skipped: LEDGE_TEST_CORPUS names no folder");
            return None;
        };
        let manifest = std::fs::read(root.join("manifest.json")).expect("a manifest");
        let mut manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
        let rows = manifest["rows"].take();
        Some(Self {
            root,
            rows: serde_json::from_value(rows).expect("rows"),
        })
    }

    /// Returns the paths below a folder, with the known facts of the files.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &Value)> {
        self.rows.iter().filter_map(move |row| {
            let path = row["path"].as_str()?;
            path.starts_with(folder).then_some((path, row))
        })
    }
}

/// Comparison of known facts with the read ones.
#[derive(Debug, Default)]
pub struct Tally {
    facts: usize,
    /// Differences: `path: fact`, and the read value.
    misses: Vec<(String, String)>,
}

impl Tally {
    /// Compares one fact. Durations may differ by a second.
    pub fn hold(&mut self, path: &str, fact: &str, expected: &Value, found: &Value) {
        self.facts += 1;
        let reach = if fact == "duration" { 1.0 } else { 1e-9 };
        let numbers = expected.as_f64().zip(found.as_f64());
        let is_near = numbers.is_some_and(|(a, b)| (a - b).abs() <= reach);
        if expected != found && !is_near {
            let miss = format!("is {found} instead of {expected}");
            self.misses.push((format!("{path}: {fact}"), miss));
        }
    }

    /// Records a file that could not be read.
    pub fn miss(&mut self, path: &str, error: &impl Display) {
        self.misses
            .push((format!("{path}: reading"), error.to_string()));
    }

    /// Asserts that there were more than `least` facts, and that the differences are exactly the
    /// explained exceptions: `path: fact` and the reason.
    pub fn end(self, least: usize, exceptions: &[(&str, &str)]) {
        for (key, found) in &self.misses {
            eprintln!("{key} {found}");
        }
        let right = self.facts.saturating_sub(self.misses.len());
        eprintln!("{right} of {} facts are right", self.facts);
        assert!(self.facts > least, "only {} facts", self.facts);
        let misses: BTreeSet<&str> = self.misses.iter().map(|(key, _)| key.as_str()).collect();
        let explained: BTreeSet<&str> = exceptions.iter().map(|(key, _)| *key).collect();
        let new: Vec<_> = misses.difference(&explained).collect();
        let gone: Vec<_> = explained.difference(&misses).collect();
        assert!(
            new.is_empty() && gone.is_empty(),
            "unexplained misses: {new:#?}\nexceptions that no longer occur: {gone:#?}"
        );
    }
}

/// Returns the result of reading a file. Prints its duration and asserts that it is within the
/// limit.
pub fn in_time<T>(path: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let found = read();
    let took = start.elapsed();
    assert!(took < MAX_WAIT, "{path} took {took:?}");
    eprintln!("{path}: {took:?}");
    found
}
