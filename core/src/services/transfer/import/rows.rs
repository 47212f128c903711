//! Rows that every source produces, without the ids of Ledge.

use super::ImportResult;
use crate::fs::media_file::MediaFile;
use crate::time::Timestamp;

/// User of another program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceUser {
    /// Id in the other program.
    pub id: String,
    /// Name that is compared with usernames.
    pub name: String,
    /// Further names of the same user.
    pub aliases: Vec<String>,
    /// `true` for an administrator.
    pub is_admin: bool,
    /// `true` if the source contains no name of the user. Only an entered mapping maps the user then.
    pub is_nameless: bool,
}

/// File as the other program knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Absolute path. `\` counts as `/`.
    pub path: String,
    /// Size in bytes, if it is known.
    pub size: Option<i64>,
}

/// File without a size.
impl From<&str> for SourceFile {
    fn from(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            size: None,
        }
    }
}

/// State of a player that a file of the source contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceSave {
    /// Path below the source's folder, for the report.
    pub path: String,
    /// File name. Its stem is the stem of the file that the player ran.
    pub name: String,
    /// Folder of that file in the source. It decides among files with equal stems.
    pub folder: String,
    /// Slot in Ledge.
    pub slot: &'static str,
    /// Program that wrote the state, if it is known.
    pub core: Option<String>,
}

/// Position in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Position {
    /// Seconds from the beginning.
    Seconds(f64),
    /// Page or section, from 0.
    Index(i64),
    /// Fraction of the file, from 0 to 1.
    Fraction(f64),
    /// Section, from 0, with a locator of the exact position.
    Located(i64, String),
    /// Section by its name in the file, with the fraction of the whole file.
    Section {
        /// Name of the section's file.
        href: String,
        /// Relative position inside the section, from 0 to 1.
        within: Option<f64>,
        /// Fraction of the file, from 0 to 1, for an unknown section.
        total: Option<f64>,
    },
    /// End of the file.
    End,
}

/// Progress in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The file.
    pub file: SourceFile,
    /// Position in the file.
    pub position: Position,
    /// `true` if the file is finished.
    pub finished: bool,
}

/// Progress in the files of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Title for the report.
    pub title: String,
    /// Time of the progress.
    pub at: Option<Timestamp>,
    /// Files with progress.
    pub parts: Vec<Part>,
}

/// Item that files of the source identify.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// Title for the report.
    pub title: String,
    /// Files in order.
    pub files: Vec<SourceFile>,
    /// Relation of the files to the item.
    pub scope: Scope,
}

/// Relation of files to an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// The first known file identifies the item.
    #[default]
    Item,
    /// The value belongs to the file. It is unsupported if the item has several files.
    File,
    /// The value belongs to all files together. It is unsupported if they are in several items.
    Whole,
}

/// List without its entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceList {
    /// Id in the other program.
    pub key: String,
    /// Name of the list.
    pub name: String,
    /// Description, if there is one.
    pub description: Option<String>,
    /// `true` if every user can read the list.
    pub public: bool,
    /// `true` for ordered files, `false` for ordered items.
    pub is_playlist: bool,
}

/// Type of a row that Ledge cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowType {
    /// Progress.
    Progress,
    /// Favourite.
    Favourite,
    /// Rating.
    Rating,
    /// Ordered files.
    Playlist,
    /// Ordered items.
    Collection,
    /// Number of views.
    Plays,
    /// Bookmark.
    Bookmark,
    /// Session.
    Session,
    /// State of a player.
    Save,
}

impl RowType {
    /// Returns the value for the report.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Progress => "progress",
            Self::Favourite => "favourite",
            Self::Rating => "rating",
            Self::Playlist => "playlist",
            Self::Collection => "collection",
            Self::Plays => "plays",
            Self::Bookmark => "bookmark",
            Self::Session => "session",
            Self::Save => "save",
        }
    }
}

/// Receiver of the rows of a source. `user` is the id of a [`SourceUser`].
pub trait Rows {
    /// Returns `true` if the rows of a user are imported.
    fn is_mapped(&self, user: &str) -> bool;

    /// Receives progress.
    fn progress(&mut self, user: &str, row: Progress) -> ImportResult<()>;

    /// Receives a favourite, with the time since which it is one.
    fn favourite(&mut self, user: &str, target: &Target, at: Option<Timestamp>)
    -> ImportResult<()>;

    /// Receives a rating from 0.5 to 10. Ratings outside of this range are left out.
    fn rating(
        &mut self,
        user: &str,
        target: &Target,
        rating: f64,
        at: Option<Timestamp>,
    ) -> ImportResult<()>;

    /// Receives a number of views, with the time of the last one.
    fn plays(
        &mut self,
        user: &str,
        target: &Target,
        n: i64,
        at: Option<Timestamp>,
    ) -> ImportResult<()>;

    /// Receives a bookmark.
    fn bookmark(
        &mut self,
        user: &str,
        part: &Part,
        note: Option<String>,
        at: Option<Timestamp>,
    ) -> ImportResult<()>;

    /// Receives a session of a user with a file: its start, and its length in seconds.
    fn session(
        &mut self,
        user: &str,
        target: &Target,
        at: Option<Timestamp>,
        seconds: f64,
    ) -> ImportResult<()>;

    /// Receives a state of a player, with its open file.
    fn save(&mut self, user: &str, save: &SourceSave, body: &MediaFile) -> ImportResult<()>;

    /// Begins a list. The entries that follow belong to it.
    fn list(&mut self, user: &str, list: SourceList) -> ImportResult<()>;

    /// Receives the next entry of the current list.
    fn entry(&mut self, target: &Target) -> ImportResult<()>;

    /// Receives a row that Ledge cannot store.
    fn unsupported(&mut self, user: &str, row: RowType, title: &str) -> ImportResult<()>;
}
