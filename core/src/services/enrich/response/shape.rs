//! Validation of the structure of provider responses.
//!
//! A response that differs from the provider's documentation is a failure and is retried. It must
//! not count as "not found", because that answer stays valid for weeks. Optional fields are still
//! read leniently (`lenient_json`).

use serde_json::{Map, Value};

use super::lenient_json;
use crate::registry::provider::AskError;

/// Returns the error for an answer that is not as documented. `what` continues a sentence.
pub fn unexpected(what: &str) -> AskError {
    AskError::Malformed(format!("the answer is not as documented: {what}"))
}

/// Returns the fields of an object.
pub fn object(value: &Value) -> Result<&Map<String, Value>, AskError> {
    value
        .as_object()
        .ok_or_else(|| unexpected(&format!("an object is expected, and it is {}", kind(value))))
}

/// Returns the entries of a response that is a list.
pub fn entries(value: &Value) -> Result<&[Value], AskError> {
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| unexpected(&format!("a list is expected, and it is {}", kind(value))))
}

/// Returns the entries of a field that must be a list.
pub fn list<'a>(value: &'a Value, field: &str) -> Result<&'a [Value], AskError> {
    match object(value)?.get(field) {
        Some(Value::Array(entries)) => Ok(entries),
        Some(other) => Err(unexpected(&format!("`{field}` is {}", kind(other)))),
        None => Err(unexpected(&format!("it has no `{field}`"))),
    }
}

/// Returns a field's text on one line; `None` where it is absent or blank. Numbers count as text.
pub fn text(value: &Value, field: &str) -> Result<Option<String>, AskError> {
    match object(value)?.get(field) {
        None => Ok(None),
        Some(found @ (Value::String(_) | Value::Number(_))) => Ok(lenient_json::as_line(found)),
        Some(other) => Err(unexpected(&format!("`{field}` is {}", kind(other)))),
    }
}

/// Reads up to `most` entries. An entry that cannot be read is skipped if another one can be.
///
/// # Errors
/// The first error, if no entry could be read.
pub fn read_entries<T>(
    entries: &[Value],
    most: usize,
    read: impl Fn(&Value) -> Result<Option<T>, AskError>,
) -> Result<Vec<T>, AskError> {
    let mut found = Vec::new();
    let mut failure = None;
    for entry in entries {
        if found.len() == most {
            break;
        }
        match read(entry) {
            Ok(entry) => found.extend(entry),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        Some(error) if found.is_empty() => Err(error),
        _ => Ok(found),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_entries_are_skipped_if_another_is_valid() {
        let read = |value: Value, most| {
            let entries = value.as_array().expect("a list").clone();
            read_entries(&entries, most, |entry| text(entry, "name"))
        };
        let names = |names: &[&str]| -> Result<Vec<String>, AskError> {
            Ok(names.iter().map(|name| (*name).to_owned()).collect())
        };
        assert_eq!(read(json!([]), 9), names(&[]));
        assert_eq!(read(json!([{}, { "name": " " }]), 9), names(&[]));
        assert_eq!(read(json!([null, { "name": "a" }, 5]), 9), names(&["a"]));
        assert_eq!(
            read(json!([{ "name": "a" }, { "name": 2 }, { "name": "c" }]), 2),
            names(&["a", "2"])
        );
        for malformed in [json!([null]), json!([{ "name": [] }, {}]), json!([[], "x"])] {
            assert!(read(malformed.clone(), 9).is_err(), "{malformed}");
        }
    }

    #[test]
    fn errors_name_the_field_and_do_not_quote_the_answer() {
        for (value, expected) in [
            (json!({ "docs": { "secret": 1 } }), "`docs` is an object"),
            (json!({ "error": "secret" }), "it has no `docs`"),
            (json!(["secret"]), "an object is expected, and it is a list"),
            (json!(null), "an object is expected, and it is null"),
        ] {
            let error = list(&value, "docs").expect_err("malformed").to_string();
            assert!(
                error.ends_with(expected) && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
