//! What the folders above a book tell: authors, series, calibre's layout.

use ledge_core::names::{brackets, clean, people, year};
use ledge_core::registry::naming::FolderListing;

use crate::names::number::{self, Mark, Number};

/// Folders that hold books of any kind and name nobody and nothing.
const GENERIC: &[&str] = &[
    "audio",
    "audiobooks",
    "azw3",
    "book",
    "books",
    "bücher",
    "cbr",
    "cbz",
    "children",
    "classics",
    "comic",
    "comic books",
    "comics",
    "complete",
    "documents",
    "downloads",
    "e-books",
    "ebook",
    "ebooks",
    "epub",
    "epubs",
    "fantasy",
    "fiction",
    "graphic novels",
    "horror",
    "incoming",
    "kids",
    "library",
    "light novels",
    "livres",
    "magazines",
    "manga",
    "mangas",
    "media",
    "misc",
    "mobi",
    "new",
    "non-fiction",
    "nonfiction",
    "novels",
    "other",
    "pdf",
    "pdfs",
    "poetry",
    "read",
    "romance",
    "science fiction",
    "sci-fi",
    "scifi",
    "series",
    "shared",
    "standalone",
    "standalones",
    "temp",
    "thrillers",
    "to read",
    "tv",
    "unknown",
    "unknown author",
    "unread",
    "unsorted",
    "various",
    "various authors",
];

/// One folder above a book.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    /// Name without brackets, on one line.
    pub name: String,
    /// Year in brackets, or in front: `1951 - Foundation`.
    pub year: Option<i32>,
    /// Whether it ends with a number in brackets, as calibre's folders do with the book's id.
    pub numbered: bool,
    /// Whether its name can be that of people.
    pub people: bool,
    folded: String,
}

/// The folders above a file, innermost first, without those that mean nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// At most three.
    pub folders: Vec<Folder>,
    /// The volume a folder is named after: `One Piece/Volume 01`.
    pub volume: Option<Number>,
}

impl Place {
    /// Reads a folder's path once for all its files.
    pub fn of(listing: &FolderListing<'_>) -> Self {
        let mut place = Self::default();
        for (depth, part) in listing.parts().rev().take(3).enumerate() {
            let folder = Folder::of(part);
            let generic = GENERIC.contains(&folder.name.to_lowercase().as_str());
            if depth == 0
                && let Some(volume) = volume(&folder.name)
            {
                place.volume = Some(volume);
            } else if generic || folder.name.is_empty() {
                break;
            } else {
                place.folders.push(folder);
            }
        }
        place
    }

    /// The folder the file lies in, if its name means something.
    pub fn own(&self) -> Option<&Folder> {
        self.folders.first()
    }

    /// The folder above that.
    pub fn parent(&self) -> Option<&Folder> {
        self.folders.get(1)
    }

    /// The folder that bears the same name, however it is written.
    pub fn named(&self, text: &str) -> Option<(usize, &Folder)> {
        if self.folders.is_empty() {
            return None;
        }
        let folded = fold(&people::direct(text));
        let cut = fold(text);
        let same = |folder: &Folder| {
            !folded.is_empty() && (folder.folded == folded || folder.folded == cut)
        };
        self.folders
            .iter()
            .enumerate()
            .find(|(_, folder)| same(folder))
    }

    /// The innermost folder, from `depth` outwards, that is named like people.
    pub fn people(&self, depth: usize) -> Option<&Folder> {
        self.folders.iter().skip(depth).find(|folder| folder.people)
    }
}

impl Folder {
    fn of(part: &str) -> Self {
        let spaced = clean::spaced(part);
        let (name, tags) = brackets::split(&spaced);
        let numbered = tags.last().is_some_and(|tag| {
            spaced.ends_with(')')
                && !tag.text.is_empty()
                && tag.text.bytes().all(|b| b.is_ascii_digit())
        });
        let leading = name
            .split_once(" - ")
            .and_then(|(year, _)| year::parse(year));
        let name = match leading {
            Some(_) => name
                .split_once(" - ")
                .map_or("", |(_, rest)| rest)
                .to_owned(),
            None => clean::trimmed(&name).to_owned(),
        };
        Self {
            year: leading.or_else(|| year::in_tags(&tags)),
            numbered,
            people: people::looks_like_people(&name),
            folded: fold(&people::direct(&name)),
            name,
        }
    }

    /// Whether the folder is named like a text, however both are written.
    pub fn is(&self, text: &str) -> bool {
        !self.folded.is_empty() && self.folded == fold(text)
    }
}

/// Letters and digits in lower case.
pub fn fold(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A folder that is a volume and nothing else.
fn volume(name: &str) -> Option<Number> {
    let words: Vec<&str> = name.split(' ').collect();
    let marked = number::marked(&words)?;
    (marked.words == words.len() && marked.mark == Mark::Volume).then_some(marked.number)
}
