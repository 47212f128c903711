//! JSON of strangers, read loosely: a field may be absent, null, of another type or endless, and
//! is then simply not known.

use serde_json::Value;

use crate::markup::text;

/// Most entries of a list that are looked at.
const MOST: usize = 100;

/// A field's text on one line; numbers count as text.
pub fn line(value: &Value, field: &str) -> Option<String> {
    as_line(value.get(field)?)
}

/// A value's text on one line; numbers count as text.
pub fn as_line(value: &Value) -> Option<String> {
    match value {
        Value::String(said) => text::line(said),
        Value::Number(said) => Some(said.to_string()),
        _ => None,
    }
}

/// A field's text as it is, cut where no sound text goes on.
pub fn long(value: &Value, field: &str) -> Option<String> {
    const LONGEST: usize = 100_000;
    let said = text::first(value.get(field)?.as_str()?, LONGEST).trim();
    (!said.is_empty()).then(|| said.to_owned())
}

/// The entries of a field that is a list; whatever else stands there alone is a list of one.
pub fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let found = match value.get(field) {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(Value::Null) | None => &[],
        Some(single) => std::slice::from_ref(single),
    };
    found.iter().take(MOST)
}

/// The texts of a list.
pub fn lines(value: &Value, field: &str) -> Vec<String> {
    list(value, field).filter_map(as_line).collect()
}

/// A field's whole number, also where it is written as text.
pub fn integer(value: &Value, field: &str) -> Option<i64> {
    as_integer(value.get(field)?)
}

/// A value's whole number, also where it is written as text.
pub fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(said) => said.as_i64(),
        Value::String(said) => said.trim().parse().ok(),
        _ => None,
    }
}

/// The year in a date however it is written, 1000 to 2999: `1965`, `2004-05-03`, `May 3, 2004`.
pub fn year(value: &Value, field: &str) -> Option<i32> {
    year_in(&line(value, field)?)
}

/// The first number of four digits from 1000 to 2999.
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
    fn what_is_of_another_type_is_not_known() {
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
    fn years_are_found_in_dates() {
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
    fn endless_lists_and_texts_end() {
        let value = json!({ "list": vec!["x"; 100_000], "text": "é".repeat(1 << 20) });
        assert_eq!(lines(&value, "list").len(), MOST);
        assert!(long(&value, "text").expect("text").len() <= 200_000);
        assert!(line(&value, "text").expect("text").chars().count() <= 1000);
    }
}
