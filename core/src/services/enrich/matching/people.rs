//! Comparison of two lists of person names, independent of their spelling.

use super::near::distance;
use super::thresholds;
use crate::search;
use crate::text::names::people;

/// Maximum number of names that are compared.
const MOST: usize = 30;

/// Titles and suffixes that are not part of a name.
const TITLES: &[&str] = &[
    "dr", "prof", "sir", "dame", "rev", "mr", "mrs", "ms", "jr", "sr", "phd", "md", "esq",
    "author", "ii", "iii",
];

/// Particles that belong to the following surname: `Le Guin` and `LeGuin` are equal.
const PARTICLES: &[&str] = &[
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "mac",
    "mc", "st", "al", "el", "ibn",
];

/// Placeholders that do not name a person.
const NOBODY: &[&str] = &[
    "unknown",
    "unknown author",
    "anonymous",
    "various",
    "various authors",
    "various artists",
    "n a",
    "na",
    "none",
];

/// Result of the comparison of two lists of names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum People {
    /// One list is empty, or the lists use different scripts.
    Unknown,
    /// The lists have no person in common.
    Differ,
    /// The lists have a person in common. The value is the similarity of the names, 1 for equal
    /// names.
    Agree(f64),
}

/// Parsed name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Person {
    /// Words in reading order. The surname is the last word.
    words: Vec<String>,
    is_latin: bool,
}

impl Person {
    /// Returns the people in a text such as `A & B` or `Last, First`.
    fn all(text: &str) -> impl Iterator<Item = Self> {
        let text: String = text.chars().take(200).collect();
        people::split(&text)
            .into_iter()
            .filter_map(|name| Self::of(&name))
    }

    fn of(name: &str) -> Option<Self> {
        let has_lower = name.chars().any(char::is_lowercase);
        let mut words: Vec<String> = Vec::new();
        for word in name.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
            // `JRR Tolkien`: initials without separators.
            let is_initials = has_lower
                && (2..=thresholds::INITIALS).contains(&word.len())
                && word.bytes().all(|b| b.is_ascii_uppercase());
            let folded = search::fold(word);
            if is_initials && !TITLES.contains(&folded.as_str()) {
                words.extend(folded.chars().map(String::from));
            } else if !folded.is_empty() && !folded.bytes().all(|b| b.is_ascii_digit()) {
                words.push(folded);
            }
        }
        if NOBODY.contains(&words.join(" ").as_str()) {
            return None;
        }
        words.retain(|word| !TITLES.contains(&word.as_str()));
        let words = joined(&words);
        let is_latin = words
            .iter()
            .any(|w| w.bytes().any(|b| b.is_ascii_alphabetic()));
        (!words.is_empty()).then_some(Self { words, is_latin })
    }

    /// Returns the similarity of two names, or `None` for two different people.
    fn like(&self, other: &Self) -> Option<f64> {
        if self.sorted() == other.sorted() || self.plain() == other.plain() {
            return Some(1.0);
        }
        if !self.is_latin {
            return None;
        }
        let (surname, given) = self.words.split_last()?;
        let (other_surname, other_given) = other.words.split_last()?;
        let (likeness, slack) = surnames(surname, other_surname)?;
        if given.is_empty() || other_given.is_empty() {
            let is_long = surname.chars().count() >= thresholds::SURNAME_ALONE_LETTERS;
            return (surname == other_surname && is_long).then_some(thresholds::SURNAME_ALONE);
        }
        let (short, long) = if given.len() <= other_given.len() {
            (given, other_given)
        } else {
            (other_given, given)
        };
        let mut rest = long.iter();
        let mut grade = likeness;
        for name in short {
            grade *= rest.find_map(|with| given_names(name, with, slack))?;
        }
        Some(grade)
    }

    fn sorted(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    }

    /// Returns the name without spaces. German umlauts are reduced to their base vowels.
    fn plain(&self) -> String {
        let joined = self.words.concat();
        joined
            .replace("oe", "o")
            .replace("ae", "a")
            .replace("ue", "u")
    }
}

/// Joins particles with the following word.
fn joined(words: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut held = String::new();
    for (at, word) in words.iter().enumerate() {
        let is_particle = at > 0 && at + 1 < words.len() && PARTICLES.contains(&word.as_str());
        held.push_str(word);
        if !is_particle {
            out.push(std::mem::take(&mut held));
        }
    }
    out
}

