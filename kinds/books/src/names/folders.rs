//! Information from the folders above a book: authors, series, calibre's layout.

use ledge_core::registry::naming::FolderListing;
use ledge_core::text::names::{brackets, clean, people, year};

use crate::names::number::{self, Mark, Number};

/// Names of generic folders, which are neither an author nor a series.
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

/// Parsed name of one folder above a book.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    /// Name without brackets, on one line.
    pub name: String,
    /// Year in brackets, or at the start: `1951 - Foundation`.
    pub year: Option<i32>,
    /// True if the name ends with a number in brackets, as calibre's folders end with the book's
    /// id.
    pub numbered: bool,
    /// True if the name looks like people's names.
    pub people: bool,
    folded: String,
}

/// Folders above a file, innermost first, up to the first generic one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParentFolders {
    /// At most three folders.
    pub folders: Vec<Folder>,
    /// Volume that the innermost folder is named after: `One Piece/Volume 01`.
    pub volume: Option<Number>,
}

impl ParentFolders {
    /// Parses a folder's path, once for all its files.
    pub fn parse(listing: &FolderListing<'_>) -> Self {
        let mut parents = Self::default();
        for (depth, part) in listing.parts().rev().take(3).enumerate() {
            let folder = Folder::parse(part);
            let generic = GENERIC.contains(&folder.name.to_lowercase().as_str());
            if depth == 0
                && let Some(volume) = volume(&folder.name)
            {
                parents.volume = Some(volume);
            } else if generic || folder.name.is_empty() {
                break;
            } else {
                parents.folders.push(folder);
            }
        }
        parents
    }

    /// Returns the innermost folder, unless its name is generic.
    pub fn innermost(&self) -> Option<&Folder> {
        self.folders.first()
    }

    /// Returns the folder above the innermost one.
    pub fn parent(&self) -> Option<&Folder> {
        self.folders.get(1)
    }

    /// Returns the depth and folder with the same name, ignoring notation and the order of name
    /// parts.
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

    /// Returns the innermost folder from `depth` outwards that looks like people's names.
    pub fn people(&self, depth: usize) -> Option<&Folder> {
        self.folders.iter().skip(depth).find(|folder| folder.people)
    }
}

impl Folder {
    fn parse(part: &str) -> Self {
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

    /// Returns true if the folder has this name, ignoring case and punctuation.
    pub fn is(&self, text: &str) -> bool {
        !self.folded.is_empty() && self.folded == fold(text)
    }
}

/// Returns the letters and digits in lower case.
pub fn fold(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Parses a folder name that is nothing but a volume.
fn volume(name: &str) -> Option<Number> {
    let words: Vec<&str> = name.split(' ').collect();
    let marked = number::marked(&words)?;
    (marked.words == words.len() && marked.mark == Mark::Volume).then_some(marked.number)
}
