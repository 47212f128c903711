//! Titles of games: the stored title contains the release marks, the search title does not.

use ledge_core::text::names::{brackets, clean};

/// Returns the title for queries to metadata providers, without release marks and versions.
///
/// A title that consists only of brackets is kept.
pub fn search_title(title: &str) -> String {
    let (outside, _) = brackets::split(title);
    let bare = without_version(clean::trimmed(&outside));
    if bare.is_empty() {
        clean::plain(title)
    } else {
        bare.to_owned()
    }
}

/// Returns the title to store: the file's name on one line. It is never empty.
pub fn stored_title(base: &str, stem: &str) -> String {
    let first = [base, stem]
        .into_iter()
        .map(clean::plain)
        .find(|t| !t.is_empty());
    first.unwrap_or_else(|| "Untitled".to_owned())
}

/// Removes `v1.2`, `Rev A` and `Rev 1` at the end of a title, without brackets.
pub(super) fn without_version(title: &str) -> &str {
    let Some((head, last)) = title.rsplit_once(' ') else {
        return title;
    };
    let number = last.strip_prefix(['v', 'V']).unwrap_or_default();
    let version = number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.');
    if version {
        return clean::trimmed(head);
    }
    let revision = last.len() <= 2
        && last
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    match head
        .strip_suffix(" Rev")
        .or_else(|| head.strip_suffix(" rev"))
    {
        Some(head) if revision => clean::trimmed(head),
        _ => title,
    }
}
