//! Tags of every format in one vocabulary.

pub(crate) mod ape;
pub(crate) mod asf;
pub(crate) mod genre;
pub(crate) mod id3;
pub(crate) mod ilst;
pub(crate) mod key;
pub(crate) mod riff;
pub(crate) mod vorbis;

use ledge_core::registry::reading::Chapter;

pub(crate) use key::Key;

/// Most values that are kept of a file.
const MOST_VALUES: usize = 2_000;

/// Most chapters of a file.
pub(crate) const MOST_CHAPTERS: usize = 10_000;

/// Largest picture.
pub(crate) const LARGEST_PICTURE: usize = 32 << 20;

/// What is asked of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Texts and chapters.
    Texts,
    /// Long texts too: words of songs.
    Lyrics,
    /// The picture alone.
    Picture,
}

impl Want {
    /// Whether values of this kind are asked for.
    pub(crate) fn includes(self, key: Key) -> bool {
        match self {
            Self::Texts => key != Key::Lyrics,
            Self::Lyrics => true,
            Self::Picture => false,
        }
    }
}

/// What the tags of a file say.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    values: Vec<(Key, String)>,
    pub(crate) chapters: Vec<Chapter>,
    /// The front cover, or the first picture while none is called that.
    picture: Option<(bool, Vec<u8>)>,
    /// Words with their times, as LRC.
    pub(crate) timed_words: Option<String>,
}

impl Tags {
    /// Adds a value; empty ones say nothing.
    pub(crate) fn add(&mut self, key: Key, value: &str) {
        let value = value.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if !value.is_empty() && self.values.len() < MOST_VALUES {
            self.values.push((key, value.to_owned()));
        }
    }

    /// The first value.
    pub(crate) fn first(&self, key: Key) -> Option<&str> {
        self.all(key).next()
    }

    /// All values, in order.
    pub(crate) fn all(&self, key: Key) -> impl Iterator<Item = &str> {
        self.values
            .iter()
            .filter(move |(known, _)| *known == key)
            .map(|(_, value)| value.as_str())
    }

    /// Takes over what another tag says of things that this one is silent about.
    pub(crate) fn fall_back_on(&mut self, other: Self) {
        let known: Vec<Key> = self.values.iter().map(|(key, _)| *key).collect();
        let fresh = other
            .values
            .into_iter()
            .filter(|(key, _)| !known.contains(key));
        self.values.extend(fresh);
        self.values.truncate(MOST_VALUES);
        if self.chapters.is_empty() {
            self.chapters = other.chapters;
        }
        if self.picture.is_none() {
            self.picture = other.picture;
        }
        self.timed_words = self.timed_words.take().or(other.timed_words);
    }

    /// Whether a picture that is the front cover is to be read, or that is none.
    pub(crate) fn wants_picture(&self, is_front: bool) -> bool {
        match &self.picture {
            None => true,
            Some((is_known_front, _)) => is_front && !is_known_front,
        }
    }

    /// Keeps a picture, if it is better than the one there is.
    pub(crate) fn add_picture(&mut self, is_front: bool, bytes: Vec<u8>) {
        let fits = !bytes.is_empty() && bytes.len() <= LARGEST_PICTURE;
        if fits && self.wants_picture(is_front) {
            self.picture = Some((is_front, bytes));
        }
    }

    /// The cover, as it lies in the file.
    pub(crate) fn take_picture(&mut self) -> Option<Vec<u8>> {
        self.picture.take().map(|(_, bytes)| bytes)
    }
}