/// Returns the similarity of two surnames, and the permitted edit distance of the given names. Long
/// names that were transliterated from another alphabet have several spellings.
fn surnames(one: &str, other: &str) -> Option<(f64, usize)> {
    let shorter = one.chars().count().min(other.chars().count());
    let is_long = shorter >= thresholds::LONG_SURNAME_LETTERS;
    let slack = if is_long {
        thresholds::LONG_SURNAME_EDITS
    } else {
        0
    };
    if one == other {
        return Some((1.0, slack));
    }
    let same_start = one.chars().next() == other.chars().next();
    let most = if is_long {
        thresholds::LONG_SURNAME_EDITS
    } else if shorter >= thresholds::SURNAME_LETTERS {
        thresholds::SURNAME_EDITS
    } else {
        return None;
    };
    let transliterations = || {
        let (one, other) = (transliterated(one), transliterated(other));
        distance(&one, &other, thresholds::TRANSLITERATION_EDITS)
    };
    let is_near = distance(one, other, most).is_some() || (is_long && transliterations().is_some());
    (same_start && is_near).then_some((thresholds::SPELT_SURNAME, slack))
}

/// Maps letters that are interchangeable in transliterations to one letter: `Dostoyevsky`,
/// `Dostoevskij`.
fn transliterated(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let c = match c {
            'y' | 'j' => 'i',
            'w' => 'v',
            c => c,
        };
        if !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

fn given_names(one: &str, other: &str, slack: usize) -> Option<f64> {
    if one == other {
        return Some(1.0);
    }
    if one.chars().next() != other.chars().next() {
        return None;
    }
    let is_initial = one.chars().count() == 1 || other.chars().count() == 1;
    let is_near = slack > 0 && distance(one, other, slack).is_some();
    (is_initial || is_near).then_some(thresholds::SPELT_GIVEN_NAME)
}

/// Compares the wanted people with a candidate's people.
pub(super) fn compare<'a>(
    wanted: impl Iterator<Item = &'a str>,
    offered: impl Iterator<Item = &'a str>,
) -> People {
    let wanted: Vec<Person> = wanted.flat_map(Person::all).take(MOST).collect();
    let offered: Vec<Person> = offered.flat_map(Person::all).take(MOST).collect();
    let mut comparable = false;
    let mut best: Option<f64> = None;
    for one in &wanted {
        for other in offered.iter().filter(|o| o.is_latin == one.is_latin) {
            comparable = true;
            if let Some(like) = one.like(other) {
                best = Some(best.map_or(like, |best: f64| best.max(like)));
            }
        }
    }
    match best {
        Some(like) => People::Agree(like),
        None if comparable => People::Differ,
        None => People::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(one: &str, other: &str) -> People {
        compare([one].into_iter(), [other].into_iter())
    }

    #[test]
    fn spellings_of_one_person_agree() {
        for (one, other) in [
            ("J. R. R. Tolkien", "John Ronald Reuel Tolkien"),
            ("JRR Tolkien", "J.R.R. Tolkien"),
            ("Tolkien, J. R. R.", "J.R.R. Tolkien"),
            ("Ursula K. Le Guin", "Ursula LeGuin"),
            ("Le Guin, Ursula K.", "Ursula K. Le Guin"),
            ("Gabriel Garcia Marquez", "Gabriel García Márquez"),
            ("Liu Cixin", "Cixin Liu"),
            ("村上春樹", "村上 春樹"),
            ("Fyodor Dostoyevsky", "Fedor Dostoevskii"),
            ("Heinrich Böll", "Heinrich Boell"),
            ("Charles Dickens, 1812-1870", "Charles Dickens"),
            ("Iain M. Banks", "Iain Banks"),
            ("F. Scott Fitzgerald", "Scott Fitzgerald"),
            ("Terry Pratchett & Neil Gaiman", "Neil Gaiman"),
            ("Sir Arthur Conan Doyle", "Arthur Conan Doyle"),
            ("Flann O’Brien", "Flann O'Brien"),
            ("Asimov", "Isaac Asimov"),
            ("JRR Tolkien", "John Ronald Reuel Tolkien"),
            ("MIURA Kentaro", "Kentaro Miura"),
        ] {
            let found = compared(one, other);
            assert!(
                matches!(found, People::Agree(like) if like >= 0.9),
                "{one}: {found:?}"
            );
            assert_eq!(found, compared(other, one), "{one}");
        }
    }

    #[test]
    fn different_people_differ() {
        for (one, other) in [
            ("Frank Herbert", "Brian Herbert"),
            ("John Smith", "James Smith"),
            ("Thomas Rountree", "Jane Austen"),
            ("Stephen King", "Stephen Kling"),
            ("Anne Rice", "Anne Brice"),
            ("David Gemmell", "Stella Gemmell"),
        ] {
            assert_eq!(compared(one, other), People::Differ, "{one}");
        }
    }

    #[test]
    fn placeholders_and_other_scripts_are_unknown() {
        for (one, other) in [
            ("Unknown", "Jane Austen"),
            ("Various", "Jane Austen"),
            ("", "Jane Austen"),
            ("村上春樹", "Haruki Murakami"),
        ] {
            assert_eq!(compared(one, other), People::Unknown, "{one}");
        }
    }
}
