//! Names of people: "Last, First", several in one text, and the check if a text is a name.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text::names::{articles, clean};

/// Lower-case words inside surnames.
const PARTICLES: &[&str] = &[
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "do", "dos", "das", "du", "la",
    "le", "les", "ter", "ten", "zu", "zum", "af", "av", "al", "el", "bin", "ibn", "y", "e", "st",
    "st.", "mac", "o'",
];

/// Suffixes that follow a name after a comma and are not given names.
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv", "phd", "md", "esq"];

/// Words of series, genres and folders that do not occur in names of people.
static NO_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| NO_NAMES_TEXT.split(' ').collect());
const NO_NAMES_TEXT: &str = "\
    adult adventures album albums and anthology archive audio audiobook audiobooks book books \
    box cd chapter children childrens chronicles classic classics collected collection comic \
    comics complete cookbook cycle digital disc downloads ebook ebooks edition episode essays \
    fantasy fiction films for game games graphic guide handbook history horror how in \
    introduction issue kids library literature magazine magazines manga manual movies music \
    mystery new nonfiction novel novels of omnibus on or part poems poetry programming quartet \
    quick readings romance saga science season selected series set short show stories tales \
    test the thriller to trilogy unknown unsorted various vol volume with works young";

/// Returns a name in reading order: `Le Guin, Ursula K.` becomes "Ursula K. Le Guin".
pub fn direct(name: &str) -> String {
    let name = clean::plain(name);
    let Some((last, rest)) = name.split_once(',') else {
        return name;
    };
    let (last, rest) = (last.trim(), rest.trim());
    if last.is_empty() || rest.is_empty() || is_suffix(rest) {
        return name;
    }
    match rest.rsplit_once(',') {
        Some((first, suffix)) if is_suffix(suffix.trim()) => {
            format!("{} {last}, {}", first.trim(), suffix.trim())
        }
        Some(_) => name,
        None => format!("{rest} {last}"),
    }
}

