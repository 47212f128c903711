//! Brackets and litter in the names of books: years, languages, ISBNs, sources, editions.

use ledge_core::language;
use ledge_core::names::year;

/// Words for languages that only the names of books and comics use.
const LANGUAGES: &[(&str, &str)] = &[("esp", "es"), ("jap", "ja"), ("vf", "fr")];

/// Words of release groups and converters.
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

/// What shadow libraries add; the name then ends with the author in brackets.
const SITES: &[&str] = &[
    "z-library",
    "z-lib.org",
    "zlibrary",
    "z-lib",
    "1lib",
    "b-ok",
    "pdfdrive",
];

/// Returns the tag of the language that a word in brackets states.
pub fn language(text: &str) -> Option<String> {
    let own = LANGUAGES
        .iter()
        .find(|(word, _)| text.eq_ignore_ascii_case(word));
    own.map(|(_, tag)| (*tag).to_owned())
        .or_else(|| language::common(text))
}

/// Whether a tag is the mark of a site that names its files `Title (Author) (Site)`.
pub fn is_site(text: &str) -> bool {
    let lower = text.to_lowercase();
    SITES.iter().any(|site| lower.starts_with(site))
}

/// Whether every word of a tag is about the file rather than the book: `retail`, `v5.0 epub`.
pub fn is_noise(text: &str) -> bool {
    let mut words = text
        .split([' ', ',', '-', '_'])
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(is_noise_word) || is_site(text)
}

/// Whether a word is about the file.
pub fn is_noise_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    let version = lower.strip_prefix('v').is_some_and(|rest| {
        rest.contains('.') && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    version || NOISE.binary_search(&lower.as_str()).is_ok()
}

/// The year of `2011`, `2011-05`, `March 2011`.
pub fn year(text: &str) -> Option<i32> {
    year::leading(text).or_else(|| {
        let (month, last) = text.rsplit_once([' ', '-'])?;
        month
            .chars()
            .all(|c| c.is_alphabetic() || c == '.')
            .then(|| year::parse(last))?
    })
}

/// The digits of an ISBN with a right check digit, in its 10 or 13 digit form.
pub fn isbn(text: &str) -> Option<String> {
    let bare = text.trim_start_matches("ISBN").trim_start_matches("isbn");
    let bare = bare.trim_start_matches([':', ' ', '-', '_']);
    if !bare
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'X' | b'x'))
    {
        return None;
    }
    let digits: String = bare
        .chars()
        .filter(|c| *c != '-')
        .collect::<String>()
        .to_uppercase();
    let value = |c: char| {
        if c == 'X' {
            10
        } else {
            c.to_digit(10).unwrap_or_default()
        }
    };
    let no_early_x = digits.find('X').is_none_or(|at| at == 9);
    let sound = match digits.len() {
        13 => {
            let weighted = digits.chars().zip([1, 3].into_iter().cycle());
            let sum: u32 = weighted.map(|(c, weight)| value(c) * weight).sum();
            !digits.contains('X')
                && (digits.starts_with("978") || digits.starts_with("979"))
                && sum.is_multiple_of(10)
        }
        10 => {
            let sum: u32 = digits
                .chars()
                .zip((1..=10).rev())
                .map(|(c, weight)| value(c) * weight)
                .sum();
            no_early_x && sum.is_multiple_of(11)
        }
        _ => false,
    };
    sound.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_is_sorted() {
        let mut sorted = NOISE.to_vec();
        sorted.sort_unstable();
        assert_eq!(NOISE, sorted);
    }

    #[test]
    fn tags_are_told_apart() {
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

    #[test]
    fn an_isbn_has_a_right_check_digit() {
        assert_eq!(isbn("9780306406157").as_deref(), Some("9780306406157"));
        assert_eq!(
            isbn("ISBN 978-0-306-40615-7").as_deref(),
            Some("9780306406157")
        );
        assert_eq!(isbn("0-306-40615-2").as_deref(), Some("0306406152"));
        assert_eq!(isbn("080442957X").as_deref(), Some("080442957X"));
        assert_eq!(isbn("9780306406158"), None);
        assert_eq!(isbn("2016010203"), None);
        assert_eq!(isbn(""), None);
    }
}
