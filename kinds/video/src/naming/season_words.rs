//! Words for seasons in names of folders, in the languages of widely used naming schemes.

use ledge_core::text::names::natural;

const WORDS: &[&str] = &[
    "season",
    "series",
    "staffel",
    "saison",
    "temporada",
    "stagione",
    "seizoen",
    "säsong",
    "sezon",
    "сезон",
    "s",
];
const SPECIALS: &[&str] = &[
    "specials",
    "special",
    "spécials",
    "extras specials",
    "ova",
    "ovas",
];

/// Returns `true` if a lower-case name means the episodes outside of the numbered seasons.
pub(super) fn is_specials(lower: &str) -> bool {
    SPECIALS.contains(&lower)
}

/// Parses a season word and a number of one to four digits at the start of a lower-case text.
/// Returns the number, and the rest of the text.
pub(super) fn numbered(lower: &str) -> Option<(i64, &str)> {
    let (word, rest) = WORDS
        .iter()
        .find_map(|word| Some((word, lower.strip_prefix(word)?)))?;
    let rest = rest.trim_start_matches(|c| matches!(c, ' ' | '_' | '.' | '-') && *word != "s");
    let (digits, rest) = natural::digits(rest);
    let is_alone = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    let is_number = (1..=4).contains(&digits.len()) && is_alone;
    Some((digits.parse().ok()?, rest)).filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_words_of_many_languages() {
        for (text, expected) in [
            ("season 01", Some((1, ""))),
            ("staffel 4 (1999)", Some((4, " (1999)"))),
            ("сезон_2", Some((2, ""))),
            ("s03.1080p", Some((3, ".1080p"))),
            ("s 3", None),
            ("season 12345", None),
            ("s1m0ne", None),
            ("seasons", None),
        ] {
            assert_eq!(numbered(text), expected, "{text}");
        }
        assert!(is_specials("specials") && !is_specials("season 0"));
    }
}
