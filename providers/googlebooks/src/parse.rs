//! Parser for Google Books' volumes.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;

/// Cover sizes, the largest first.
const SIZES: &[&str] = &[
    "extraLarge",
    "large",
    "medium",
    "small",
    "thumbnail",
    "smallThumbnail",
];

/// Fields of a response other than its volumes. A response without results contains only these. The
/// field mask of a search removes them as well.
const ENVELOPE_FIELDS: &[&str] = &["kind", "totalItems"];

/// Returns the volumes of a search response. A response without `items` is empty only if it
/// contains nothing but [`ENVELOPE_FIELDS`].
pub(crate) fn volumes(answer: &Value, base: &Base) -> Result<Vec<Candidate>, AskError> {
    let fields = shape::object(answer)?;
    let is_empty = !fields.contains_key("items")
        && fields
            .keys()
            .all(|name| ENVELOPE_FIELDS.contains(&name.as_str()))
        && fields.get("totalItems").is_none_or(Value::is_number);
    if is_empty {
        return Ok(Vec::new());
    }
    let items = shape::list(answer, "items")?;
    shape::read_entries(items, MAX_CANDIDATES, |item| volume(item, base))
}

/// Parses one volume. Returns `None` if it has no title.
pub(crate) fn volume(item: &Value, base: &Base) -> Result<Option<Candidate>, AskError> {
    let provider_id = shape::text(item, "id")?
        .filter(|id| is_id(id))
        .ok_or_else(|| shape::unexpected("`id` is not a volume identifier"))?;
    let info = item
        .get("volumeInfo")
        .ok_or_else(|| shape::unexpected("it has no `volumeInfo`"))?;
    let Some(title) = shape::text(info, "title")? else {
        return Ok(None);
    };
    let isbns = lenient_json::list(info, "industryIdentifiers")
        .filter(|one| lenient_json::line(one, "type").is_some_and(|kind| kind.starts_with("ISBN")))
        .filter_map(|one| lenient_json::line(one, "identifier"))
        .collect();
    Ok(Some(Candidate {
        provider_id,
        title,
        subtitle: lenient_json::line(info, "subtitle"),
        authors: lenient_json::lines(info, "authors")
            .into_iter()
            .map(Credit::author)
            .collect(),
        year: lenient_json::year(info, "publishedDate"),
        description: lenient_json::long(info, "description"),
        isbns,
        languages: lenient_json::lines(info, "language"),
        cover: cover(info.get("imageLinks"), base),
        ..Candidate::default()
    }))
}

/// Returns true if the text has the form of a volume identifier.
pub(crate) fn is_id(text: &str) -> bool {
    let sound = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (1..=40).contains(&text.len()) && text.bytes().all(sound)
}

/// Returns the largest cover, with `https` and without the curled page corner.
fn cover(links: Option<&Value>, base: &Base) -> Option<Cover> {
    let links = links?;
    let address = SIZES
        .iter()
        .find_map(|size| lenient_json::line(links, size))?;
    let (scheme, rest) = address.split_once("://")?;
    if !matches!(scheme, "http" | "https") {
        return None;
    }
    let plain = format!("https://{}", rest.replace("&edge=curl", ""));
    Some(Cover::Address(base.rehost(&plain)))
}
