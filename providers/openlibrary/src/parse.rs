//! Open Library's answers: documents of `search.json`, records of works.

use ledge_core::enrich::{loose, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

use crate::id::Id;

/// Most candidates of an answer.
const MOST: usize = 20;

/// The works that an answer of `search.json` tells of.
pub(crate) fn search(answer: &Value, covers: &Base) -> Result<Vec<Candidate>, AskError> {
    let docs = shape::list(answer, "docs")?;
    shape::read_entries(docs, MOST, |doc| document(doc, covers))
}

/// One document: a work, and below it the edition that fits the query best. `None` where the work
/// has no title.
fn document(doc: &Value, covers: &Base) -> Result<Option<Candidate>, AskError> {
    let provider_id = work_id(doc, "key")?;
    let editions: Vec<&Value> = doc
        .get("editions")
        .map(|editions| loose::list(editions, "docs").collect())
        .unwrap_or_default();
    let Some(title) = shape::text(doc, "title")? else {
        return Ok(None);
    };
    let mut other_titles: Vec<String> = Vec::new();
    for edition in &editions {
        let whole = [
            loose::line(edition, "title"),
            loose::line(edition, "subtitle"),
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
        subtitle: loose::line(doc, "subtitle"),
        authors: loose::lines(doc, "author_name")
            .into_iter()
            .map(Credit::author)
            .collect(),
        year: loose::year(doc, "first_publish_year"),
        isbns: editions
            .iter()
            .flat_map(|edition| loose::lines(edition, "isbn"))
            .collect(),
        languages: loose::lines(doc, "language"),
        cover: cover_of(doc).or(first_cover).map(|id| cover(id, covers)),
        title,
        other_titles,
        ..Candidate::default()
    }))
}

/// Reads the identifier of a work from a field that must hold one.
fn work_id(value: &Value, field: &str) -> Result<String, AskError> {
    let key = shape::text(value, field)?;
    key.and_then(|key| Id::work(&key))
        .ok_or_else(|| shape::unexpected(&format!("`{field}` names no work")))
}

fn cover_of(value: &Value) -> Option<i64> {
    // A cover that was taken away again has the number -1.
    loose::integer(value, "cover_i").filter(|id| *id > 0)
}

/// The large form; a missing one is no grey picture but an error.
fn cover(id: i64, covers: &Base) -> Cover {
    Cover::Address(covers.join(&format!("b/id/{id}-L.jpg?default=false")))
}

/// What the record of a work tells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Work {
    /// It was merged into this one.
    Moved(String),
    /// A work without its people: the record has only keys of theirs.
    Is(Box<Candidate>),
}

/// Reads the record of a work; `None` where it was deleted or has no title.
pub(crate) fn work(record: &Value, covers: &Base) -> Result<Option<Work>, AskError> {
    let kind = shape::object(record)?.get("type");
    let kind = kind.and_then(|kind| loose::line(kind, "key"));
    match kind.as_deref() {
        Some("/type/redirect") => return Ok(Some(Work::Moved(work_id(record, "location")?))),
        Some("/type/delete") => return Ok(None),
        _ => {}
    }
    let provider_id = work_id(record, "key")?;
    let Some(title) = shape::text(record, "title")? else {
        return Ok(None);
    };
    let first_cover = loose::list(record, "covers")
        .filter_map(loose::as_integer)
        .find(|id| *id > 0);
    Ok(Some(Work::Is(Box::new(Candidate {
        provider_id,
        title,
        subtitle: loose::line(record, "subtitle"),
        year: loose::year(record, "first_publish_date"),
        description: description(record),
        cover: first_cover.map(|id| cover(id, covers)),
        ..Candidate::default()
    }))))
}

/// Reads the description from the record of a work that a search has found.
pub(crate) fn description_of_work(record: &Value) -> Result<Option<String>, AskError> {
    let fields = shape::object(record)?;
    let documented = ["key", "type", "title", "description"];
    if !documented.iter().any(|field| fields.contains_key(*field)) {
        return Err(shape::unexpected("it is no record of a work"));
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

/// A text, or an object that holds one.
fn description(record: &Value) -> Option<String> {
    let said = loose::long(record, "description")
        .or_else(|| loose::long(record.get("description")?, "value"))?;
    // Sources and links of the site's own follow behind a line.
    let end = said.find("\n----").or_else(|| said.find("\n([source]"));
    let bare = end.and_then(|end| said.get(..end)).unwrap_or(&said).trim();
    (!bare.is_empty()).then(|| bare.to_owned())
}

/// The work that the record of an edition belongs to; `None` where the record names none.
pub(crate) fn work_of_edition(record: &Value) -> Result<Option<String>, AskError> {
    if !shape::object(record)?.contains_key("works") {
        // Some old editions belong to no work, but every one has a key.
        return match shape::text(record, "key")? {
            Some(_) => Ok(None),
            None => Err(shape::unexpected("it is no record of an edition")),
        };
    }
    let works = shape::list(record, "works")?;
    let ids = shape::read_entries(works, 1, |work| work_id(work, "key").map(Some))?;
    Ok(ids.into_iter().next())
}
