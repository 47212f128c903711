//! Album, author and series names, parsed from the folders around recordings.

use ledge_core::registry::naming::{Credit, ItemNames, Series};
use ledge_core::text::names::{articles, clean, natural, people};

use crate::naming::label::Label;

/// Names of folders that sort a collection. They are neither a performer nor an author.
const GENERIC: &[&str] = &[
    "a-z",
    "album",
    "albums",
    "alternative",
    "anime",
    "artists",
    "audio",
    "audio books",
    "audiobook",
    "audiobooks",
    "authors",
    "autoren",
    "bands",
    "blues",
    "book",
    "books",
    "children",
    "christmas",
    "classical",
    "comedy",
    "compilation",
    "compilations",
    "complete",
    "country",
    "discography",
    "downloads",
    "eps",
    "fantasy",
    "favorites",
    "favourites",
    "fiction",
    "flac",
    "folk",
    "hiphop",
    "hip-hop",
    "hörbuch",
    "hörbücher",
    "hörspiel",
    "hörspiele",
    "import",
    "incoming",
    "jazz",
    "klassik",
    "library",
    "live",
    "livres audio",
    "lossless",
    "lossy",
    "m4b",
    "media",
    "metal",
    "misc",
    "mp3",
    "mp3s",
    "music",
    "musica",
    "musik",
    "musique",
    "muziek",
    "música",
    "new",
    "non-fiction",
    "nonfiction",
    "ost",
    "other",
    "playlists",
    "podcast",
    "podcasts",
    "pop",
    "radio",
    "recordings",
    "rock",
    "samplers",
    "sci-fi",
    "science fiction",
    "series",
    "single",
    "singles",
    "sonstiges",
    "sound",
    "soundtrack",
    "soundtracks",
    "spoken word",
    "temp",
    "unknown",
    "unknown artist",
    "unknown author",
    "unsorted",
    "va",
    "various",
    "various artists",
    "various authors",
    "verschiedene",
    "vinyl",
    "аудиокниги",
    "музыка",
];

/// Names of the two folders above an album, from the nearest upwards.
#[derive(Debug, Clone)]
pub(crate) struct ParentFolders<'a> {
    /// Folder directly above; `None` for generic folders.
    pub(crate) parent: Option<&'a str>,
    /// Folder above `parent`; `None` for generic folders.
    pub(crate) grandparent: Option<&'a str>,
}

