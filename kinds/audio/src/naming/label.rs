//! Parser for names of albums, audiobooks and recordings: title, year, narrators, technical marks.

use std::collections::BTreeMap;

use ledge_core::text::names::brackets::{Part, Tag};
use ledge_core::text::names::{brackets, clean, natural, people, year};
use serde_json::Value;

/// Technical words of rips and encodings, sorted. They do not belong to a title.
const TECHNICAL: &[&str] = &[
    "16bit", "24bit", "2lp", "320", "320kbps", "44", "aac", "abr", "alac", "ape", "bit", "bits",
    "cbr", "cd", "dsd", "flac", "hdtracks", "hi-res", "hires", "kbps", "khz", "lame", "lossless",
    "lp", "m4a", "m4b", "mp3", "mqa", "ogg", "opus", "pcm", "rip", "sacd", "v0", "v2", "vbr",
    "vinyl", "wav", "web", "webrip", "wv",
];
/// Phrases before a narrator's name.
const NARRATOR_PHRASES: &[&str] = &[
    "read by ",
    "narrated by ",
    "narrator ",
    "gelesen von ",
    "lu par ",
];
/// Words before a volume number.
const VOLUME_WORDS: &[&str] = &["volume", "vol", "book", "bk", "band", "tome", "tomo", "#"];

/// Components of a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Label {
    /// Text between ` - ` separators, without years and numbers. Empty if nothing remains.
    pub(crate) segments: Vec<String>,
    pub(crate) year: Option<i32>,
    /// Index in a series, from `Book 2`, `Vol. 3`, `#4` or a leading `01 - `.
    pub(crate) index: Option<f64>,
    pub(crate) narrators: Vec<String>,
    pub(crate) facts: BTreeMap<String, Value>,
}

impl Label {
    /// Parses a folder name or a file stem.
    pub(crate) fn parse(name: &str) -> Self {
        let mut label = Self::default();
        let mut text = String::new();
        for part in brackets::parts(&clean::spaced(name)) {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Tag(tag) if label.consume_tag(tag) => text.push(' '),
                Part::Tag(tag) => push_tag(&mut text, tag),
            }
        }
        let mut segments: Vec<&str> = text
            .split(" - ")
            .flat_map(|segment| segment.split(" – "))
            .map(clean::trimmed)
            .filter(|segment| !segment.is_empty())
            .collect();
        label.take_numbers(&mut segments);
        label.segments = segments.into_iter().map(clean::plain).collect();
        label
    }

    /// Joins the segments into one title. Returns an empty text if there are none.
    pub(crate) fn title(&self) -> String {
        self.segments.join(" - ")
    }

    /// Consumes a bracketed tag if it has a known meaning. Otherwise it stays in the title.
    fn consume_tag(&mut self, tag: Tag<'_>) -> bool {
        let lower = tag.text.to_lowercase();
        if let Some(year) = year::leading(tag.text).filter(|_| tag.open != '{') {
            self.year = self.year.or(Some(year));
            return true;
        }
        if let Some(abridged) = abridgement(&lower) {
            self.facts.insert("abridged".to_owned(), abridged.into());
            return true;
        }
        if is_asin(tag.text) {
            self.facts.insert("asin".to_owned(), tag.text.into());
            return true;
        }
        if let Some(narrators) = narrators(tag, &lower) {
            self.narrators.extend(narrators);
            return true;
        }
        if let Some(index) = volume(&lower) {
            self.index = self.index.or(Some(index));
            return true;
        }
        tag.text.is_empty() || tag.open != '(' && is_code(&lower) || is_technical(&lower)
    }

    /// Removes years and volume numbers from the segments. The last segment always stays.
    fn take_numbers(&mut self, segments: &mut Vec<&str>) {
        let mut at = 0;
        while let Some(&segment) = segments.get(at).filter(|_| segments.len() > 1) {
            let lower = segment.to_lowercase();
            let last = at + 1 == segments.len();
            let index = volume(&lower).or_else(|| {
                // A bare number counts only in front: `Author - 1984` contains a title.
                natural::number(segment).filter(|_| at == 0 && segment.len() < 4)
            });
            // `2001 - A Space Odyssey (1968)`: a second year belongs to the title.
            let year = year::parse(segment).filter(|year| self.year.is_none_or(|y| y == *year));
            if let Some(year) = year.filter(|_| !last) {
                self.year = Some(year);
            } else if let Some(index) = index {
                self.index = self.index.or(Some(index));
            } else {
                at += 1;
                continue;
            }
            segments.remove(at);
        }
        if let Some(first) = segments.first_mut()
            && let Some((number, rest)) = numbered_sentence(first)
        {
            match year::parse(number) {
                Some(year) => self.year = self.year.or(Some(year)),
                None => self.index = self.index.or_else(|| natural::number(number)),
            }
            *first = rest;
        }
    }
}

/// Splits `1. Title` and `1975. Title` into number and title.
fn numbered_sentence(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = natural::digits(text);
    let rest = rest.strip_prefix(". ")?.trim();
    (!number.is_empty() && !rest.is_empty()).then_some((number, rest))
}

