//! Parser for names of films, and of the folders of films and shows: title, year, edition.

use std::collections::BTreeMap;

use ledge_core::text::names::brackets::{Part, Tag};
use ledge_core::text::names::{articles, brackets, clean, natural, year};
use serde_json::Value;

use crate::naming::name::is_release_word;

/// Release years of films. A number outside this range belongs to the title: `Blade Runner 2049`.
const YEARS: std::ops::RangeInclusive<i32> = 1888..=2035;
/// Editions of a film, in lower case.
const EDITIONS: &[&str] = &[
    "director's cut",
    "directors cut",
    "director’s cut",
    "extended edition",
    "extended cut",
    "extended",
    "final cut",
    "theatrical cut",
    "theatrical",
    "unrated",
    "uncut",
    "remastered",
    "ultimate edition",
    "special edition",
    "collector's edition",
    "anniversary edition",
    "imax",
    "redux",
    "criterion",
    "open matte",
    "black and white",
];
/// Prefixes of metadata database ids in names: `{tmdb-603}`, `[imdbid-tt0133093]`.
const DATABASES: &[(&str, &str)] = &[
    ("tmdbid", "tmdb"),
    ("tmdb", "tmdb"),
    ("imdbid", "imdb"),
    ("imdb", "imdb"),
    ("tvdbid", "tvdb"),
    ("tvdb", "tvdb"),
    ("anidbid", "anidb"),
    ("anidb", "anidb"),
];

/// Components of a film name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Film {
    /// Title of the film. Empty if the name contains nothing else.
    pub(crate) title: String,
    pub(crate) year: Option<i32>,
    /// Edition, for example `Director's Cut`.
    pub(crate) edition: Option<String>,
    /// Edition and resolution, which distinguish versions of one film.
    pub(crate) version: Option<String>,
    /// Ids in metadata databases.
    pub(crate) facts: BTreeMap<String, Value>,
}

/// Parses a stem or a folder name.
pub(crate) fn parse(name: &str) -> Film {
    parse_spaced(&clean::spaced(name))
}

/// Parses the output of [`clean::spaced`], which must not run twice. The second run would replace
/// the dots of `S.W.A.T.`.
pub(crate) fn parse_spaced(text: &str) -> Film {
    let parts = brackets::parts(text);
    let mut film = Film::default();
    let rest = film
        .split_at_bracketed_year(&parts)
        .unwrap_or_else(|| film.split_plain(&parts));
    film.title = articles::restore(clean::trimmed(&clean::plain(&film.title)));
    film.describe(&rest);
    film
}

