//! Common representation of the tags of all formats.

pub(crate) mod ape;
pub(crate) mod asf;
pub(crate) mod genre;
pub(crate) mod id3;
pub(crate) mod ilst;
pub(crate) mod key;
mod musicbrainz;
pub(crate) mod riff;
pub(crate) mod stored;
pub(crate) mod vorbis;

use ledge_core::registry::reading::Chapter;

pub(crate) use key::Key;

/// Maximum number of tag values per file.
const MAX_VALUES: usize = 2_000;

/// Maximum number of chapters per file.
pub(crate) const MAX_CHAPTERS: usize = 10_000;

/// Maximum size of a picture, in bytes.
pub(crate) const MAX_PICTURE_SIZE: usize = 32 << 20;

/// Part of a file's metadata that a caller requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagSelection {
    /// Texts and chapters, without lyrics.
    Texts,
    /// Texts, chapters and lyrics.
    Lyrics,
    /// Picture only.
    Picture,
}

impl TagSelection {
    /// Returns `true` if values of this key are requested.
    pub(crate) fn includes(self, key: Key) -> bool {
        match self {
            Self::Texts => key != Key::Lyrics,
            Self::Lyrics => true,
            Self::Picture => false,
        }
    }
}

/// Tags of a file.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    values: Vec<(Key, String)>,
    pub(crate) chapters: Vec<Chapter>,
    /// Front cover if there is one, otherwise the first picture. The flag marks a front cover.
    picture: Option<(bool, Vec<u8>)>,
    /// Synchronised lyrics in LRC format.
    pub(crate) synced_lyrics: Option<String>,
}

impl Tags {
    /// Adds a value. Empty values are ignored.
    pub(crate) fn add(&mut self, key: Key, value: &str) {
        let value = value.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if !value.is_empty() && self.values.len() < MAX_VALUES {
            self.values.push((key, value.to_owned()));
        }
    }

    /// Returns the first value of a key.
    pub(crate) fn first(&self, key: Key) -> Option<&str> {
        self.all(key).next()
    }

    /// Returns all values of a key, in order.
    pub(crate) fn all(&self, key: Key) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .filter(move |(name, _)| *name == key)
            .map(|(_, value)| value.as_str())
    }

    /// Adds the keys of another tag that this one lacks.
    pub(crate) fn merge_missing(&mut self, other: Self) {
        let existing: Vec<Key> = self.values.iter().map(|(key, _)| *key).collect();
        let fresh = other
            .values
            .into_iter()
            .filter(|(key, _)| !existing.contains(key));
        self.values.extend(fresh);
        self.values.truncate(MAX_VALUES);
        if self.chapters.is_empty() {
            self.chapters = other.chapters;
        }
        if self.picture.is_none() {
            self.picture = other.picture;
        }
        self.synced_lyrics = self.synced_lyrics.take().or(other.synced_lyrics);
    }

    /// Returns `true` if a picture with this front flag would replace the current one.
    pub(crate) fn wants_picture(&self, is_front: bool) -> bool {
        match &self.picture {
            None => true,
            Some((is_known_front, _)) => is_front && !is_known_front,
        }
    }

    /// Stores a picture if it is better than the current one.
    pub(crate) fn add_picture(&mut self, is_front: bool, bytes: Vec<u8>) {
        let fits = !bytes.is_empty() && bytes.len() <= MAX_PICTURE_SIZE;
        if fits && self.wants_picture(is_front) {
            self.picture = Some((is_front, bytes));
        }
    }

    /// Removes and returns the cover in its original encoding.
    pub(crate) fn take_picture(&mut self) -> Option<Vec<u8>> {
        self.picture.take().map(|(_, bytes)| bytes)
    }
}
