//! What the name of one album, audiobook or recording says: title, year, narrators, marks.

use std::collections::BTreeMap;

use ledge_core::names::brackets::{self, Part, Tag};
use ledge_core::names::{clean, natural, people, year};
use serde_json::Value;

/// Words of rips and encodings, which are no part of a title.
const TECHNICAL: &[&str] = &[
    "16bit", "24bit", "2lp", "320", "320kbps", "44", "aac", "abr", "alac", "ape", "bit", "bits",
    "cbr", "cd", "dsd", "flac", "hdtracks", "hi-res", "hires", "kbps", "khz", "lame", "lossless",
    "lp", "m4a", "m4b", "mp3", "mqa", "ogg", "opus", "pcm", "rip", "sacd", "v0", "v2", "vbr",
    "vinyl", "wav", "web", "webrip", "wv",
];
/// Words before a narrator's name.
const READ_BY: &[&str] = &[
    "read by ",
    "narrated by ",
    "narrator ",
    "gelesen von ",
    "lu par ",
];
/// Words before a number in a series.
const VOLUME: &[&str] = &["volume", "vol", "book", "bk", "band", "tome", "tomo", "#"];

/// The parts of a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Label {
    /// What stands between ` - `, years and numbers taken out. Empty where nothing is left.
    pub(crate) segments: Vec<String>,
    pub(crate) year: Option<i32>,
    /// Number in a series, from `Book 2`, `Vol. 3`, `#4` or a leading `01 - `.
    pub(crate) index: Option<f64>,
    pub(crate) narrators: Vec<String>,
    pub(crate) facts: BTreeMap<String, Value>,
}

impl Label {
    /// Reads a folder's name or a file's stem.
    pub(crate) fn parse(name: &str) -> Self {
        let mut label = Self::default();
        let mut text = String::new();
        for part in brackets::parts(&clean::spaced(name)) {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Tag(tag) if label.takes(tag) => text.push(' '),
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

    /// The segments as one title; empty where there are none.
    pub(crate) fn title(&self) -> String {
        self.segments.join(" - ")
    }

    /// Takes what brackets say, or leaves them to the title.
    fn takes(&mut self, tag: Tag<'_>) -> bool {
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

    /// Takes years and volume numbers from the segments; the last one stays, whatever it is.
    fn take_numbers(&mut self, segments: &mut Vec<&str>) {
        let mut at = 0;
        while let Some(&segment) = segments.get(at).filter(|_| segments.len() > 1) {
            let lower = segment.to_lowercase();
            let last = at + 1 == segments.len();
            let index = volume(&lower).or_else(|| {
                // A bare number counts in front only: `Author - 1984` is a title.
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

/// `1. Title` and `1975. Title`.
fn numbered_sentence(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = natural::digits(text);
    let rest = rest.strip_prefix(". ")?.trim();
    (!number.is_empty() && !rest.is_empty()).then_some((number, rest))
}

/// Puts a tag back between its brackets.
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

/// A text that is nothing but a number in a series: `Book 1`, `Vol. 2.5`, `#3`.
fn volume(lower: &str) -> Option<f64> {
    let rest = VOLUME.iter().find_map(|word| lower.strip_prefix(word))?;
    natural::number(rest.trim_start_matches(['.', ' ', '#', ':']))
}

/// Names in braces are narrators, as Audiobookshelf reads them; elsewhere only where they say so.
fn narrators(tag: Tag<'_>, lower: &str) -> Option<Vec<String>> {
    let named = READ_BY
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

/// `imdb-tt0111161`, `320kbps`, `edition-Remastered`: anything with a digit, or a key and value.
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

/// Audible's identifiers: ten characters, `B0…` or the digits of an ISBN.
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
    fn the_words_are_sorted() {
        assert!(TECHNICAL.is_sorted());
    }

    #[test]
    fn names_come_apart() {
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
    fn narrators_and_marks_are_facts() {
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
