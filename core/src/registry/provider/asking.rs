//! What a provider is asked, and what it answers.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::net::{AskError, Net};
use crate::content::open_blocking;
use crate::registry::naming::{Credit, Series};

/// A provider that can be asked. It keeps no time, no limits and no tokens of its own; the core
/// does, behind [`Net`].
pub trait Asks: Send + Sync + fmt::Debug {
    /// What fits the question, the best guesses first, 20 at most. Nobody is an empty list; the
    /// core decides whether one of them is meant.
    fn search(&self, question: &Question, net: &dyn Net) -> Result<Vec<Candidate>, AskError>;

    /// The one with this id: for what a person chose, and to read it again.
    fn by_id(
        &self,
        provider_id: &str,
        question: &Question,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError>;
}

/// What is known of an item that a provider is asked about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// Identifier of its kind.
    pub kind: String,
    /// What to search for: the stored title after its kind's `search_title`.
    pub title: String,
    /// The title as it is stored.
    pub stored_title: String,
    /// What follows the title, where the files tell.
    pub subtitle: Option<String>,
    /// Its authors' names.
    pub authors: Vec<String>,
    /// Its year.
    pub year: Option<i32>,
    /// ISBNs that its files and names tell, digits (and a last X) only.
    pub isbns: Vec<String>,
    /// Its series and the number in it.
    pub series: Option<Series>,
    /// The platform that its kind found.
    pub platform: Option<String>,
    /// The language that its files tell.
    pub language: Option<String>,
    /// Where its files lie, for providers that look beside them.
    pub places: Vec<Place>,
}

/// A folder with files of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The library's root.
    pub root: PathBuf,
    /// The folder below the root; empty for the root itself.
    pub folder: PathBuf,
    /// Names of the item's files here, without their extensions.
    pub stems: Vec<PathBuf>,
    /// Whether no other item of its kind has a file here, so that what stands for the folder
    /// stands for the item.
    pub is_alone: bool,
}

impl Place {
    /// Reads a file of the folder, up to `limit` bytes; `None` where there is none. What leads out
    /// of the library, or is no regular file, is none.
    pub fn read(&self, name: impl AsRef<Path>, limit: u64) -> Result<Option<Vec<u8>>, AskError> {
        let broken = |error: std::io::Error| AskError::Network(error.to_string());
        let name = name.as_ref();
        if name.components().count() != 1 {
            return Ok(None);
        }
        let opened = open_blocking(&self.root, &self.folder.join(name)).map_err(broken)?;
        let Some(opened) = opened else {
            return Ok(None);
        };
        let mut body = Vec::new();
        let read = opened.file.take(limit + 1).read_to_end(&mut body);
        if read.map_err(broken)? as u64 > limit {
            return Err(AskError::TooLarge);
        }
        Ok(Some(body))
    }
}

/// What a provider knows of something that may be the item. All of it is a stranger's word: the
/// core bounds and tidies it before any is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// Its id at the provider.
    pub provider_id: String,
    /// Its title.
    pub title: String,
    /// What follows the title.
    pub subtitle: Option<String>,
    /// Titles of other regions, translations and editions.
    pub other_titles: Vec<String>,
    /// The people in their order; the role of whoever stands in the author line is `author`.
    pub authors: Vec<Credit>,
    /// The year it first came out.
    pub year: Option<i32>,
    /// Plain text.
    pub description: Option<String>,
    /// ISBNs of any of its editions.
    pub isbns: Vec<String>,
    /// Languages it came out in.
    pub languages: Vec<String>,
    /// Its series and the number in it.
    pub series: Option<Series>,
    /// Platforms, by the identifiers of the item's kind.
    pub platforms: Vec<String>,
    /// Its cover.
    pub cover: Option<Cover>,
    /// Whether it was found by where the item lies, and not by a search: it is meant then.
    pub is_certain: bool,
}

/// Where a candidate's cover is.
#[derive(Clone, PartialEq, Eq)]
pub enum Cover {
    /// The address of a picture; fetched only if the candidate is taken.
    Address(String),
    /// The picture itself, undecoded.
    Bytes(Vec<u8>),
}

impl fmt::Debug for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(url) => write!(f, "Address({url})"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("book")).expect("a folder");
        std::fs::write(folder.path().join("secret"), "secret").expect("a file");
        std::fs::write(root.join("book/metadata.json"), "{}").expect("a file");
        std::os::unix::fs::symlink("../../secret", root.join("book/link")).expect("a link");
        let place = Place {
            root,
            folder: "book".into(),
            stems: Vec::new(),
            is_alone: true,
        };
        assert_eq!(place.read("metadata.json", 2), Ok(Some(b"{}".to_vec())));
        assert_eq!(place.read("metadata.json", 1), Err(AskError::TooLarge));
        for name in [
            "absent",
            "link",
            "..",
            "../book/metadata.json",
            "/etc/passwd",
            "",
        ] {
            assert_eq!(place.read(name, 100), Ok(None), "{name}");
        }
    }
}
