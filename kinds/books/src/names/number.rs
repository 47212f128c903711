//! Numbers of volumes, issues and chapters: `v01`, `Vol. 3`, `#129.1`, `c001-008`, `Book 2`.

use ledge_core::text::names::natural;

/// Unit that a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `#1`, `No. 1`, `Issue 1`.
    Issue,
    /// `v1`, `Vol. 1`, `Tome 1`, `T01`.
    Volume,
    /// `c1`, `Ch. 1`, `Chapter 1`.
    Chapter,
    /// `Book 1`, `Part 1`.
    Book,
}

/// Number with the unit that it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// Counted unit.
    pub mark: Mark,
    /// Parsed number.
    pub number: Number,
    /// Number of words that were read: `Vol. 3` has two.
    pub words: usize,
}

/// Number in numeric form and in display form.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// Numeric value; the first value of a range.
    pub value: f64,
    /// Display form without leading zeros: `1`, `129.1`, `1-8`, `12a`.
    pub shown: String,
    /// True for the notation of numbers in a sequence: `01`, `1.5`, `001-008`.
    pub padded: bool,
}

/// Marks before a number. A single letter counts only if the number follows without a space.
const MARKS: &[(&str, Mark)] = &[
    ("#", Mark::Issue),
    ("issue", Mark::Issue),
    ("no.", Mark::Issue),
    ("nr.", Mark::Issue),
    ("n°", Mark::Issue),
    ("volume", Mark::Volume),
    ("vol.", Mark::Volume),
    ("vol", Mark::Volume),
    ("tome", Mark::Volume),
    ("tomo", Mark::Volume),
    ("band", Mark::Volume),
    ("v.", Mark::Volume),
    ("v", Mark::Volume),
    ("t", Mark::Volume),
    ("chapter", Mark::Chapter),
    ("chap.", Mark::Chapter),
    ("chap", Mark::Chapter),
    ("ch.", Mark::Chapter),
    ("ch", Mark::Chapter),
    ("c", Mark::Chapter),
    ("book", Mark::Book),
    ("bk.", Mark::Book),
    ("bk", Mark::Book),
    ("part", Mark::Book),
];

/// Parses the marked number at the start of `words`.
pub fn marked(words: &[&str]) -> Option<Marked> {
    let first = words.first()?.trim_end_matches([',', ':', ';']);
    // Cheap check first: without a digit in the first two words a marked number is impossible.
    let counted = first.bytes().any(|b| b.is_ascii_digit());
    let before = || {
        words
            .get(1)
            .is_some_and(|next| next.bytes().any(|b| b.is_ascii_digit()))
    };
    if !counted && !before() {
        return None;
    }
    let lower = first.to_lowercase();
    for (word, mark) in MARKS {
        let Some(rest) = lower.strip_prefix(word) else {
            continue;
        };
        if let Some(number) = number(rest) {
            return Some(Marked {
                mark: *mark,
                number,
                words: 1,
            });
        }
        let alone = rest.is_empty() && word.len() > 1 || *word == "#" && rest.is_empty();
        if let Some(number) = words
            .get(1)
            .filter(|_| alone)
            .and_then(|next| number_word(next))
        {
            return Some(Marked {
                mark: *mark,
                number,
                words: 2,
            });
        }
    }
    None
}

/// Parses a word as a number, ignoring trailing punctuation.
pub fn number_word(word: &str) -> Option<Number> {
    number(word.trim_end_matches([',', ':', ';', '.', ')']))
}

/// Parses a number such as `7`, `07`, `1.5`, `12a` or `001-008`.
pub fn number(text: &str) -> Option<Number> {
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (first, Some(last.trim_start_matches(['c', 'v', '#']))),
        None => (text, None),
    };
    let (digits, letter) = variant(first);
    let value = natural::number(digits)?;
    let mut shown = format!("{}{letter}", unpadded(digits));
    if let Some(last) = last {
        natural::number(last)?;
        shown = format!("{shown}-{}", unpadded(last));
    }
    let padded =
        last.is_some() || digits.contains('.') || digits.len() > 1 && digits.starts_with('0');
    Some(Number {
        value,
        shown,
        padded,
    })
}

/// Splits off the letter of a variant cover: `12a`.
fn variant(text: &str) -> (&str, &str) {
    let digits = text.trim_end_matches(['a', 'b', 'c', 'd']);
    match text.strip_prefix(digits) {
        Some(letter) if letter.len() <= 1 => (digits, letter),
        _ => (text, ""),
    }
}

fn unpadded(digits: &str) -> &str {
    let bare = digits.trim_start_matches('0');
    if bare.is_empty() || bare.starts_with('.') {
        let zeros = digits.len() - bare.len();
        return digits.get(zeros.saturating_sub(1)..).unwrap_or(digits);
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_displayed_without_leading_zeros() {
        for (text, value, shown) in [
            ("001", 1.0, "1"),
            ("000", 0.0, "0"),
            ("129.1", 129.1, "129.1"),
            ("0.5", 0.5, "0.5"),
            ("00.5", 0.5, "0.5"),
            ("12a", 12.0, "12a"),
            ("001-008", 1.0, "1-8"),
        ] {
            let number = number(text).expect(text);
            assert_eq!((number.value, number.shown.as_str()), (value, shown));
        }
        for text in ["", "a", "-", "1-", "12345", "1x", "½"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn marked_numbers_are_parsed() {
        for (text, mark, shown, words) in [
            ("#1", Mark::Issue, "1", 1),
            ("v01", Mark::Volume, "1", 1),
            ("Vol. 3", Mark::Volume, "3", 2),
            ("Vol.3", Mark::Volume, "3", 1),
            ("c001-008", Mark::Chapter, "1-8", 1),
            ("Chapter 12.5", Mark::Chapter, "12.5", 2),
            ("Book 2,", Mark::Book, "2", 2),
            ("# 4", Mark::Issue, "4", 2),
            ("T01", Mark::Volume, "1", 1),
        ] {
            let found = marked(&text.split(' ').collect::<Vec<_>>()).expect(text);
            assert_eq!(
                (found.mark, found.number.shown.as_str(), found.words),
                (mark, shown, words)
            );
        }
        for text in ["v 2", "c", "Volume", "Catch 22", "victory", "c3po"] {
            assert_eq!(marked(&text.split(' ').collect::<Vec<_>>()), None, "{text}");
        }
    }
}
