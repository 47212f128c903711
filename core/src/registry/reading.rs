//! What files say inside: the results of inspecting and probing, and the means to do it.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::content::open_inside;
use crate::registry::naming::{Credit, Series};

/// A file whose kind is asked whether it really is one of its own.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Absolute path; [`Candidate::open`] opens it, to look at the header.
    pub path: &'a Path,
    /// The library's root.
    pub root: &'a Path,
    /// The lower-case extension.
    pub extension: &'a str,
    /// The lower-case extensions of all files in the same folder, the file's own included.
    pub siblings: &'a [String],
    /// Names of all files in the same folder, in the order of `siblings`.
    pub names: &'a [String],
    /// What was worked out about the folder for the files before this one.
    pub notes: &'a FolderNotes,
}

impl Candidate<'_> {
    /// Opens the file, or one beside it, as [`ReadTools::open`] does.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        open_inside(self.root, path)
    }

    /// The first bytes of the file, so many at most.
    pub fn beginning(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let file = self.open(self.path)?;
        file.take(most).read_to_end(&mut start)?;
        Ok(start)
    }
}

/// What a kind says to a file that bears one of its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is one of its files.
    Taken,
    /// It is something else, which nobody misses.
    Left,
    /// It is none, but may be missed: why, for the scan's error lines. What is catalogued stays as
    /// it is.
    Refused(String),
    /// That cannot be told now: why, for the error lines. What is catalogued stays as it is, and
    /// the next scan asks again, whether the file has changed or not.
    Unclear(String),
}

impl From<bool> for Verdict {
    fn from(is_taken: bool) -> Self {
        if is_taken { Self::Taken } else { Self::Left }
    }
}

/// What a kind works out about a folder once, while its files are judged one after another: a
/// folder may hold tens of thousands.
#[derive(Debug, Default)]
pub struct FolderNotes(RefCell<HashMap<TypeId, Rc<dyn Any>>>);

impl FolderNotes {
    /// The note of this type, made by the first who asks for it. Each kind has types of its own.
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

/// Limits and outside programs for reading a file.
#[derive(Debug, Clone, Copy)]
pub struct ReadTools<'a> {
    /// The library's root; nothing outside it is opened.
    pub root: &'a Path,
    /// The `ffprobe` executable, where there is one.
    pub ffprobe: Option<&'a Path>,
    /// How long reading one file may take.
    pub time_limit: Duration,
}

impl ReadTools<'_> {
    /// Opens a regular file by its absolute path. Between the walk that found it and this call it
    /// may have become a link that leads out of the library, or a pipe: then it is absent. Readers
    /// open nothing in any other way.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        open_inside(self.root, path)
    }
}

/// Why a file could not be read. The text goes into the scan's error list, after the path.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system's answer.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The content is not what its extension promises.
    #[error("{0}")]
    Damaged(String),
    /// A limit was reached.
    #[error("gave up: {0}")]
    Limit(String),
    /// The reader itself failed.
    #[error("{0}")]
    Crashed(String),
}

/// What a file says about the item and itself. Every field may be absent.
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
    /// Plain text.
    pub description: Option<String>,
    /// Further facts by name, merged over those of the names.
    pub facts: BTreeMap<String, serde_json::Value>,
    /// Title of this file as a part.
    pub part_title: Option<String>,
    /// Length of the file in its unit.
    pub extent: Option<i64>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
    /// Parts that could not be read although others could. Each is an error line of the scan.
    pub faults: Vec<String>,
    /// Words of the kind's own, kept with the file and shown to its grouping, also when only its
    /// neighbours are read again: where the file says it belongs, and what [`Together`] is made of.
    pub said: Option<String>,
}

/// What the files of a group say of their item together, where no single file can know it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Together {
    /// Title, year, credits, series and facts; a field that is left open is not said by any file.
    /// A description is still that of the first file that has one.
    pub inspection: Inspection,
    /// How much of the item spoke.
    pub share: Share,
}

/// How much of an item a group is: one that lies in several folders is several groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// All of it.
    #[default]
    Whole,
    /// Its beginning: what is said here stands before what the rest says.
    First,
    /// A later part: it is asked where the beginning says nothing.
    Later,
}

/// Container and codecs of a file, in ffprobe's names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Probe {
    /// One word: `mp4`, `matroska`, `webm`, …; `unknown` where not recognised, `None` where there
    /// was nothing to probe with: the file then counts as not probed.
    pub container: Option<String>,
    /// Codec of the first video stream that is no attached picture; `unknown` where not recognised.
    pub vcodec: Option<String>,
    /// Codec of the first audio stream; likewise.
    pub acodec: Option<String>,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
    /// Length in seconds.
    pub duration: Option<f64>,
    /// All streams but attached pictures.
    pub streams: Vec<Stream>,
    /// Chapters in order.
    pub chapters: Vec<Chapter>,
}

/// One stream of a media file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// What it carries.
    pub kind: StreamKind,
    /// Codec in ffprobe's name; `None` where unknown.
    pub codec: Option<String>,
    /// Language tag as the file has it.
    pub language: Option<String>,
    /// The stream's title.
    pub title: Option<String>,
    /// Meant to be shown whatever the language.
    pub forced: bool,
    /// Chosen where nothing else is.
    pub default: bool,
}

/// What a stream carries. Its word in the API and the database is the lower-case name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StreamKind {
    /// Pictures.
    #[default]
    Video,
    /// Sound.
    Audio,
    /// Text.
    Subtitle,
}

impl std::fmt::Display for StreamKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // serde writes the name of a unit variant into a formatter.
        serde::Serialize::serialize(self, f)
    }
}

/// A chapter and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Title; may be empty.
    pub title: String,
    /// Start in seconds.
    pub start: f64,
}
