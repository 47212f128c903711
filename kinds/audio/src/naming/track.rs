//! Track numbers in file names: `01 - Title`, `1-01 Title`, `Chapter 10`, `Title 03`.

use ledge_core::text::names::{clean, natural};

/// Words before the number of a part.
const WORDS: &[&str] = &[
    "track",
    "trk",
    "chapter",
    "chap",
    "part",
    "pt",
    "section",
    "episode",
    "kapitel",
    "teil",
    "chapitre",
    "piste",
    "partie",
    "capitulo",
    "capítulo",
    "capitolo",
    "parte",
    "hoofdstuk",
    "deel",
    "spår",
    "глава",
    "часть",
    "scene",
];
/// Words before a disc number that a track number follows.
const DISC_WORDS: &[&str] = &["disc", "disk", "cd", "d"];

/// Position of a track number in a name. A number in front or after a word is unambiguous; one at
/// the end may belong to the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `01 - Title`.
    Leading,
    /// `Chapter 10`.
    Word,
    /// `Artist - Album - 01 - Title`.
    Middle,
    /// `Title 03`.
    Trailing,
    /// `title_03_reader_64kb`, as LibriVox names its files.
    Inner,
}

impl Style {
    /// Returns `true` if such a number may belong to the title: `Song 2`, `Ocean 11 live`.
    pub(crate) fn is_ambiguous(self) -> bool {
        matches!(self, Self::Trailing | Self::Inner)
    }
}

/// Track number and its context in a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Track {
    pub(crate) disc: Option<i64>,
    pub(crate) number: i64,
    /// Text after the number.
    pub(crate) title: Option<String>,
    /// Text before the number.
    pub(crate) prefix: String,
    pub(crate) style: Style,
}

/// Parses a file stem. Returns `None` if it contains no track number.
pub(crate) fn parse(stem: &str) -> Option<Track> {
    let text = clean::spaced(stem);
    disc_and_track(&text)
        .or_else(|| leading(&text))
        .or_else(|| side(&text))
        .or_else(|| middle(&text))
        .or_else(|| worded(&text))
        .or_else(|| trailing(&text))
        .or_else(|| inner(&text))
}

/// Parses `d1t01`, `CD1-01 Title` and `Disc 1 - Track 01`.
fn disc_and_track(text: &str) -> Option<Track> {
    let lower = ascii_lower(text);
    let rest = DISC_WORDS
        .iter()
        .find_map(|word| lower.strip_prefix(word))?;
    let (disc, rest) = number(unpadded(rest))?;
    let rest = unpadded(rest);
    let rest = ["track", "t"]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .map_or(rest, unpadded);
    let (track, rest) = number(rest)?;
    let title = tail(text, rest)?;
    Some(new(Some(disc), track, title, "", Style::Leading))
}

/// Parses `01 - Title`, `01. Title`, `(01) Title`, `1-01 Title` and `01 of 12`. A year is not a
/// track number.
fn leading(text: &str) -> Option<Track> {
    let text = text.trim_start_matches(['(', '[', '#']);
    let (first, rest) = number(text)?;
    let written = text.len() - rest.len();
    if written == 4 && !text.starts_with('0') {
        return None;
    }
    let second = rest
        .strip_prefix(['-', '.'])
        .and_then(number)
        .filter(|(_, rest)| written <= 2 && ends_word(rest));
    if let Some((track, rest)) = second {
        return Some(new(
            Some(first),
            track,
            tail(text, rest)?,
            "",
            Style::Leading,
        ));
    }
    let rest = without_total(rest);
    ends_word(rest).then(|| new(None, first, rest, "", Style::Leading))
}

/// Parses sides of vinyl records: `A1 - Title`, `B2. Title`.
fn side(text: &str) -> Option<Track> {
    let letter = text.chars().next().filter(|c| matches!(c, 'A'..='H'))?;
    let (track, rest) = number(text.get(1..)?)?;
    let side = i64::from(u32::from(letter) - u32::from('A')) + 1;
    let short = text.len() - rest.len() <= 3;
    (short && ends_word(rest)).then(|| new(None, side * 100 + track, rest, "", Style::Leading))
}

/// Parses `Artist - Album - 01 - Title`.
fn middle(text: &str) -> Option<Track> {
    let mut prefix = text.find(" - ")?;
    loop {
        let rest = text.get(prefix + 3..)?;
        if let Some((track, after)) = number(rest)
            && rest.len() - after.len() <= 3
            && let Some(title) = after.strip_prefix(" - ")
        {
            return Some(new(None, track, title, text.get(..prefix)?, Style::Middle));
        }
        prefix += 3 + rest.find(" - ")?;
    }
}

/// Parses `Chapter 10` and `Title - Part 02 - Name`. The last such word counts.
fn worded(text: &str) -> Option<Track> {
    let lower = text.to_lowercase();
    // Offsets of the lower-case text are valid only if both texts have the same length.
    let lower = if lower.len() == text.len() {
        lower
    } else {
        ascii_lower(text)
    };
    let found = word_starts(&lower).into_iter().rev().find_map(|start| {
        let tail = lower.get(start..)?;
        let after = WORDS.iter().find_map(|word| tail.strip_prefix(word))?;
        let after = after.strip_prefix('s').unwrap_or(after);
        let (track, rest) = number(unpadded(after))?;
        ends_word(without_total(rest)).then(|| (start, track, without_total(rest).len()))
    });
    let (start, track, rest) = found?;
    let title = text.get(text.len() - rest..)?;
    Some(new(None, track, title, text.get(..start)?, Style::Word))
}

