//! Conversion of names to displayable text: control characters, underscores, dotted names.

/// Returns the text on one line. Control characters and line separators become spaces. Invisible
/// characters and marks of writing direction are removed. Runs of white space become one space.
///
/// Joiners stay, because emoji and several scripts need them.
pub fn plain(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if is_unseen(c) {
            continue;
        }
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
    out
}

/// Returns `true` if the text is already clean, as most names are.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let single_spaces = bytes.windows(2).all(|pair| pair != b"  ");
    bytes.iter().all(|b| matches!(b, b' '..=b'~'))
        && single_spaces
        && !text.starts_with(' ')
        && !text.ends_with(' ')
}

/// Applies [`plain`], and adds spaces to names without them: `The_Last_Word` and `The.Last.Word`.
///
/// If the text has spaces, an underscore before a space replaces a colon, which file systems and
/// library programs do not permit: `Dune_ Messiah` becomes "Dune: Messiah". Other underscores
/// become spaces.
pub fn spaced(text: &str) -> String {
    let text = plain(text);
    let has_spaces = text.contains(' ');
    let dots = text.bytes().filter(|b| *b == b'.').count();
    if !has_spaces && (dots >= 2 || (dots == 1 && text.contains('_'))) {
        return plain(&dots_and_underscores(&text));
    }
    if !text.contains('_') {
        return text;
    }
    if has_spaces {
        return plain(
            &text
                .replace("_ ", ": ")
                .replace('_', " ")
                .replace(" :", " "),
        );
    }
    plain(&text.replace('_', " "))
}

/// Replaces dots and underscores with spaces, except for the dot of a decimal fraction such as
/// `v1.5`.
fn dots_and_underscores(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(char::is_ascii_digit)
    };
    let short_number = |at: usize| {
        let before = chars.iter().take(at).rev();
        before.take_while(|c| c.is_ascii_digit()).count() <= 3
            && digit(at.checked_sub(1))
            && digit(Some(at + 1))
            && !digit(Some(at + 2))
    };
    let spaced = chars.iter().enumerate().map(|(at, &c)| match c {
        '.' if short_number(at) => '.',
        '.' | '_' => ' ',
        c => c,
    });
    spaced.collect()
}

/// Trims separators from the ends, after a part of a name was cut out.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "-–—_,;:+~".contains(c))
}

fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{feff}' | '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(plain("two\n\nlines\n"), "two lines");
        assert_eq!(plain("esc\u{1b}[31mred"), "esc [31mred");
        assert_eq!(plain("line\u{2028}sep\u{85}nel"), "line sep nel");
        assert_eq!(plain("evil\u{202e}gpj"), "evilgpj");
        assert_eq!(plain("👩\u{200d}👧"), "👩\u{200d}👧");
    }

    #[test]
    fn spaced_adds_spaces_to_names_without_them() {
        for (name, expected) in [
            ("The_Last_Word", "The Last Word"),
            ("The.Last.Word", "The Last Word"),
            ("The_Last.Word", "The Last Word"),
            ("Series.v1.5.Name", "Series v1.5 Name"),
            ("Film.2014.1080p", "Film 2014 1080p"),
            ("Dune_ Messiah", "Dune: Messiah"),
            ("a_b and c", "a b and c"),
            ("Node.js", "Node.js"),
            ("Mr. Fox vs. Mr. Bear", "Mr. Fox vs. Mr. Bear"),
        ] {
            assert_eq!(spaced(name), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn plain_is_idempotent(text in ".*") {
            let once = plain(&text);
            prop_assert_eq!(plain(&once), once.clone());
            prop_assert!(!once.chars().any(char::is_control));
            let once = spaced(&text);
            prop_assert_eq!(plain(&once), once);
        }
    }
}
