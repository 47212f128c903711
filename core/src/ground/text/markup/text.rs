//! Sanitizer for texts from files: removes control characters and surrounding whitespace, and
//! limits the length.

use crate::text::names::clean;

/// Maximum length of a single-line text, in characters.
const LONGEST_LINE: usize = 1_000;

/// Maximum length of a multi-line text, in characters.
const LONGEST_TEXT: usize = 20_000;

/// Returns the text on one line, or `None` if nothing is left.
pub fn line(text: &str) -> Option<String> {
    let clean = clean::plain(first(text, 4 * LONGEST_LINE));
    let line = first(&clean, LONGEST_LINE).trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns the text with its lines and at most one empty line between them, or `None` if nothing is
/// left.
pub fn lines(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut gap = 0;
    let unix = first(text, 4 * LONGEST_TEXT)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    for line in unix.lines().map(clean::plain) {
        if line.is_empty() {
            gap += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if gap == 0 { "\n" } else { "\n\n" });
        }
        gap = 0;
        out.push_str(&line);
    }
    let text = first(&out, LONGEST_TEXT).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the first characters of a text.
pub fn first(text: &str, characters: usize) -> &str {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// Parses a position in a series: `2`, `0.5`, `1,5`. Returns `None` unless it is at least 0 and
/// below one million.
pub fn number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().replace(',', ".").parse().ok()?;
    (number.is_finite() && (0.0..1e6).contains(&number)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_no_breaks_and_is_bounded() {
        assert_eq!(line(" a\n\tb\0 ").as_deref(), Some("a b"));
        assert_eq!(line(" \u{200b}\n"), None);
        let long = line(&"ä ".repeat(1 << 20)).expect("a line");
        assert!(long.chars().count() <= LONGEST_LINE);
    }

    #[test]
    fn number_accepts_positions_in_series() {
        assert_eq!(number(" 0.5 "), Some(0.5));
        assert_eq!(number("1,5"), Some(1.5));
        for text in ["", "x", "-1", "nan", "inf", "1e9"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn lines_keep_their_paragraphs() {
        assert_eq!(
            lines("\n\n one  two\rthree\r\n\n\n\nfour\n").as_deref(),
            Some("one two\nthree\n\nfour")
        );
        assert_eq!(lines("\n \n"), None);
    }
}
