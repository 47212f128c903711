//! Query and response types of metadata providers.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::details::{Details, ExternalId, KnownPart, LocalPictures, PersonDetails};
use super::net::{AskError, Net};
use crate::fs::open_blocking;
use crate::registry::MatchRules;
use crate::registry::naming::{Credit, Series};

/// Configured provider. It has no timing, limits or tokens of its own: the core provides them
/// through [`Net`].
pub trait Lookup: Send + Sync + fmt::Debug {
    /// Returns at most 20 candidates for a query, best first. An empty list means that nothing was
    /// found. The core selects the match.
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError>;

    /// Returns the entry with this id, for a user's choice and for a refresh.
    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError>;

    /// Returns the details of the person with one of these ids, with texts in the first of
    /// `languages` that has one. Without an id of a known database, it sends no request.
    fn person(
        &self,
        _ids: &[ExternalId],
        _languages: &[String],
        _net: &dyn Net,
    ) -> Result<Option<PersonDetails>, AskError> {
        Ok(None)
    }

    /// Returns the pictures in the folders of an item that another provider describes. A provider
    /// that queries a server has none.
    fn local_pictures(&self, _question: &Query) -> LocalPictures {
        LocalPictures::default()
    }

    /// Checks address and key with one request, because an administrator tests them. The default
    /// searches for the title of `question`, which contains no data of a library.
    fn check(&self, question: &Query, net: &dyn Net) -> Result<(), AskError> {
        self.search(question, net).map(drop)
    }
}

/// Known values of an item for a provider query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Id of the item's kind.
    pub kind: String,
    /// Title for the search: the stored title after the kind's `search_title`.
    pub title: String,
    /// Title as it is stored.
    pub stored_title: String,
    /// Subtitle, if the files contain one.
    pub subtitle: Option<String>,
    /// Names of the authors.
    pub authors: Vec<String>,
    /// Year of publication or release.
    pub year: Option<i32>,
    /// ISBNs from files and names, with only digits and a final X.
    pub isbns: Vec<String>,
    /// Series and the number in it.
    pub series: Option<Series>,
    /// Platform that the kind detected.
    pub platform: Option<String>,
    /// Language from the files.
    pub language: Option<String>,
    /// Id of the item's subkind, as its kind defines it.
    pub subkind: Option<String>,
    /// Ids that names, tags and metadata files of the item contain. They take precedence over
    /// names.
    pub external_ids: Vec<ExternalId>,
    /// Episodes or tracks of the item in order, at most 500.
    pub parts: Vec<KnownPart>,
    /// Languages for texts, most wanted first, as BCP 47 tags. Never empty for a query of the core.
    pub languages: Vec<String>,
    /// Rules of the item's kind for matches.
    pub rules: MatchRules,
    /// Folders of the item's files, for providers that read local files.
    pub folders: Vec<ItemFolder>,
}

/// Folder with files of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFolder {
    /// Root of the library.
    pub root: PathBuf,
    /// Path of the folder below the root. Empty for the root itself.
    pub folder: PathBuf,
    /// Names of the item's files in this folder, without their extensions.
    pub stems: Vec<PathBuf>,
    /// `true` if no other item of its kind has a file here, so that metadata of the folder applies
    /// to the item.
    pub is_alone: bool,
}

impl Query {
    /// Returns the item's id in an external database.
    pub fn external_id(&self, database: &str) -> Option<&str> {
        ExternalId::find(&self.external_ids, database)
    }
}

impl ItemFolder {
    /// Reads a file of the folder, up to `limit` bytes. Returns `None` if it is absent, leads out
    /// of the library, or is not a regular file.
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

/// Entry of a provider that may be the item. It is untrusted input: the core bounds and sanitizes
/// it before it is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// Id at the provider.
    pub provider_id: String,
    /// Main title.
    pub title: String,
    /// Subtitle.
    pub subtitle: Option<String>,
    /// Titles of other regions, translations and editions.
    pub other_titles: Vec<String>,
    /// People in order. People of the author line have the role `author`.
    pub authors: Vec<Credit>,
    /// Year of first publication or release.
    pub year: Option<i32>,
    /// Description as plain text.
    pub description: Option<String>,
    /// ISBNs of any of its editions.
    pub isbns: Vec<String>,
    /// Languages of its editions.
    pub languages: Vec<String>,
    /// Series and the number in it.
    pub series: Option<Series>,
    /// Platforms, by the identifiers of the item's kind.
    pub platforms: Vec<String>,
    /// Cover picture.
    pub cover: Option<Cover>,
    /// Ids of the entry in other databases.
    pub external_ids: Vec<ExternalId>,
    /// Further details. A search may omit them; the response to an id contains them.
    pub details: Details,
    /// `true` if the entry was found by the item's location or by one of its external ids instead of
    /// a search. It then matches without a comparison.
    pub is_certain: bool,
}

/// Source of a candidate's cover.
#[derive(Clone, PartialEq, Eq)]
pub enum Cover {
    /// URL of a picture. It is fetched only if the candidate is the match.
    Address(String),
    /// Undecoded picture.
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
    fn read_is_limited_to_files_of_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("book")).expect("a folder");
        std::fs::write(folder.path().join("secret"), "secret").expect("a file");
        std::fs::write(root.join("book/metadata.json"), "{}").expect("a file");
        std::os::unix::fs::symlink("../../secret", root.join("book/link")).expect("a link");
        let place = ItemFolder {
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
