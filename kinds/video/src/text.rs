//! Texts out of files, made fit to keep: no control characters, no blanks around, not endless.

pub use ledge_core::markup::text::{first, line, lines};

/// Bytes of a file as a text on one line. What is no text is replaced.
pub fn of_bytes(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    line(&String::from_utf8_lossy(
        bytes.get(..16 << 10).unwrap_or(bytes),
    ))
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
    fn bytes_end_at_a_zero() {
        assert_eq!(of_bytes(b"A\xff b\0junk").as_deref(), Some("A\u{fffd} b"));
    }

    #[test]
    fn languages_are_tags() {
        assert_eq!(language("pt-BR\0").as_deref(), Some("pt-BR"));
        for none in ["und", "", "x", "a b", "<b>", "zxx"] {
            assert_eq!(language(none), None, "{none}");
        }
    }
}
