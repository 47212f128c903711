//! Bracketed tags and suffixes in book file names: years, languages, ISBNs, sources, editions.

use ledge_core::text::language;
use ledge_core::text::names::year;

/// Language words that occur only in names of books and comics.
const LANGUAGES: &[(&str, &str)] = &[("esp", "es"), ("jap", "ja"), ("vf", "fr")];

/// Words of release groups and converters, sorted for binary search.
const NOISE: &[&str] = &[
    "azw",
    "azw3",
    "calibre",
    "cbr",
    "cbz",
    "complete",
    "converted",
    "digital",
    "ebook",
    "epub",
    "fb2",
    "fixed",
    "html",
    "illustrated",
    "libgen",
    "lit",
    "mobi",
    "ocr",
    "pdf",
    "proper",
    "repack",
    "retail",
    "rtf",
    "scan",
    "true",
    "txt",
    "unabridged",
    "uncensored",
    "webrip",
    "z-lib",
];

/// Marks of shadow libraries. In such names, the authors are in brackets at the end.
const SITES: &[&str] = &[
    "z-library",
    "z-lib.org",
    "zlibrary",
    "z-lib",
    "1lib",
    "b-ok",
    "pdfdrive",
];

/// Returns the language tag of a word in brackets.
pub fn language(text: &str) -> Option<String> {
    let specific = LANGUAGES
        .iter()
        .find(|(word, _)| text.eq_ignore_ascii_case(word));
    specific
        .map(|(_, tag)| (*tag).to_owned())
        .or_else(|| language::common(text))
}

/// Returns true for the mark of a site that names its files `Title (Author) (Site)`.
pub fn is_site(text: &str) -> bool {
    let lower = text.to_lowercase();
    SITES.iter().any(|site| lower.starts_with(site))
}

/// Returns true if every word of a tag describes the file and not the book: `retail`, `v5.0 epub`.
pub fn is_noise(text: &str) -> bool {
    let mut words = text
        .split([' ', ',', '-', '_'])
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(is_noise_word) || is_site(text)
}

/// Returns true if a word describes the file.
pub fn is_noise_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    let version = lower.strip_prefix('v').is_some_and(|rest| {
        rest.contains('.') && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    version || NOISE.binary_search(&lower.as_str()).is_ok()
}

/// Parses the year of `2011`, `2011-05` or `March 2011`.
pub fn year(text: &str) -> Option<i32> {
    year::leading(text).or_else(|| {
        let (month, last) = text.rsplit_once([' ', '-'])?;
        month
            .chars()
            .all(|c| c.is_alphabetic() || c == '.')
            .then(|| year::parse(last))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_sorted() {
        let mut sorted = NOISE.to_vec();
        sorted.sort_unstable();
        assert_eq!(NOISE, sorted);
    }

    #[test]
    fn tags_are_classified() {
        assert!(is_noise("retail"));
        assert!(is_noise("v5.0 epub"));
        assert!(is_noise("Z-Library"));
        assert!(!is_noise("Deluxe"));
        assert!(!is_noise(""));
        assert_eq!(language("German").as_deref(), Some("de"));
        assert_eq!(language("EN").as_deref(), Some("en"));
        assert_eq!(language("Annual"), None);
        assert_eq!(year("2011-05"), Some(2011));
        assert_eq!(year("March 2011"), Some(2011));
        assert_eq!(year("Blade Runner: 2049 2049"), None);
    }
}