/// Appends a tag with its brackets.
pub(crate) fn push_tag(text: &mut String, tag: Tag<'_>) {
    let close = match tag.open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    text.push(tag.open);
    text.push_str(tag.text);
    text.push(close);
}

/// Parses a volume number: `Book 1`, `Vol. 2.5`, `#3`.
fn volume(lower: &str) -> Option<f64> {
    let rest = VOLUME_WORDS
        .iter()
        .find_map(|word| lower.strip_prefix(word))?;
    natural::number(rest.trim_start_matches(['.', ' ', '#', ':']))
}

/// Parses narrators. Names in braces are narrators by Audiobookshelf's convention; elsewhere a
/// phrase from `NARRATOR_PHRASES` is required.
fn narrators(tag: Tag<'_>, lower: &str) -> Option<Vec<String>> {
    let named = NARRATOR_PHRASES
        .iter()
        .find(|words| lower.starts_with(*words))
        .and_then(|words| tag.text.get(words.len()..));
    let text = match named {
        Some(text) => text,
        None if tag.open == '{' && !is_code(lower) => tag.text,
        None => return None,
    };
    Some(people::split(text)).filter(|names| !names.is_empty())
}

/// Returns `true` for codes such as `imdb-tt0111161`, `320kbps` or `edition-Remastered`.
fn is_code(lower: &str) -> bool {
    lower.bytes().any(|b| b.is_ascii_digit())
        || lower.starts_with("edition-")
        || is_technical(lower)
}

fn is_technical(lower: &str) -> bool {
    let mut words = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| !word.is_empty())
        .peekable();
    let known = |word: &str| TECHNICAL.binary_search(&word).is_ok();
    let number = |word: &str| word.split('-').all(|part| part.parse::<u32>().is_ok());
    let all: Vec<&str> = words.by_ref().collect();
    all.iter().any(|word| known(word)) && all.iter().all(|word| known(word) || number(word))
        || all.len() == 1
            && all
                .iter()
                .all(|word| matches!(*word, "24-96" | "16-44" | "24-192"))
}

fn abridgement(lower: &str) -> Option<bool> {
    match lower {
        "unabridged" | "ungekürzt" | "ungekürzte lesung" | "texte intégral" => Some(false),
        "abridged" | "gekürzt" | "gekürzte lesung" => Some(true),
        _ => None,
    }
}

/// Returns `true` for an Audible identifier (ASIN): ten characters, `B0…` or the digits of an ISBN.
fn is_asin(text: &str) -> bool {
    text.len() == 10
        && (text.starts_with("B0") || text.bytes().take(9).all(|b| b.is_ascii_digit()))
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn technical_words_are_sorted() {
        assert!(TECHNICAL.is_sorted());
    }

    #[test]
    fn names_are_split_into_their_components() {
        for (name, segments, year, index) in [
            (
                "Wish You Were Here (1975) [FLAC]",
                vec!["Wish You Were Here"],
                Some(1975),
                None,
            ),
            (
                "1975 - Wish You Were Here",
                vec!["Wish You Were Here"],
                Some(1975),
                None,
            ),
            (
                "[1975] Wish You Were Here",
                vec!["Wish You Were Here"],
                Some(1975),
                None,
            ),
            (
                "1975. Wish You Were Here",
                vec!["Wish You Were Here"],
                Some(1975),
                None,
            ),
            (
                "George Orwell - 1984",
                vec!["George Orwell", "1984"],
                None,
                None,
            ),
            ("1984", vec!["1984"], None, None),
            (
                "Vol. 1 - 1994 - Wizards First Rule",
                vec!["Wizards First Rule"],
                Some(1994),
                Some(1.0),
            ),
            ("Book 2.5 - Edgedancer", vec!["Edgedancer"], None, Some(2.5)),
            ("03 - Small Gods", vec!["Small Gods"], None, Some(3.0)),
            ("3. Small Gods", vec!["Small Gods"], None, Some(3.0)),
            ("Small Gods (Book 13)", vec!["Small Gods"], None, Some(13.0)),
            (
                "Nevermind (Deluxe Edition) (1991)",
                vec!["Nevermind (Deluxe Edition)"],
                Some(1991),
                None,
            ),
            (
                "Nevermind [24-96 FLAC] {2011}",
                vec!["Nevermind"],
                None,
                None,
            ),
        ] {
            let label = Label::parse(name);
            assert_eq!(label.segments, segments, "{name}");
            assert_eq!((label.year, label.index), (year, index), "{name}");
        }
    }

    #[test]
    fn narrators_and_marks_are_parsed() {
        let label =
            Label::parse("Dune (1965) {Scott Brick & Simon Vance} [B002V1OF70] (Unabridged)");
        assert_eq!(label.title(), "Dune");
        assert_eq!(label.narrators, ["Scott Brick", "Simon Vance"]);
        assert_eq!(label.facts.get("asin"), Some(&"B002V1OF70".into()));
        assert_eq!(label.facts.get("abridged"), Some(&false.into()));
        assert_eq!(
            Label::parse("Emma (read by Juliet Stevenson)").narrators,
            ["Juliet Stevenson"]
        );
        assert_eq!(Label::parse("Emma {imdb-tt123}").narrators, [""; 0]);
    }
}
