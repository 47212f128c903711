//! What the folders around recordings say: performers and authors, series, album.

use ledge_core::names::{articles, clean, natural, people};
use ledge_core::registry::naming::{Credit, ItemNames, Series};

use crate::label::Label;

/// Folders that sort a collection and name nobody.
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

/// The folders above an album, from the library's root, and the album's own name.
#[derive(Debug, Clone)]
pub(crate) struct Shelf<'a> {
    /// The folder next above, unless it only sorts.
    pub(crate) parent: Option<&'a str>,
    /// The folder above that, unless it only sorts.
    pub(crate) grandparent: Option<&'a str>,
}

impl<'a> Shelf<'a> {
    /// The shelf of something that lies in the folder with these parts of a path.
    pub(crate) fn of(folder: &[&'a str]) -> Self {
        let mut upwards = folder.iter().rev().copied();
        let mut next = || upwards.next().filter(|name| !is_generic(name));
        Self {
            parent: next(),
            grandparent: next(),
        }
    }

    /// Whether one of the folders above bears this name.
    fn names(&self, text: &str) -> bool {
        let above = [self.parent, self.grandparent];
        above.iter().flatten().any(|name| alike(name, text))
    }
}

/// Whether a folder's name only sorts: `Music`, `Audiobooks`, `A`, `0-9`.
pub(crate) fn is_generic(name: &str) -> bool {
    let lower = clean::plain(name).to_lowercase();
    let lower = lower.trim();
    lower.chars().count() <= 1 || lower == "0-9" || GENERIC.contains(&lower)
}

/// The names of an album or audiobook that is a folder.
///
/// `Artist/Album`, `Author/Title`, `Author/Series/01 - Title`, `Author - Title`. A folder between
/// author and title is a series where the title's name bears a number or the files are `books`;
/// of music it is the artist, and the one above is a genre.
pub(crate) fn names(own: &str, shelf: &Shelf<'_>, books: bool) -> ItemNames {
    let mut label = Label::parse(own);
    let mut series = numbered_series(&mut label, shelf);
    let in_series = shelf.grandparent.is_some() && (label.index.is_some() || books);
    if in_series {
        series = shelf.parent.map(clean::spaced);
    }
    let mut author = if in_series {
        shelf.grandparent
    } else {
        shelf.parent
    }
    .map(credits);
    if label.segments.len() > 1
        && let Some(first) = label.segments.first().cloned()
    {
        if shelf.names(&first) {
            label.segments.remove(0);
        } else if author.is_none() {
            author = Some(credits(&first));
            label.segments.remove(0);
        }
    }
    let (title, by) = written_by(label.title());
    finished(
        &title,
        own,
        label,
        author.or(by).unwrap_or_default(),
        series,
    )
}

/// Takes `Discworld 08` from the front of `Discworld 08 - Guards! Guards!`.
fn numbered_series(label: &mut Label, shelf: &Shelf<'_>) -> Option<String> {
    let [first, _, ..] = label.segments.as_slice() else {
        return None;
    };
    let (base, number) = natural::trailing(first)?;
    // Without a folder above, `Blink 182 - Album` is the performer's name.
    if !(shelf.names(base) || shelf.parent.is_some()) {
        return None;
    }
    let base = base.to_owned();
    label.index = label.index.or_else(|| natural::number(number));
    label.segments.remove(0);
    Some(base)
}

/// The names of a recording that is one file in the folder of `shelf`.
pub(crate) fn file_names(stem: &str, shelf: &Shelf<'_>, book: bool) -> ItemNames {
    let mut label = Label::parse(stem);
    let mut author = None;
    if let [first, .., last] = label.segments.as_slice() {
        let known = |text: &str| shelf.parent.is_some_and(|parent| alike(parent, text));
        let title_first = people::looks_like_people(last) && !people::looks_like_people(first);
        if book && title_first && !known(first) {
            author = Some(credits(last));
            label.segments.pop();
        } else if known(first) || !book || shelf.parent.is_none() || is_person(first) {
            author = Some(credits(first));
            label.segments.remove(0);
        }
    }
    let (title, by) = written_by(label.title());
    let (mut author, mut series) = (author.or(by), None);
    if book && author.is_none() {
        // `Author/Title.m4b`, `Author/Series/01 - Title.m4b`
        let in_series = label.index.is_some() && shelf.grandparent.is_some();
        series = in_series
            .then_some(shelf.parent)
            .flatten()
            .map(clean::spaced);
        let above = if in_series {
            shelf.grandparent
        } else {
            shelf.parent
        };
        author = above.filter(|name| !alike(name, &title)).map(credits);
    }
    finished(&title, stem, label, author.unwrap_or_default(), series)
}

/// Whether two names are the same but for case, marks and spacing.
pub(crate) fn alike(a: &str, b: &str) -> bool {
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

/// Whoever a folder or a segment names. Bands are not taken apart at their `&` and commas.
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

/// `Title by Author`, where what follows is a person's name.
fn written_by(title: String) -> (String, Option<Vec<Credit>>) {
    match title.rsplit_once(" by ") {
        Some((head, by)) if !head.trim().is_empty() && people::looks_like_people(by) => {
            (head.trim().to_owned(), Some(credits(by)))
        }
        _ => (title, None),
    }
}

fn finished(
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
