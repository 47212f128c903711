//! Capability of a kind: its items can be played in other programs, part by part.

use futures_util::future::BoxFuture;

use super::ApiResult;
use crate::App;
use crate::access::VisibleFile;

/// Recordings of a kind. The crate of the kind submits it. The kind must also read the artists of its
/// files (`MediaKind::part_artists`): other programs search and list its files one by one.
#[derive(Debug, Clone, Copy)]
pub struct Recordings {
    /// Id of the kind.
    pub kind: &'static str,
    /// Returns the form of an item with this subkind.
    pub form: fn(subkind: Option<&str>) -> Form,
    /// Reads the properties of a part from the data that the kind stored for its file.
    pub part: fn(kind_data: &str) -> Part,
    /// Reads the texts of a part from its file, the best one first.
    pub lyrics: fn(LyricsRequest) -> BoxFuture<'static, ApiResult<Vec<Lyrics>>>,
}

inventory::collect!(Recordings);

/// Form of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Parts that were published together.
    Album,
    /// A spoken book.
    Book,
    /// A recording of its own.
    Single,
}

/// Properties of a part. Absent ones are unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Title.
    pub title: Option<String>,
    /// Names of the artists.
    pub artists: Vec<String>,
    /// Names of the composers.
    pub composers: Vec<String>,
    /// Names of the genres.
    pub genres: Vec<String>,
    /// Number of the track on its disc.
    pub track: Option<i64>,
    /// Number of the disc.
    pub disc: Option<i64>,
    /// Year of the release.
    pub year: Option<i64>,
    /// Beats per minute.
    pub bpm: Option<i64>,
    /// Bits per second.
    pub bit_rate: Option<i64>,
    /// Samples per second.
    pub sample_rate: Option<i64>,
    /// Number of channels.
    pub channels: Option<i64>,
    /// Bits per sample.
    pub bit_depth: Option<i64>,
    /// Gain of the part in decibels.
    pub gain: Option<f64>,
    /// Peak of the part, where 1 is full scale.
    pub peak: Option<f64>,
    /// Gain of the item in decibels.
    pub item_gain: Option<f64>,
    /// Peak of the item, where 1 is full scale.
    pub item_peak: Option<f64>,
}

/// Request for the texts of a part.
#[derive(Debug)]
pub struct LyricsRequest {
    /// Context of the handler.
    pub app: App,
    /// The file.
    pub file: VisibleFile,
}

/// Text of a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lyrics {
    /// `true` if the lines have times.
    pub is_synced: bool,
    /// Lines in order.
    pub lines: Vec<LyricsLine>,
}

/// Line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LyricsLine {
    /// Milliseconds from the beginning. `None` in a text without times.
    pub start: Option<i64>,
    /// The text; empty in a pause.
    pub text: String,
}

impl Recordings {
    /// Returns the capability of a kind.
    pub fn of_kind(kind: &str) -> Option<&'static Self> {
        Self::all().find(|recordings| recordings.kind == kind)
    }

    /// Returns the ids of all kinds with recordings.
    pub fn kinds() -> Vec<&'static str> {
        let mut kinds: Vec<_> = Self::all().map(|recordings| recordings.kind).collect();
        kinds.sort_unstable();
        kinds
    }

    fn all() -> impl Iterator<Item = &'static Self> {
        inventory::iter::<Self>()
    }
}
