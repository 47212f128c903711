//! Audiobookshelf's `metadata.json`.

use ledge_core::enrich::{loose, shape};
use ledge_core::markup::text;
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{AskError, Candidate};
use serde_json::Value;

/// Reads the file; `None` where it tells no title.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Candidate>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("it is no JSON, at line {}", error.line()))?;
    // Older versions keep all but tags and chapters one level deeper.
    let inside = value
        .get("metadata")
        .filter(|_| value.get("title").is_none());
    candidate(inside.unwrap_or(&value)).map_err(|error| error.to_string())
}

fn candidate(value: &Value) -> Result<Option<Candidate>, AskError> {
    // Of a book without a title, the program writes `null`.
    let title = match shape::object(value)?.get("title") {
        Some(Value::Null) => None,
        _ => shape::text(value, "title")?,
    };
    let Some(title) = title else {
        return Ok(None);
    };
    let people = |field: &str, role: &str| -> Vec<Credit> {
        let names = loose::list(value, field).filter_map(name);
        names
            .map(|name| Credit {
                name,
                role: role.to_owned(),
            })
            .collect()
    };
    Ok(Some(Candidate {
        title,
        subtitle: loose::line(value, "subtitle"),
        authors: [people("authors", "author"), people("narrators", "narrator")].concat(),
        year: loose::year(value, "publishedYear").or_else(|| loose::year(value, "publishedDate")),
        description: loose::long(value, "description"),
        isbns: loose::lines(value, "isbn"),
        languages: loose::lines(value, "language"),
        series: loose::list(value, "series").find_map(series),
        ..Candidate::default()
    }))
}

/// A name, or an object that has one.
fn name(value: &Value) -> Option<String> {
    loose::as_line(value).or_else(|| loose::line(value, "name"))
}

/// `The Expanse #1`, or an object with the two.
fn series(value: &Value) -> Option<Series> {
    let name = name(value)?;
    let number = loose::line(value, "sequence");
    let split = name.rsplit_once(" #");
    let (name, number) = match (number, split) {
        (Some(number), _) => (name, Some(number)),
        (None, Some((name, number))) => (name.trim().to_owned(), Some(number.to_owned())),
        (None, None) => (name, None),
    };
    (!name.is_empty()).then(|| Series {
        index: number.as_deref().and_then(text::number),
        name,
    })
}