/// Returns the people in a text in reading order: `A & B`, `A; B`, `A and B`, `A, B`, `Last,
/// First`.
pub fn split(text: &str) -> Vec<String> {
    let text = clean::plain(text)
        .replace(" and ", " & ")
        .replace(" und ", " & ");
    let people = text.split(['&', ';']).flat_map(comma_separated);
    let mut names: Vec<String> = Vec::new();
    for name in people.map(|name| direct(&name)) {
        let name = clean::trimmed(&name).to_owned();
        let filler = name.is_empty() || name.eq_ignore_ascii_case("et al.");
        if !filler && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Splits a text without other separators at its commas, unless it is one name with a comma.
fn comma_separated(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let inverted = match parts.as_slice() {
        [last, first] => is_surname(last) || is_suffix(first),
        [last, _, suffix] => is_surname(last) && is_suffix(suffix),
        _ => false,
    };
    if inverted {
        vec![text.trim().to_owned()]
    } else {
        parts.into_iter().map(str::to_owned).collect()
    }
}

/// Returns `true` for one word, or for words that begin with a particle, such as the part before
/// the comma of `Last, First`.
fn is_surname(text: &str) -> bool {
    let mut words = text.split_whitespace();
    match (words.next(), words.next()) {
        (Some(_), None) => true,
        (Some(first), Some(_)) => is_particle(&first.to_lowercase()),
        _ => false,
    }
}

/// Returns `true` if a text may be names of one or several people: `Ralph Burke`, `Burke, Ralph`,
/// `J.R.R. Tolkien`, `A. Weir & B. Smith`. Returns `false` for a single word, and for text with
/// digits or a leading article.
pub fn looks_like_people(text: &str) -> bool {
    if text.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    if !text.contains([',', '&', ';']) && !text.contains(" and ") && !text.contains(" und ") {
        return is_name(text);
    }
    let people = split(text);
    !people.is_empty() && people.len() <= 6 && people.iter().all(|name| is_name(name))
}

fn is_name(name: &str) -> bool {
    let words: Vec<&str> = name.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    if words.len() == 1 {
        return is_han_name(name);
    }
    if words.len() > 5 || articles::begins(name) && !starts_with_particle(name) {
        return false;
    }
    let capitals = words.iter().filter(|w| begins_upper(w)).count();
    capitals >= 2 && words.iter().all(|word| is_name_word(word))
}

fn starts_with_particle(name: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or_default();
    !first.eq_ignore_ascii_case("the")
        && first.chars().count() > 1
        && is_particle(&first.to_lowercase())
}

fn is_name_word(word: &str) -> bool {
    let sound = |c: char| c.is_alphabetic() || is_mark(c) || ".'’‘-‐".contains(c);
    let possessive = ["'s", "’s", "'S", "’S"]
        .iter()
        .any(|end| word.ends_with(end));
    if possessive || !word.chars().all(sound) {
        return false;
    }
    let lower = word.to_lowercase();
    !NO_NAMES.contains(lower.as_str()) && (begins_upper(word) || is_particle(&lower))
}

/// Returns `true` for combining marks of decomposed letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn begins_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// Returns `true` for two to four Han characters: names in China, Japan and Korea have no space.
fn is_han_name(name: &str) -> bool {
    (2..=4).contains(&name.chars().count())
        && name.chars().all(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
}

fn is_particle(lower: &str) -> bool {
    PARTICLES.contains(&lower)
}

fn is_suffix(text: &str) -> bool {
    let bare = text.replace('.', "").to_lowercase();
    SUFFIXES.contains(&bare.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn particles_and_excluded_words_are_sorted() {
        assert!(NO_NAMES_TEXT.split(' ').is_sorted());
    }

    #[test]
    fn direct_moves_surname_to_end() {
        for (name, expected) in [
            ("Herbert, Frank", "Frank Herbert"),
            ("Le Guin, Ursula K.", "Ursula K. Le Guin"),
            ("King, Martin Luther, Jr.", "Martin Luther King, Jr."),
            ("Kurt Vonnegut, Jr.", "Kurt Vonnegut, Jr."),
            ("Plato", "Plato"),
        ] {
            assert_eq!(direct(name), expected);
        }
    }

    #[test]
    fn split_separates_people() {
        for (text, expected) in [
            (
                "Terry Pratchett & Neil Gaiman",
                vec!["Terry Pratchett", "Neil Gaiman"],
            ),
            (
                "Terry Pratchett, Neil Gaiman",
                vec!["Terry Pratchett", "Neil Gaiman"],
            ),
            (
                "Pratchett, Terry; Gaiman, Neil",
                vec!["Terry Pratchett", "Neil Gaiman"],
            ),
            ("Le Guin, Ursula K.", vec!["Ursula K. Le Guin"]),
            ("Ann Leckie and Ben Bova", vec!["Ann Leckie", "Ben Bova"]),
            (" & ", vec![]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn looks_like_people_accepts_names_only() {
        for name in [
            "Ralph Burke",
            "J.R.R. Tolkien",
            "J. R. R. Tolkien",
            "Herbert, Frank",
            "刘慈欣",
            "Ludwig van Beethoven",
            "Лев Толстой",
            "Flannery O'Connor",
            "De la Cruz, Melissa",
            "Esra Rask & Amara Barlow",
            "Hanako Ní-Bhriain",
            "Jean-Paul Sartre",
        ] {
            assert!(looks_like_people(name), "{name}");
        }
        for text in [
            "",
            "Dune",
            "The Voyage of Life",
            "War and Peace",
            "Catch 22",
            "Science Fiction",
            "Abram's Childrens Literature",
            "The Silent Valley Cycle",
            "Война и мир",
            "A Memory",
            "comics",
            "Ship of Fools",
        ] {
            assert!(!looks_like_people(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_split_without_panic(text in ".*") {
            for name in split(&text) {
                prop_assert!(!name.is_empty());
            }
            looks_like_people(&text);
        }
    }
}
