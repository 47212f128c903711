//! Lenient reader for untrusted JSON. A field that is absent, null, of another type or too long
//! counts as unknown.

use serde_json::Value;

use crate::text::markup::text;

/// Maximum number of list entries that are read.
const MOST: usize = 100;

/// Returns the text of a field on one line. Numbers count as text.
pub fn line(value: &Value, field: &str) -> Option<String> {
    as_line(value.get(field)?)
}

/// Returns the text of a value on one line. Numbers count as text.
pub fn as_line(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => text::line(text),
        Value::Number(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Returns the text of a field, trimmed and limited to a maximum length.
pub fn long(value: &Value, field: &str) -> Option<String> {
    const LONGEST: usize = 100_000;
    let text = text::first(value.get(field)?.as_str()?, LONGEST).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the entries of a list field. Any other value counts as a list of one.
pub fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let found = match value.get(field) {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(Value::Null) | None => &[],
        Some(single) => std::slice::from_ref(single),
    };
    found.iter().take(MOST)
}

/// Returns the texts of a list field.
pub fn lines(value: &Value, field: &str) -> Vec<String> {
    list(value, field).filter_map(as_line).collect()
}

/// Returns the integer of a field. A decimal string counts as an integer.
pub fn integer(value: &Value, field: &str) -> Option<i64> {
    as_integer(value.get(field)?)
}

/// Returns the integer of a value. A decimal string counts as an integer.
pub fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(text) => text.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Returns the year (1000 to 2999) in a date of any format: `1965`, `2004-05-03`, `May 3, 2004`.
pub fn year(value: &Value, field: &str) -> Option<i32> {
    year_in(&line(value, field)?)
}

/// Returns the first number of four digits between 1000 and 2999.
pub fn year_in(date: &str) -> Option<i32> {
    date.split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .filter_map(|digits| digits.parse().ok())
        .find(|year| (1000..=2999).contains(year))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn field_of_other_type_is_unknown() {
        let value = json!({
            "text": " a\n b ", "number": 3, "list": ["x", 1, null, {}], "none": null,
            "object": {}, "blank": " ", "as_text": "17", "fraction": 1.5,
        });
        assert_eq!(line(&value, "text").as_deref(), Some("a b"));
        assert_eq!(line(&value, "number").as_deref(), Some("3"));
        for field in ["list", "none", "object", "blank", "absent"] {
            assert_eq!(line(&value, field), None, "{field}");
            assert_eq!(integer(&value, field), None, "{field}");
        }
        assert_eq!(lines(&value, "list"), ["x", "1"]);
        assert_eq!(lines(&value, "text"), ["a b"]);
        assert_eq!(lines(&value, "none"), [""; 0]);
        assert_eq!(integer(&value, "as_text"), Some(17));
        assert_eq!(integer(&value, "fraction"), None);
        assert_eq!(line(&json!([1]), "text"), None);
    }

    #[test]
    fn year_is_found_in_any_date_format() {
        for (date, expected) in [
            (json!("1965"), Some(1965)),
            (json!(1965), Some(1965)),
            (json!("2004-05-03"), Some(2004)),
            (json!("May 3, 2004"), Some(2004)),
            (json!("19??"), None),
            (json!("0099"), None),
            (json!(99_999), None),
            (json!(null), None),
        ] {
            assert_eq!(year(&json!({ "date": date }), "date"), expected, "{date}");
        }
    }

    #[test]
    fn long_lists_and_texts_are_truncated() {
        let value = json!({ "list": vec!["x"; 100_000], "text": "é".repeat(1 << 20) });
        assert_eq!(lines(&value, "list").len(), MOST);
        assert!(long(&value, "text").expect("text").len() <= 200_000);
        assert!(line(&value, "text").expect("text").chars().count() <= 1000);
    }
}
