//! Parser for Audiobookshelf's `metadata.json`.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{AskError, Candidate, ChapterDetails, Details, ExternalId};
use ledge_core::text::markup::text;
use serde_json::Value;

use crate::node;

/// Most chapters that are read.
const MAX_CHAPTERS: usize = 2_000;

/// Parses the file. Returns `None` if it contains no title.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<Candidate>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| format!("it is not valid JSON, at line {}", error.line()))?;
    // Older versions of Audiobookshelf nest everything except tags and chapters under `metadata`.
    let inside = value
        .get("metadata")
        .filter(|_| value.get("title").is_none());
    let candidate = candidate(inside.unwrap_or(&value)).map_err(|error| error.to_string())?;
    Ok(candidate.map(|mut candidate| {
        candidate.details.chapters = chapters(&value);
        candidate
    }))
}

fn candidate(value: &Value) -> Result<Option<Candidate>, AskError> {
    // Audiobookshelf writes `null` for a book without a title.
    let title = match shape::object(value)?.get("title") {
        Some(Value::Null) => None,
        _ => shape::text(value, "title")?,
    };
    let Some(title) = title else {
        return Ok(None);
    };
    let people = |field: &str, role: &str| -> Vec<Credit> {
        let names = lenient_json::list(value, field).filter_map(name);
        names
            .map(|name| Credit {
                name,
                role: role.to_owned(),
            })
            .collect()
    };
    let credits = [people("authors", "author"), people("narrators", "narrator")].concat();
    let asin = lenient_json::line(value, "asin");
    Ok(Some(Candidate {
        title,
        subtitle: lenient_json::line(value, "subtitle"),
        authors: credits,
        year: lenient_json::year(value, "publishedYear")
            .or_else(|| lenient_json::year(value, "publishedDate")),
        description: lenient_json::long(value, "description"),
        isbns: lenient_json::lines(value, "isbn"),
        languages: lenient_json::lines(value, "language"),
        series: lenient_json::list(value, "series").find_map(series),
        external_ids: asin
            .map(|id| ExternalId::new("asin", id))
            .into_iter()
            .collect(),
        details: Details {
            released: lenient_json::line(value, "publishedDate")
                .or_else(|| lenient_json::line(value, "publishedYear"))
                .and_then(|date| node::date(&date)),
            genres: lenient_json::lines(value, "genres"),
            studios: lenient_json::lines(value, "publisher"),
            ..Details::default()
        },
        ..Candidate::default()
    }))
}

/// Reads the chapters of an audiobook. Books have an empty list.
fn chapters(value: &Value) -> Vec<ChapterDetails> {
    let entries = value.get("chapters").and_then(Value::as_array);
    let entries = entries.into_iter().flatten().take(MAX_CHAPTERS);
    entries
        .filter_map(|entry| {
            Some(ChapterDetails {
                title: lenient_json::line(entry, "title")?,
                start: entry.get("start")?.as_f64().filter(|start| *start >= 0.0)?,
            })
        })
        .collect()
}

/// Reads a name from a string, or from the field `name` of an object.
fn name(value: &Value) -> Option<String> {
    lenient_json::as_line(value).or_else(|| lenient_json::line(value, "name"))
}

/// Reads a series from a string such as `The Expanse #1`, or from an object with `name` and
/// `sequence`.
fn series(value: &Value) -> Option<Series> {
    let name = name(value)?;
    let number = lenient_json::line(value, "sequence");
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
