//! Folders of one disc of an album: `CD1`, `Disc 2 - Live`, `Album (Disc 1)`.

use ledge_core::text::names::{brackets, clean, natural};

use crate::naming::label;

/// Words before a disc number. A word precedes any shorter word that begins it.
const WORDS: &[&str] = &[
    "disque", "disco", "disc", "disk", "cd", "dvd", "sacd", "lp", "vinyl", "side", "tape",
    "cassette", "kassette",
];
/// Words that mean a disc only if the folder name contains nothing else. `Part 1` is a disc; `Part
/// 1 - The Beginning` may be a book of its own.
const BARE_WORDS: &[&str] = &["part", "pt", "teil", "partie", "parte"];
/// Words that also follow an album's title.
const SUFFIX_WORDS: &[&str] = &["disc", "disk", "disque", "cd"];
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Disc number and album name from a folder name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Disc {
    /// Number of the disc, from 1.
    pub(crate) number: i64,
    /// Album name if this folder contains it. Otherwise the folder above is the album.
    pub(crate) album: Option<String>,
}

/// Parses a folder name. Returns `None` if it does not name a disc.
pub(crate) fn parse(folder: &str) -> Option<Disc> {
    let text = clean::spaced(folder);
    leading(&text).or_else(|| suffixed(&text))
}

fn leading(text: &str) -> Option<Disc> {
    let lower = text.to_lowercase();
    let numbered = |word: &&str| {
        let (number, rest) = number_after(lower.strip_prefix(*word)?)?;
        Some((number, rest))
    };
    let (number, _) = WORDS.iter().find_map(numbered).or_else(|| {
        BARE_WORDS
            .iter()
            .find_map(numbered)
            .filter(|(_, rest)| rest.trim().is_empty())
    })?;
    Some(Disc {
        number,
        album: None,
    })
}

/// Parses `Album (Disc 1) [FLAC]`, `Album [CD2]`, `Album - Disc 1` and `Album CD1`.
fn suffixed(text: &str) -> Option<Disc> {
    let mut album = String::new();
    let mut number = None;
    for part in brackets::parts(text) {
        match part {
            brackets::Part::Tag(tag) => {
                if number.is_none()
                    && let Some(disc) = leading(tag.text)
                    && !album.trim().is_empty()
                {
                    number = Some(disc.number);
                } else {
                    album.push(' ');
                    label::push_tag(&mut album, tag);
                    album.push(' ');
                }
            }
            brackets::Part::Text(plain) if number.is_none() => match trailing(plain) {
                Some((before, disc)) if !(album.clone() + before).trim().is_empty() => {
                    album.push_str(before);
                    number = Some(disc);
                }
                _ => album.push_str(plain),
            },
            brackets::Part::Text(plain) => album.push_str(plain),
        }
    }
    let album = clean::trimmed(&clean::plain(&album)).to_owned();
    Some(Disc {
        number: number?,
        album: Some(album).filter(|album| !album.is_empty()),
    })
}

/// Splits a text that ends with a disc number into the text before it and the number.
fn trailing(text: &str) -> Option<(&str, i64)> {
    let end = text.trim_end();
    for (start, _) in end.char_indices().rev().take(12) {
        let word_start = end
            .get(..start)
            .and_then(|before| before.chars().next_back())
            .is_none_or(|c| !c.is_alphanumeric());
        let tail = end.get(start..).unwrap_or_default().to_lowercase();
        let word = SUFFIX_WORDS.iter().find_map(|word| tail.strip_prefix(word));
        if word_start
            && let Some((number, rest)) = word.and_then(number_after)
            && rest.trim().is_empty()
        {
            return end.get(..start).map(|before| (before, number));
        }
    }
    None
}

/// Parses a number, a number word or the letter of a side. It must end at a word boundary.
fn number_after(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start_matches([' ', '.', '-', '_', '#']);
    let (digits, rest) = natural::digits(text);
    let (number, rest) = if digits.is_empty() {
        let end = text
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end)?;
        (number_word(word)?, rest)
    } else if digits.len() <= 3 {
        (digits.parse().ok()?, rest)
    } else {
        return None;
    };
    let rest_of = rest.trim_start().strip_prefix("of ").map(natural::digits);
    let rest = match rest_of {
        Some((total, rest)) if !total.is_empty() => rest,
        _ => rest,
    };
    rest.chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric())
        .then_some((number, rest))
}

fn number_word(word: &str) -> Option<i64> {
    let at = NUMBERS.iter().position(|number| *number == word);
    let letter = || match word.as_bytes() {
        [letter @ b'a'..=b'h'] => Some(usize::from(letter - b'a')),
        _ => None,
    };
    at.or_else(letter).and_then(|at| i64::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(folder: &str) -> Option<(i64, Option<String>)> {
        parse(folder).map(|disc| (disc.number, disc.album))
    }

    #[test]
    fn disc_folders_are_recognised() {
        for (folder, number) in [
            ("CD1", 1),
            ("CD 02", 2),
            ("Disc 2 - Live", 2),
            ("disk_03", 3),
            ("Disc One", 1),
            ("Disc 1 of 2", 1),
            ("Side A", 1),
            ("Part 2", 2),
            ("LP 2", 2),
            ("CD 1 - The Wall", 1),
        ] {
            assert_eq!(read(folder), Some((number, None)), "{folder}");
        }
        for (folder, number, album) in [
            ("The Wall (Disc 2)", 2, "The Wall"),
            ("The Wall (1979) [CD1] [FLAC]", 1, "The Wall (1979) [FLAC]"),
            ("The Wall - Disc 1", 1, "The Wall"),
            ("The Wall CD2", 2, "The Wall"),
            ("Mellon Collie (Disc 1 - Dawn to Dusk)", 1, "Mellon Collie"),
        ] {
            assert_eq!(
                read(folder),
                Some((number, Some(album.to_owned()))),
                "{folder}"
            );
        }
    }

    #[test]
    fn folders_without_a_disc_number_are_not_discs() {
        for folder in [
            "",
            "Disco",
            "Discovery",
            "CD",
            "Part 1 - The Beginning",
            "Side Effects",
            "Lp",
            "Disc",
            "Discworld 01",
            "1984",
            "The Wall",
            "CD1999x",
            "Acd1",
        ] {
            assert_eq!(read(folder), None, "{folder}");
        }
    }
}
