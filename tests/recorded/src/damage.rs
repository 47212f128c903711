//! Damaged responses: every value with another type, and random changes of bytes.

use std::time::Instant;

use ledge_proving::MAX_WAIT;
use serde_json::{Value, json};

pub use ledge_proving::survives as bytes;

/// Reads a response with each of its values in turn removed, null, of another type, or very long.
///
/// # Panics
///
/// Panics if a read is too slow or panics itself.
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
            assert!(
                start.elapsed() < MAX_WAIT,
                "{path} took {:?}",
                start.elapsed()
            );
        }
    }
}

/// Returns the paths of all values of a response, as JSON pointers.
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
