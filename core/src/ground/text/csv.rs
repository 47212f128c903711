//! Cells of comma-separated values (RFC 4180).

use std::borrow::Cow;

/// Quotes a cell if necessary. A cell that a spreadsheet would run as a formula gets a prefix.
pub fn cell(text: &str) -> Cow<'_, str> {
    let plain = if text.starts_with(['=', '+', '-', '@']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    };
    if plain.contains([',', '"', '\n', '\r']) {
        return Cow::Owned(format!("\"{}\"", plain.replace('"', "\"\"")));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_is_quoted_and_never_a_formula() {
        for (text, expected) in [
            ("Emma", "Emma"),
            ("One, two", "\"One, two\""),
            ("The \"best\"", "\"The \"\"best\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1,A2)", "\"'@SUM(A1,A2)\""),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
