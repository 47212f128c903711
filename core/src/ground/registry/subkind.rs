//! Subkinds: categories of items within a media kind, by which lists are filtered.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Format;

/// Category of items within a kind, such as films and series, or the platforms of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subkind {
    /// Identifier in the API and the database: `^[a-z0-9][a-z0-9_]*$`, unique within the kind.
    pub id: &'static str,
    /// Name of one item, in English: "Film".
    pub label: &'static str,
    /// Name of several items: "Films".
    pub label_plural: &'static str,
    /// Labels in other languages. Without an entry, the English ones are shown.
    pub translations: &'static [Translation],
    /// Name of one of several parts of such an item.
    pub part: PartName,
}

impl Subkind {
    /// Creates a subkind without translations, whose parts have no name of their own.
    pub const fn new(id: &'static str, label: &'static str, label_plural: &'static str) -> Self {
        Self {
            id,
            label,
            label_plural,
            translations: &[],
            part: PartName::Part,
        }
    }
}

/// Labels of a subkind in another language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Translation {
    /// Language tag (BCP 47): `de`.
    pub language: &'static str,
    /// Name of one item.
    pub label: &'static str,
    /// Name of several items.
    pub label_plural: &'static str,
}

/// Name of one of several files that are played one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// No specific name.
    Part,
    /// Chapter of one long work. The parts share one timeline.
    Chapter,
    /// Track of an album.
    Track,
    /// Episode of a series.
    Episode,
}

/// Facts of an item that determine its subkind. They are stored, so that a scan can assign a
/// subkind without reading a file again.
#[derive(Debug, Clone, Copy)]
pub struct ItemTraits<'a> {
    /// Facts of the item. Facts from files override those from names.
    pub facts: &'a BTreeMap<String, Value>,
    /// Formats of its files.
    pub formats: &'a [&'static Format],
    /// `true` if a file has a season or an episode number.
    pub has_episodes: bool,
}

/// Assigns no subkind.
pub(super) fn none(_: &ItemTraits<'_>) -> Option<&'static str> {
    None
}