impl Film {
    /// Splits `Title (1999) rest` at the last bracketed year that follows some text.
    fn split_at_bracketed_year(&mut self, parts: &[Part<'_>]) -> Option<String> {
        let at = parts
            .iter()
            .rposition(|part| matches!(part, Part::Tag(tag) if is_year(*tag)))?;
        let (before, after) = parts.split_at_checked(at)?;
        if !before.iter().any(is_wordy) {
            return None;
        }
        if let Some(Part::Tag(tag)) = after.first() {
            self.year = year::leading(tag.text);
        }
        let mut rest = String::new();
        for part in before {
            match part {
                Part::Text(text) => self.title.push_str(text),
                Part::Tag(tag) if self.consume_tag(*tag) => rest.push_str(tag.text),
                Part::Tag(tag) => push_tag(&mut self.title, *tag),
            }
        }
        for part in after.iter().skip(1) {
            rest.push(' ');
            match part {
                Part::Text(text) => rest.push_str(text),
                Part::Tag(tag) if self.consume_key(tag.text) => {}
                Part::Tag(tag) => rest.push_str(tag.text),
            }
        }
        Some(rest)
    }

    /// Splits `The.Matrix.1999.1080p.x264-GROUP` at the last year before the first release word.
    /// Without a year, it splits at the release word.
    fn split_plain(&mut self, parts: &[Part<'_>]) -> String {
        let mut text = String::new();
        let mut rest = String::new();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Text(plain) => text.push_str(plain),
                // `[Group] Title`: the release group comes first.
                Part::Tag(tag) if at == 0 && tag.open == '[' && parts.len() > 1 => {}
                Part::Tag(tag) if self.consume_tag(*tag) => {
                    text.push(' ');
                    rest.push(' ');
                    rest.push_str(tag.text);
                }
                Part::Tag(tag) => push_tag(&mut text, *tag),
            }
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let end = words
            .iter()
            .skip(1)
            .position(|word| is_release_word(word))
            .map_or(words.len(), |at| at + 1);
        let dated = words
            .iter()
            .take(end)
            .rposition(|word| year::parse(word).is_some_and(|year| YEARS.contains(&year)));
        let cut = match dated.filter(|at| *at > 0) {
            Some(at) => {
                self.year = words.get(at).and_then(|word| year::parse(word));
                at
            }
            None => end,
        };
        self.title = words.get(..cut).unwrap_or_default().join(" ");
        let behind = cut + usize::from(self.year.is_some());
        words.get(behind..).unwrap_or_default().join(" ") + &rest
    }

    /// Returns `true` if a tag describes the release or the edition instead of the title.
    fn consume_tag(&mut self, tag: Tag<'_>) -> bool {
        let lower = tag.text.to_lowercase();
        tag.text.is_empty()
            || self.consume_key(tag.text)
            || tag.text.split_whitespace().any(is_release_word)
            || EDITIONS.contains(&lower.as_str())
            || tag.open == '[' && (lower.contains("www.") || is_checksum(tag.text))
    }

    /// Stores `tmdb-603` as a fact and `edition-Final Cut` as the edition.
    fn consume_key(&mut self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("edition-") {
            let edition = text.get("edition-".len()..).map(clean::spaced);
            self.edition = edition.filter(|edition| !edition.is_empty());
            return true;
        }
        let key = DATABASES.iter().find_map(|(word, fact)| {
            let value = lower.strip_prefix(word)?.strip_prefix(['-', '=', ':'])?;
            Some((*fact, value.to_owned()))
        });
        let Some((fact, value)) = key else {
            return false;
        };
        self.facts.insert(fact.to_owned(), value.into());
        true
    }

    /// Derives edition and version from the text after title and year.
    fn describe(&mut self, rest: &str) {
        let lower = rest.to_lowercase();
        if self.edition.is_none() {
            let known = EDITIONS.iter().find(|edition| has_words(&lower, edition));
            self.edition = known.map(|edition| capitalised(edition));
        }
        let resolution = lower
            .split(|c: char| !c.is_alphanumeric())
            .find(|word| matches!(*word, "4k") || is_resolution(word))
            .map(|word| {
                if word == "4k" {
                    "4K".to_owned()
                } else {
                    word.to_owned()
                }
            });
        let version: Vec<String> = self.edition.clone().into_iter().chain(resolution).collect();
        self.version = Some(version.join(" ")).filter(|version| !version.is_empty());
    }
}

fn is_resolution(word: &str) -> bool {
    let (digits, rest) = natural::digits(word);
    (3..=4).contains(&digits.len()) && matches!(rest, "p" | "i")
}

fn is_year(tag: Tag<'_>) -> bool {
    tag.open != '{' && year::leading(tag.text).is_some()
}

fn is_wordy(part: &Part<'_>) -> bool {
    match part {
        Part::Text(text) => text.chars().any(char::is_alphanumeric),
        Part::Tag(tag) => tag.text.chars().any(char::is_alphanumeric),
    }
}

/// Returns `true` for checksums at the end of anime releases: `[1A2B3C4D]`.
fn is_checksum(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn push_tag(text: &mut String, tag: Tag<'_>) {
    let close = match tag.open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    text.push(tag.open);
    text.push_str(tag.text);
    text.push(close);
}

fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        [before, after]
            .iter()
            .all(|c| c.is_none_or(|c| !c.is_alphanumeric()))
    })
}

fn capitalised(words: &str) -> String {
    if words == "imax" {
        return "IMAX".to_owned();
    }
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(char::to_uppercase).into_iter().flatten();
        first.chain(chars).collect::<String>()
    };
    words.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Splits the stem of one part of a film, such as `film-cd1`, into the name and the part number.
///
/// The words are those of Kodi: cd, dvd, disc, disk, part, pt.
pub(crate) fn numbered_part(stem: &str) -> Option<(String, i64)> {
    let text = clean::spaced(stem);
    let lower = text.to_ascii_lowercase();
    for (start, _) in lower.char_indices().rev() {
        let before = lower.get(..start)?.chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let tail = lower.get(start..)?;
        let after = ["cd", "dvd", "disc", "disk", "part", "pt"]
            .iter()
            .find_map(|word| tail.strip_prefix(word));
        let Some(after) = after else { continue };
        let (digits, rest) = natural::digits(after.trim_start_matches([' ', '-', '.']));
        let alone = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        if (1..=2).contains(&digits.len()) && alone {
            let rest = text.get(text.len() - rest.len()..)?;
            let base = format!(
                "{} {rest}",
                text.get(..start)?.trim_end_matches([' ', '-', '(', '['])
            );
            return Some((base, digits.parse().ok()?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn film_part_numbers_are_parsed() {
        for (stem, base, number) in [
            ("Film (1999) - cd1", "Film (1999) ", 1),
            ("Film.1999.CD2.DVDRip", "Film 1999  DVDRip", 2),
            ("film part 2", "film ", 2),
            ("cd1", " ", 1),
        ] {
            assert_eq!(
                numbered_part(stem),
                Some((base.to_owned(), number)),
                "{stem}"
            );
        }
        for stem in ["Film", "Party 2", "Film Part Two", "Film cd", "abcd1"] {
            assert_eq!(numbered_part(stem), None, "{stem}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_parsed_without_panic(name in ".*") {
            let film = parse(&name);
            prop_assert!(!film.title.chars().any(char::is_control));
            let again = parse(&film.title);
            prop_assert!(again.title.len() <= film.title.len() + 8);
            numbered_part(&name);
        }
    }
}
