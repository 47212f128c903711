//! What the names of books tell: titles, authors, series, years.

pub mod book;
pub mod comic;
pub mod number;
pub mod place;
pub mod tags;

use ledge_core::names::{articles, brackets, clean};
use ledge_core::registry::naming::ItemNames;

use place::Place;

/// Reads a file's name, without its extension, in its folder.
pub fn read(stem: &str, is_comic: bool, place: &Place) -> ItemNames {
    let mut names = if is_comic {
        comic::read(stem, place)
    } else {
        book::read(stem, place)
    };
    names.title = titled(&names.title, stem);
    names
}

/// The title to ask metadata providers for: without brackets and the number of a comic's issue.
pub fn search_title(title: &str) -> String {
    let (outside, _) = brackets::split(title);
    let bare = clean::trimmed(&outside);
    if bare.is_empty() {
        clean::plain(title)
    } else {
        bare.to_owned()
    }
}

/// A title with its article in front; where nothing was left of it, the name as it is.
fn titled(title: &str, stem: &str) -> String {
    let title = clean::trimmed(title);
    let shown = [articles::restore(title), clean::plain(stem)];
    let first = shown.into_iter().find(|title| !title.is_empty());
    first.unwrap_or_else(|| "Untitled".to_owned())
}
