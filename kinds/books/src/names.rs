//! Parsing of book file names: titles, authors, series, years.

pub mod book;
pub mod comic;
pub mod folders;
pub mod number;
pub mod tags;

use ledge_core::registry::naming::ItemNames;
use ledge_core::text::names::{articles, brackets, clean};

use folders::ParentFolders;

/// Parses a file name without its extension, in the context of its folders.
pub fn read(stem: &str, is_comic: bool, folders: &ParentFolders) -> ItemNames {
    let mut names = if is_comic {
        comic::read(stem, folders)
    } else {
        book::read(stem, folders)
    };
    names.title = display_title(&names.title, stem);
    names
}

/// Returns the title for queries to metadata providers, without brackets.
pub fn search_title(title: &str) -> String {
    let (outside, _) = brackets::split(title);
    let bare = clean::trimmed(&outside);
    if bare.is_empty() {
        clean::plain(title)
    } else {
        bare.to_owned()
    }
}

/// Returns the title with its article in front. If nothing is left of the title, returns the file
/// name.
fn display_title(title: &str, stem: &str) -> String {
    let title = clean::trimmed(title);
    let shown = [articles::restore(title), clean::plain(stem)];
    let first = shown.into_iter().find(|title| !title.is_empty());
    first.unwrap_or_else(|| "Untitled".to_owned())
}
