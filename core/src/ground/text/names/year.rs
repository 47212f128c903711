//! Years in names.

use crate::text::names::brackets::{self, Tag};

/// Range of accepted years.
const RANGE: std::ops::RangeInclusive<i32> = 1000..=2999;

/// Parses a text that is only a year: four digits, 1000 to 2999.
pub fn parse(text: &str) -> Option<i32> {
    (text.len() == 4).then(|| leading(text)).flatten()
}

/// Returns the year at the start of a text, if its four digits are a separate word: `2011`,
/// `2011-05`, `2011, Press`.
pub fn leading(text: &str) -> Option<i32> {
    let digits = text.get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let next = text.get(4..).and_then(|rest| rest.chars().next());
    if next.is_some_and(char::is_alphanumeric) {
        return None;
    }
    digits.parse().ok().filter(|year| RANGE.contains(year))
}

/// Returns the year of the last tag that begins with one.
pub fn in_tags(tags: &[Tag<'_>]) -> Option<i32> {
    tags.iter().rev().find_map(|tag| leading(tag.text))
}

/// Returns the year in brackets in a name: `Title (1999) [tag]`.
pub fn in_brackets(text: &str) -> Option<i32> {
    in_tags(&brackets::split(text).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn year_is_word_of_four_digits() {
        assert_eq!(parse("1999"), Some(1999));
        assert_eq!(parse("999"), None);
        assert_eq!(parse("0999"), None);
        assert_eq!(parse("19999"), None);
        assert_eq!(parse("２０１１"), None);
        assert_eq!(leading("2011-05-04"), Some(2011));
        assert_eq!(leading("2011p"), None);
        assert_eq!(in_brackets("2001 (1968) [x]"), Some(1968));
        assert_eq!(in_brackets("Blade Runner 2049"), None);
    }
}
