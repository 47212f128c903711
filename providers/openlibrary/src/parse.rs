//! Parser for Open Library's responses: documents of `search.json`, and records of works and
//! editions.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

use crate::id::Id;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;

/// Returns the works of a `search.json` response.
pub(crate) fn search(answer: &Value, covers: &Base) -> Result<Vec<Candidate>, AskError> {
    let docs = shape::list(answer, "docs")?;
    shape::read_entries(docs, MAX_CANDIDATES, |doc| document(doc, covers))
}

/// Parses one document: a work and, nested in it, the edition that fits the query best. Returns
/// `None` if the work has no title.
fn document(doc: &Value, covers: &Base) -> Result<Option<Candidate>, AskError> {
    let provider_id = work_id(doc, "key")?;
    let editions: Vec<&Value> = doc
        .get("editions")
        .map(|editions| lenient_json::list(editions, "docs").collect())
        .unwrap_or_default();
    let Some(title) = shape::text(doc, "title")? else {
        return Ok(None);
    };
    let mut other_titles: Vec<String> = Vec::new();
    for edition in &editions {
        let whole = [
            lenient_json::line(edition, "title"),
            lenient_json::line(edition, "subtitle"),
        ];
        let whole: Vec<String> = whole.into_iter().flatten().collect();
        let whole = whole.join(": ");
        if !whole.is_empty() && whole != title && !other_titles.contains(&whole) {
            other_titles.push(whole);
        }
    }
    let first_cover = editions.iter().find_map(|edition| cover_of(edition));
    Ok(Some(Candidate {
        provider_id,
        subtitle: lenient_json::line(doc, "subtitle"),
        authors: lenient_json::lines(doc, "author_name")
            .into_iter()
            .map(Credit::author)
            .collect(),
        year: lenient_json::year(doc, "first_publish_year"),
        isbns: editions
            .iter()
            .flat_map(|edition| lenient_json::lines(edition, "isbn"))
            .collect(),
        languages: lenient_json::lines(doc, "language"),
        cover: cover_of(doc).or(first_cover).map(|id| cover(id, covers)),
        title,
        other_titles,
        ..Candidate::default()
    }))
}

/// Returns the work identifier of a required field.
fn work_id(value: &Value, field: &str) -> Result<String, AskError> {
    let key = shape::text(value, field)?;
    key.and_then(|key| Id::work(&key))
        .ok_or_else(|| shape::unexpected(&format!("`{field}` is not a work identifier")))
}

fn cover_of(value: &Value) -> Option<i64> {
    // Open Library writes -1 for a cover that was removed.
    lenient_json::integer(value, "cover_i").filter(|id| *id > 0)
}

/// Returns the address of the large image. `default=false` makes a missing cover an HTTP error
/// instead of a grey picture.
fn cover(id: i64, covers: &Base) -> Cover {
    Cover::Address(covers.join(&format!("b/id/{id}-L.jpg?default=false")))
}

/// Parsed record of a work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Work {
    /// The work was merged into the work with this identifier.
    Moved(String),
    /// A work without its authors: the record contains only their keys.
    Is(Box<Candidate>),
}

/// Parses the record of a work. Returns `None` if the work was deleted or has no title.
pub(crate) fn work(record: &Value, covers: &Base) -> Result<Option<Work>, AskError> {
    let kind = shape::object(record)?.get("type");
    let kind = kind.and_then(|kind| lenient_json::line(kind, "key"));
    match kind.as_deref() {
        Some("/type/redirect") => return Ok(Some(Work::Moved(work_id(record, "location")?))),
        Some("/type/delete") => return Ok(None),
        _ => {}
    }
    let provider_id = work_id(record, "key")?;
    let Some(title) = shape::text(record, "title")? else {
        return Ok(None);
    };
    let first_cover = lenient_json::list(record, "covers")
        .filter_map(lenient_json::as_integer)
        .find(|id| *id > 0);
    Ok(Some(Work::Is(Box::new(Candidate {
        provider_id,
        title,
        subtitle: lenient_json::line(record, "subtitle"),
        year: lenient_json::year(record, "first_publish_date"),
        description: description(record),
        cover: first_cover.map(|id| cover(id, covers)),
        ..Candidate::default()
    }))))
}

/// Returns the description in the record of a work that a search found.
pub(crate) fn description_of_work(record: &Value) -> Result<Option<String>, AskError> {
    let fields = shape::object(record)?;
    let documented = ["key", "type", "title", "description"];
    if !documented.iter().any(|field| fields.contains_key(*field)) {
        return Err(shape::unexpected("it is not a record of a work"));
    }
    match fields.get("description") {
        Some(found) if !is_description(found) => Err(shape::unexpected(
            "`description` is neither a text nor has a `value`",
        )),
        _ => Ok(description(record)),
    }
}

fn is_description(value: &Value) -> bool {
    let of_object = || value.get("value").is_some_and(Value::is_string);
    value.is_string() || value.is_null() || of_object()
}

/// Reads the description from a string or from an object's `value`.
fn description(record: &Value) -> Option<String> {
    let text = lenient_json::long(record, "description")
        .or_else(|| lenient_json::long(record.get("description")?, "value"))?;
    // The site appends its sources and links after a separator line.
    let end = text.find("\n----").or_else(|| text.find("\n([source]"));
    let bare = end.and_then(|end| text.get(..end)).unwrap_or(&text).trim();
    (!bare.is_empty()).then(|| bare.to_owned())
}

/// Returns the work of an edition's record, or `None` if the edition belongs to no work.
pub(crate) fn work_of_edition(record: &Value) -> Result<Option<String>, AskError> {
    if !shape::object(record)?.contains_key("works") {
        // Some old editions belong to no work. Every edition has a key.
        return match shape::text(record, "key")? {
            Some(_) => Ok(None),
            None => Err(shape::unexpected("it is not a record of an edition")),
        };
    }
    let works = shape::list(record, "works")?;
    let ids = shape::read_entries(works, 1, |work| work_id(work, "key").map(Some))?;
    Ok(ids.into_iter().next())
}