/// Parses `Title 03`, `Title - 03`, `Title (3 of 12)` and `Title_03`.
fn trailing(text: &str) -> Option<Track> {
    let text = text.trim_end_matches([')', ']']);
    let numbered = |text: &str| {
        let start = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let digits = text.get(start..)?;
        ((1..=3).contains(&digits.len())).then(|| digits.parse().ok().map(|n: i64| (start, n)))?
    };
    let (mut start, mut track) = numbered(text)?;
    if let Some(prefix) = text
        .get(..start)
        .and_then(|t| t.trim_end().strip_suffix("of"))
        && let Some((first, number)) = numbered(prefix.trim_end())
    {
        (start, track) = (first, number);
    }
    let prefix = text.get(..start)?;
    let apart = prefix.ends_with([' ', '-', '#', '(', '[', '.']);
    let prefix = prefix.trim_end_matches([' ', '-', '#', '(', '[', '.']);
    (apart && !prefix.is_empty()).then(|| new(None, track, "", prefix, Style::Trailing))
}

/// Parses a zero-padded number between words: `title 03 reader 64kb`.
fn inner(text: &str) -> Option<Track> {
    let mut at = 0;
    for word in text.split(' ') {
        let padded = (2..=3).contains(&word.len()) && at > 0;
        if padded && let Some((track, "")) = number(word) {
            return Some(new(None, track, "", text.get(..at)?, Style::Inner));
        }
        at += word.len() + 1;
    }
    None
}

fn new(disc: Option<i64>, number: i64, title: &str, prefix: &str, style: Style) -> Track {
    let title = clean::trimmed(title.trim_start_matches(['.', ')', ']', ' ']));
    Track {
        disc,
        number,
        title: Some(title.to_owned()).filter(|title| !title.is_empty()),
        prefix: clean::trimmed(prefix).to_owned(),
        style,
    }
}

/// Parses a number of one to four digits.
fn number(text: &str) -> Option<(i64, &str)> {
    let (digits, rest) = natural::digits(text);
    (1..=4)
        .contains(&digits.len())
        .then(|| digits.parse().ok().map(|number| (number, rest)))?
}

/// Removes the total from `1 of 12` and `1of12`.
fn without_total(text: &str) -> &str {
    text.trim_start()
        .strip_prefix("of")
        .and_then(|rest| number(rest.trim_start()))
        .map_or(text, |(_, rest)| rest)
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
}

fn unpadded(text: &str) -> &str {
    text.trim_start_matches([' ', '-', '.', '#', ':'])
}

/// Returns the end of `text` with the length of `rest`, which is a suffix of its lower-case form.
fn tail<'a>(text: &'a str, rest: &str) -> Option<&'a str> {
    text.get(text.len().checked_sub(rest.len())?..)
}

/// Converts ASCII letters to lower case and so keeps all byte offsets.
fn ascii_lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

fn word_starts(text: &str) -> Vec<usize> {
    let mut previous = ' ';
    let mut starts = Vec::new();
    for (at, c) in text.char_indices() {
        if c.is_alphabetic() && !previous.is_alphanumeric() {
            starts.push(at);
        }
        previous = c;
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn track_numbers_are_parsed_at_all_positions() {
        for (stem, disc, number, title) in [
            ("01 - Story of the Door", None, 1, Some("Story of the Door")),
            ("01. Tone 220", None, 1, Some("Tone 220")),
            ("07_Under_Pressure", None, 7, Some("Under Pressure")),
            ("1-01 Speak to Me", Some(1), 1, Some("Speak to Me")),
            ("2.03 - Vera", Some(2), 3, Some("Vera")),
            ("d1t01", Some(1), 1, None),
            ("D2T11 Brain Damage", Some(2), 11, Some("Brain Damage")),
            ("CD1-04 Title", Some(1), 4, Some("Title")),
            ("Disc 2 - Track 05 - Title", Some(2), 5, Some("Title")),
            ("(03) Money", None, 3, Some("Money")),
            ("0012", None, 12, None),
            ("101", None, 101, None),
            ("01 of 12", None, 1, None),
            ("Chapter 10", None, 10, None),
            ("Track 1", None, 1, None),
            ("track01", None, 1, None),
            ("Kapitel 03 - Die Reise", None, 3, Some("Die Reise")),
            ("Dracula - Part 2", None, 2, None),
            ("Dracula Part 02 of 10", None, 2, None),
            (
                "Queen - The Game - 05 - Dragon Attack",
                None,
                5,
                Some("Dragon Attack"),
            ),
            ("Dracula 03", None, 3, None),
            ("Dracula-03", None, 3, None),
            ("Dracula (3 of 12)", None, 3, None),
            ("Dracula_3of12", None, 3, None),
            ("A1 - So What", None, 101, Some("So What")),
            ("B2. Blue in Green", None, 202, Some("Blue in Green")),
            ("Глава 7", None, 7, None),
        ] {
            let track = parse(stem).unwrap_or_else(|| panic!("{stem}"));
            assert_eq!(track.disc, disc, "{stem}");
            assert_eq!(track.number, number, "{stem}");
            assert_eq!(track.title.as_deref(), title, "{stem}");
        }
    }

    #[test]
    fn unrelated_numbers_are_not_tracks() {
        for stem in [
            "",
            "1979",
            "1979 - Title",
            "7th Heaven",
            "2Pac",
            "U2",
            "Title",
            "Party",
        ] {
            assert_eq!(parse(stem), None, "{stem}");
        }
    }

    proptest! {
        #[test]
        fn any_stem_is_parsed_without_panic(stem in ".*") {
            if let Some(track) = parse(&stem) {
                prop_assert!(track.number >= 0);
            }
        }
    }
}
