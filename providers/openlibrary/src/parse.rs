//! Open Library's answers: documents of `search.json`, records of works.

use ledge_core::enrich::loose;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{Base, Candidate, Cover};
use serde_json::Value;

use crate::id::Id;

/// Most candidates of an answer.
const MOST: usize = 20;

/// The works that an answer of `search.json` tells of.
pub(crate) fn search(answer: &Value, covers: &Base) -> Vec<Candidate> {
    let found = loose::list(answer, "docs").filter_map(|doc| document(doc, covers));
    found.take(MOST).collect()
}

/// One document: a work, and below it the edition that fits the query best.
fn document(doc: &Value, covers: &Base) -> Option<Candidate> {
    let editions: Vec<&Value> = doc
        .get("editions")
        .map(|editions| loose::list(editions, "docs").collect())
        .unwrap_or_default();
    let title = loose::line(doc, "title")?;
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
    Some(Candidate {
        provider_id: Id::work(&loose::line(doc, "key")?)?,
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
    })
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

/// Reads the record of a work; `None` where it tells of none.
pub(crate) fn work(record: &Value, covers: &Base) -> Option<Work> {
    let kind = record.get("type").and_then(|kind| loose::line(kind, "key"));
    if kind.as_deref() == Some("/type/redirect") {
        return Some(Work::Moved(Id::work(&loose::line(record, "location")?)?));
    }
    let first_cover = loose::list(record, "covers")
        .filter_map(loose::as_integer)
        .find(|id| *id > 0);
    Some(Work::Is(Box::new(Candidate {
        provider_id: Id::work(&loose::line(record, "key")?)?,
        title: loose::line(record, "title")?,
        subtitle: loose::line(record, "subtitle"),
        year: loose::year(record, "first_publish_date"),
        description: description(record),
        cover: first_cover.map(|id| cover(id, covers)),
        ..Candidate::default()
    })))
}

/// A text, or an object that holds one.
pub(crate) fn description(record: &Value) -> Option<String> {
    let said = loose::long(record, "description")
        .or_else(|| loose::long(record.get("description")?, "value"))?;
    // Sources and links of the site's own follow behind a line.
    let end = said.find("\n----").or_else(|| said.find("\n([source]"));
    let bare = end.and_then(|end| said.get(..end)).unwrap_or(&said).trim();
    (!bare.is_empty()).then(|| bare.to_owned())
}

/// The work that the record of an edition belongs to.
pub(crate) fn work_of_edition(record: &Value) -> Option<String> {
    loose::list(record, "works").find_map(|work| Id::work(&loose::line(work, "key")?))
}
