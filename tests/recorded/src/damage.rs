//! Answers with damage: every value of another type, and bytes changed at random, the same ones in
//! every run. `LEDGE_MUTATIONS` says how many changed states are tried.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest that reading an answer may take in a test.
const SOON: Duration = Duration::from_secs(5);

/// Reads an answer with each of its values in turn left out, null, of another type, or endless.
///
/// # Panics
/// If reading takes too long, or panics itself.
pub fn values(seed: &Value, mut read: impl FnMut(&Value)) {
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(9_223_372_036_854_775_807_i64),
        json!(1e300),
        json!(""),
        json!("\u{0}\u{202e}\u{feff}"),
        json!("x".repeat(1 << 20)),
        json!([]),
        json!([null, [], {}, "x", 1]),
        json!(vec!["x"; 50_000]),
        json!({}),
        json!({"key": {"value": [{}]}}),
    ];
    for path in paths(seed) {
        for value in &odd {
            let mut changed = seed.clone();
            if let Some(place) = changed.pointer_mut(&path) {
                *place = value.clone();
            }
            let start = Instant::now();
            read(&changed);
            assert!(start.elapsed() < SOON, "{path} took {:?}", start.elapsed());
        }
    }
}

/// The paths of all values of an answer, as JSON pointers.
fn paths(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut below = |key: &str, value: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        found.extend(paths(value).iter().map(|path| format!("/{key}{path}")));
    };
    match value {
        Value::Array(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                below(&at.to_string(), entry);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                below(key, value);
            }
        }
        _ => {}
    }
    found
}

/// Reads bytes with one to eight changes, many times.
///
/// # Panics
/// If reading takes too long, or panics itself.
pub fn bytes(seed: &[u8], mut read: impl FnMut(&[u8])) {
    let rounds = std::env::var("LEDGE_MUTATIONS").ok();
    let rounds = rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1_000);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        let changed = numbers.changed(seed);
        let start = Instant::now();
        read(&changed);
        assert!(
            start.elapsed() < SOON,
            "round {round} took {:?}",
            start.elapsed()
        );
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = b"\0\x01\x7f\x80\xff<>&\"/[]{},:-0129";
        match self.next(3) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    fn changed(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for _ in 0..=self.next(8) {
            let at = self.next(bytes.len());
            let end = (at + self.next(24)).min(bytes.len());
            match self.next(6) {
                0..=2 if !bytes.is_empty() => bytes[at] = self.byte(),
                3 => bytes.insert(at, self.byte()),
                4 => drop(bytes.drain(at..end)),
                5 => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => {}
            }
        }
        bytes
    }
}