impl<'a> ParentFolders<'a> {
    /// Returns the folders above an item in the folder with these path components.
    pub(crate) fn from_path(folder: &[&'a str]) -> Self {
        let mut upwards = folder.iter().rev().copied();
        let mut next = || upwards.next().filter(|name| !is_generic(name));
        Self {
            parent: next(),
            grandparent: next(),
        }
    }

    /// Returns `true` if one of the folders above has this name.
    fn contains(&self, text: &str) -> bool {
        let above = [self.parent, self.grandparent];
        above.iter().flatten().any(|name| same_name(name, text))
    }
}

/// Returns `true` for folders that only sort: `Music`, `Audiobooks`, `A`, `0-9`.
pub(crate) fn is_generic(name: &str) -> bool {
    let lower = clean::plain(name).to_lowercase();
    let lower = lower.trim();
    lower.chars().count() <= 1 || lower == "0-9" || GENERIC.contains(&lower)
}

/// Parses the names of an album or audiobook that is a folder.
///
/// Accepted layouts: `Artist/Album`, `Author/Title`, `Author/Series/01 - Title` and `Author -
/// Title`. A folder between author and title is a series if the title has a number or the files are
/// `books`. Otherwise the folder is the artist and the one above it is a genre.
pub(crate) fn folder_names(folder: &str, parents: &ParentFolders<'_>, books: bool) -> ItemNames {
    let mut label = Label::parse(folder);
    let mut series = numbered_series(&mut label, parents);
    let in_series = parents.grandparent.is_some() && (label.index.is_some() || books);
    if in_series {
        series = parents.parent.map(clean::spaced);
    }
    let mut author = if in_series {
        parents.grandparent
    } else {
        parents.parent
    }
    .map(credits);
    if label.segments.len() > 1
        && let Some(first) = label.segments.first().cloned()
    {
        if parents.contains(&first) {
            label.segments.remove(0);
        } else if author.is_none() {
            author = Some(credits(&first));
            label.segments.remove(0);
        }
    }
    let (title, by) = split_author(label.title());
    item_names(
        &title,
        folder,
        label,
        author.or(by).unwrap_or_default(),
        series,
    )
}

/// Removes `Discworld 08` from the front of `Discworld 08 - Guards! Guards!`.
fn numbered_series(label: &mut Label, parents: &ParentFolders<'_>) -> Option<String> {
    let [first, _, ..] = label.segments.as_slice() else {
        return None;
    };
    let (base, number) = natural::trailing(first)?;
    // `Blink 182 - Album` begins with a performer, so a number needs a folder above.
    if !(parents.contains(base) || parents.parent.is_some()) {
        return None;
    }
    let base = base.to_owned();
    label.index = label.index.or_else(|| natural::number(number));
    label.segments.remove(0);
    Some(base)
}

/// Parses the names of a recording that is a single file in the folder of `parents`.
pub(crate) fn file_names(stem: &str, parents: &ParentFolders<'_>, book: bool) -> ItemNames {
    let mut label = Label::parse(stem);
    let mut author = None;
    if let [first, .., last] = label.segments.as_slice() {
        let is_parent = |text: &str| parents.parent.is_some_and(|parent| same_name(parent, text));
        let title_first = people::looks_like_people(last) && !people::looks_like_people(first);
        if book && title_first && !is_parent(first) {
            author = Some(credits(last));
            label.segments.pop();
        } else if is_parent(first) || !book || parents.parent.is_none() || is_person(first) {
            author = Some(credits(first));
            label.segments.remove(0);
        }
    }
    let (title, by) = split_author(label.title());
    let (mut author, mut series) = (author.or(by), None);
    if book && author.is_none() {
        // Layouts: `Author/Title.m4b`, `Author/Series/01 - Title.m4b`.
        let in_series = label.index.is_some() && parents.grandparent.is_some();
        series = in_series
            .then_some(parents.parent)
            .flatten()
            .map(clean::spaced);
        let above = if in_series {
            parents.grandparent
        } else {
            parents.parent
        };
        author = above.filter(|name| !same_name(name, &title)).map(credits);
    }
    item_names(&title, stem, label, author.unwrap_or_default(), series)
}

/// Returns `true` if two names differ only in case, punctuation and spacing.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (a, b) = (letters(a), letters(b));
    !a.is_empty() && a == b
}

fn is_person(text: &str) -> bool {
    people::looks_like_people(text)
}

/// Splits a folder name or segment into people. Band names are not split at `&` and commas.
fn credits(name: &str) -> Vec<Credit> {
    let name = clean::spaced(name);
    let names = if people::looks_like_people(&name) {
        people::split(&name)
    } else {
        vec![articles::restore(&name)]
    };
    names
        .into_iter()
        .filter(|name| !is_generic(name))
        .map(Credit::author)
        .collect()
}

/// Splits `Title by Author` if the last part looks like a person's name.
fn split_author(title: String) -> (String, Option<Vec<Credit>>) {
    match title.rsplit_once(" by ") {
        Some((head, by)) if !head.trim().is_empty() && people::looks_like_people(by) => {
            (head.trim().to_owned(), Some(credits(by)))
        }
        _ => (title, None),
    }
}

fn item_names(
    title: &str,
    fallback: &str,
    label: Label,
    authors: Vec<Credit>,
    series: Option<String>,
) -> ItemNames {
    let title = if title.is_empty() {
        clean::plain(fallback)
    } else {
        articles::restore(title)
    };
    let title = if title.is_empty() {
        "Untitled".to_owned()
    } else {
        title
    };
    let narrators = label.narrators.into_iter().map(|name| Credit {
        name,
        role: "narrator".to_owned(),
    });
    let index = label.index;
    ItemNames {
        title,
        year: label.year,
        credits: authors.into_iter().chain(narrators).collect(),
        series: series.map(|name| Series { name, index }),
        facts: label.facts,
    }
}
