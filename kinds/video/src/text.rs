//! Texts out of files, made fit to keep: no control characters, no blanks around, not endless.

use ledge_core::names::clean;

/// Longest text of one line, in characters.
const LONGEST_LINE: usize = 1_000;

/// Longest text of several lines, in characters.
const LONGEST_TEXT: usize = 20_000;

/// A text on one line; `None` where nothing is left of it.
pub fn line(text: &str) -> Option<String> {
    let clean = clean::plain(first(text, 4 * LONGEST_LINE));
    let line = first(&clean, LONGEST_LINE).trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Bytes of a file as a text on one line. What is no text is replaced.
pub fn of_bytes(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    line(&String::from_utf8_lossy(
        bytes.get(..16 << 10).unwrap_or(bytes),
    ))
}

/// A text whose lines stay lines, with at most one empty line in between; `None` where nothing is
/// left of it.
pub fn lines(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut gap = 0;
    for line in first(text, 4 * LONGEST_TEXT).lines().map(clean::plain) {
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

/// The first characters of a text.
pub fn first(text: &str, characters: usize) -> &str {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// A language's tag; `None` where the file says that it says none.
pub fn language(tag: &str) -> Option<String> {
    let tag = tag.trim_matches(|c: char| c.is_control() || c.is_whitespace());
    let is_tag = (2..=35).contains(&tag.len())
        && tag
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let says_none = matches!(
        tag.to_ascii_lowercase().as_str(),
        "und" | "unk" | "zxx" | "mis"
    );
    (is_tag && !says_none).then(|| tag.to_owned())
}

/// The year that a date begins with.
pub fn year(date: &str) -> Option<i32> {
    ledge_core::names::year::leading(date.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_an_end() {
        assert_eq!(line(" a\n\tb\0 ").as_deref(), Some("a b"));
        assert_eq!(line(" \u{200b}\n"), None);
        assert_eq!(of_bytes(b"A\xff b\0junk").as_deref(), Some("A\u{fffd} b"));
        let long = line(&"ä ".repeat(1 << 20)).expect("a line");
        assert!(long.chars().count() <= LONGEST_LINE);
    }

    #[test]
    fn lines_keep_their_paragraphs() {
        let text = lines("\n\n one  two\nthree\n\n\n\nfour\n");
        assert_eq!(text.as_deref(), Some("one two\nthree\n\nfour"));
        assert_eq!(lines("\n \n"), None);
    }

    #[test]
    fn languages_are_tags() {
        assert_eq!(language("pt-BR\0").as_deref(), Some("pt-BR"));
        for none in ["und", "", "x", "a b", "<b>", "zxx"] {
            assert_eq!(language(none), None, "{none}");
        }
    }
}
