//! Volumes as Google Books describes them.

use ledge_core::enrich::{loose, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover};
use serde_json::Value;

/// Most candidates of an answer.
const MOST: usize = 20;

/// Sizes of covers, the best first.
const SIZES: &[&str] = &[
    "extraLarge",
    "large",
    "medium",
    "small",
    "thumbnail",
    "smallThumbnail",
];

/// Fields of an answer beside its volumes. Where nothing is found, there are no others; the field
/// mask of a search leaves out these, too.
const BESIDE_ITEMS: &[&str] = &["kind", "totalItems"];

/// The volumes of a search.
pub(crate) fn volumes(answer: &Value, base: &Base) -> Result<Vec<Candidate>, AskError> {
    let fields = shape::object(answer)?;
    let is_empty = !fields.contains_key("items")
        && fields
            .keys()
            .all(|name| BESIDE_ITEMS.contains(&name.as_str()))
        && fields.get("totalItems").is_none_or(Value::is_number);
    if is_empty {
        return Ok(Vec::new());
    }
    let items = shape::list(answer, "items")?;
    shape::read_entries(items, MOST, |item| volume(item, base))
}

/// One volume; `None` where it has no title.
pub(crate) fn volume(item: &Value, base: &Base) -> Result<Option<Candidate>, AskError> {
    let provider_id = shape::text(item, "id")?
        .filter(|id| is_id(id))
        .ok_or_else(|| shape::unexpected("`id` names no volume"))?;
    let info = item
        .get("volumeInfo")
        .ok_or_else(|| shape::unexpected("it has no `volumeInfo`"))?;
    let Some(title) = shape::text(info, "title")? else {
        return Ok(None);
    };
    let isbns = loose::list(info, "industryIdentifiers")
        .filter(|one| loose::line(one, "type").is_some_and(|kind| kind.starts_with("ISBN")))
        .filter_map(|one| loose::line(one, "identifier"))
        .collect();
    Ok(Some(Candidate {
        provider_id,
        title,
        subtitle: loose::line(info, "subtitle"),
        authors: loose::lines(info, "authors")
            .into_iter()
            .map(Credit::author)
            .collect(),
        year: loose::year(info, "publishedDate"),
        description: loose::long(info, "description"),
        isbns,
        languages: loose::lines(info, "language"),
        cover: cover(info.get("imageLinks"), base),
        ..Candidate::default()
    }))
}

/// Whether a text can be the identifier of a volume.
pub(crate) fn is_id(text: &str) -> bool {
    let sound = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (1..=40).contains(&text.len()) && text.bytes().all(sound)
}

/// The largest cover there is, over https and without the curled corner.
fn cover(links: Option<&Value>, base: &Base) -> Option<Cover> {
    let links = links?;
    let address = SIZES.iter().find_map(|size| loose::line(links, size))?;
    let (scheme, rest) = address.split_once("://")?;
    if !matches!(scheme, "http" | "https") {
        return None;
    }
    let plain = format!("https://{}", rest.replace("&edge=curl", ""));
    Some(Cover::Address(base.rehost(&plain)))
}
