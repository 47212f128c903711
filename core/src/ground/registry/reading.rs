//! Reading of files: the results of inspecting and probing, and the tools for it.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::fs::open_inside;
use crate::registry::naming::{Credit, Series};

/// File that a kind must accept or reject.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Absolute path. [`Candidate::open`] opens it, for example to read the header.
    pub path: &'a Path,
    /// Root of the library.
    pub root: &'a Path,
    /// Extension in lower case.
    pub extension: &'a str,
    /// Extensions of all files in the folder in lower case, including the file's own.
    pub siblings: &'a [String],
    /// Names of all files in the folder, in the order of `siblings`.
    pub names: &'a [String],
    /// Cache for the folder, shared by the checks of all its files.
    pub notes: &'a FolderNotes,
}

impl Candidate<'_> {
    /// Opens the file, or another one in its folder, as [`ReadTools::open`] does.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        open_inside(self.root, path)
    }

    /// Reads the first bytes of the file, at most `most`.
    pub fn beginning(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let file = self.open(self.path)?;
        file.take(most).read_to_end(&mut start)?;
        Ok(start)
    }
}

/// Verdict of a kind on a file with one of its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The file belongs to the kind.
    Accept,
    /// The file does not belong to the kind. This is expected and not reported.
    Ignore,
    /// The file does not belong to the kind, but a user may expect it. The reason becomes an error
    /// line of the scan. The catalogued values stay.
    Reject(String),
    /// No decision is possible now. The reason becomes an error line. The catalogued values stay,
    /// and the next scan asks again even if the file is unchanged.
    RetryLater(String),
}

impl From<bool> for Verdict {
    fn from(is_accepted: bool) -> Self {
        if is_accepted {
            Self::Accept
        } else {
            Self::Ignore
        }
    }
}

/// Cache of a kind for one folder while its files are checked one after another. A folder may
/// contain tens of thousands of files.
#[derive(Debug, Default)]
pub struct FolderNotes(RefCell<HashMap<TypeId, Rc<dyn Any>>>);

impl FolderNotes {
    /// Returns the cached value of this type. The first call creates it. Each kind must use its own
    /// types.
    pub fn get_or_make<T: 'static>(&self, make: impl FnOnce() -> T) -> Rc<T> {
        let known = self.0.borrow().get(&TypeId::of::<T>()).cloned();
        if let Some(Ok(note)) = known.map(Rc::downcast) {
            return note;
        }
        let note = Rc::new(make());
        self.0.borrow_mut().insert(TypeId::of::<T>(), note.clone());
        note
    }
}

/// Limits and external programs for reading a file.
#[derive(Debug, Clone, Copy)]
pub struct ReadTools<'a> {
    /// Root of the library. Nothing outside it is opened.
    pub root: &'a Path,
    /// The `ffprobe` executable, if it is installed.
    pub ffprobe: Option<&'a Path>,
    /// Time limit for reading one file.
    pub time_limit: Duration,
}

impl ReadTools<'_> {
    /// Opens a regular file by its absolute path. Since the walk, the path may have become a pipe
    /// or a link that leads out of the library: it is then treated as absent. Readers must open
    /// files only with this function.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        open_inside(self.root, path)
    }
}

/// Metadata in a file. Every field may be absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspection {
    /// Title of the item.
    pub title: Option<String>,
    /// Year of publication or release.
    pub year: Option<i32>,
    /// People with their roles, in order.
    pub credits: Vec<Credit>,
    /// Series and number.
    pub series: Option<Series>,
    /// Description as plain text.
    pub description: Option<String>,
    /// Further facts by name. They override facts from the names.
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Title of this file as a part.
    pub part_title: Option<String>,
    /// Length of the file in its unit.
    pub extent: Option<i64>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
    /// Errors about parts that could not be read although others could. Each is an error line of
    /// the scan.
    pub faults: Vec<String>,
    /// Kind-specific data, stored with the file. Grouping receives it even if only other files of
    /// the folder are read again. It contains values for grouping and the input of [`ItemSummary`].
    pub kind_data: Option<String>,
}

/// Merged metadata of a group's files, for values that no single file contains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ItemSummary {
    /// Title, year, credits, series and facts. A field without a value counts as absent in all
    /// files. The description is that of the first file that has one.
    pub inspection: Inspection,
    /// Part of the item that the group covers.
    pub coverage: Coverage,
}

/// Part of an item that a group covers. An item in several folders has several groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// The whole item.
    #[default]
    Whole,
    /// The beginning. Its values precede those of later parts.
    First,
    /// A later part. Its values apply only if the beginning has none.
    Later,
}

/// Container and codecs of a file, by their ffprobe names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Probe {
    /// Container as one word: `mp4`, `matroska`, `webm`, …. `unknown` if it was not recognized.
    /// `None` if no probe was available: the file then counts as not probed.
    pub container: Option<String>,
    /// Codec of the first video stream that is not an attached picture. `unknown` if it was not
    /// recognized.
    pub vcodec: Option<String>,
    /// Codec of the first audio stream. `unknown` if it was not recognized.
    pub acodec: Option<String>,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
    /// Duration in seconds.
    pub duration: Option<f64>,
    /// All streams except attached pictures.
    pub streams: Vec<Stream>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
}

/// Stream of a media file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Type of the stream.
    pub kind: StreamKind,
    /// Codec by its ffprobe name, or `None` if it is unknown.
    pub codec: Option<String>,
    /// Language tag as written in the file.
    pub language: Option<String>,
    /// Title of the stream.
    pub title: Option<String>,
    /// `true` if the stream is shown whatever the language is.
    pub forced: bool,
    /// `true` if the stream is selected by default.
    pub default: bool,
}

/// Type of a stream. The API and the database use the lower-case name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StreamKind {
    /// Video.
    #[default]
    Video,
    /// Audio.
    Audio,
    /// Subtitles.
    Subtitle,
}

impl std::fmt::Display for StreamKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // serde writes the name of a unit variant into a formatter.
        serde::Serialize::serialize(self, f)
    }
}

/// Chapter with its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Title, possibly empty.
    pub title: String,
    /// Start in the unit of the file, in general seconds.
    pub start: f64,
}
