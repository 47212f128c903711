//! Volumes as Google Books describes them.

use ledge_core::enrich::loose;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{Base, Candidate, Cover};
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

/// The volumes of a search.
pub(crate) fn volumes(answer: &Value, base: &Base) -> Vec<Candidate> {
    let found = loose::list(answer, "items").filter_map(|item| volume(item, base));
    found.take(MOST).collect()
}

/// One volume.
pub(crate) fn volume(item: &Value, base: &Base) -> Option<Candidate> {
    let info = item.get("volumeInfo")?;
    let isbns = loose::list(info, "industryIdentifiers")
        .filter(|one| loose::line(one, "type").is_some_and(|kind| kind.starts_with("ISBN")))
        .filter_map(|one| loose::line(one, "identifier"))
        .collect();
    Some(Candidate {
        provider_id: loose::line(item, "id").filter(|id| is_id(id))?,
        title: loose::line(info, "title")?,
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
    })
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
