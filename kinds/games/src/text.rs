//! Texts in headers: fields of fixed width, in the letters of their console.

use encoding_rs::SHIFT_JIS;
use ledge_core::names::clean;

/// Longest text that is kept, in characters.
const LONGEST: usize = 300;

/// The text of a field in ASCII; `None` where it is empty or holds anything else.
pub(crate) fn ascii(field: &[u8]) -> Option<String> {
    let field = before_end(field);
    let is_text = field.iter().all(|byte| matches!(byte, b' '..=b'~'));
    tidy(std::str::from_utf8(field).ok().filter(|_| is_text)?)
}

/// The text of a field in Shift-JIS, which most Japanese consoles use; likewise.
pub(crate) fn japanese(field: &[u8]) -> Option<String> {
    let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(before_end(field))?;
    tidy(Some(text.as_ref()).filter(|text| !text.contains(char::is_control))?)
}

/// A code of upper-case letters, digits and hyphens, which fill the field; `None` for anything else.
pub(crate) fn code(field: &[u8]) -> Option<String> {
    let is_code = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'-';
    let text = std::str::from_utf8(field).ok()?;
    (!field.is_empty() && field.iter().all(is_code)).then(|| text.to_owned())
}

/// A text on one line, and not endless; `None` where it has no letter and no digit.
pub(crate) fn tidy(text: &str) -> Option<String> {
    let plain: String = clean::plain(text).chars().take(LONGEST).collect();
    plain
        .contains(char::is_alphanumeric)
        .then(|| plain.trim().to_owned())
}

/// A field as far as it is used: NUL ends it, and so does memory that was never written.
fn before_end(field: &[u8]) -> &[u8] {
    field
        .split(|byte| matches!(byte, 0 | 0xff))
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_text_or_nothing() {
        assert_eq!(ascii(b"TETRIS\0\0\0rest").as_deref(), Some("TETRIS"));
        assert_eq!(ascii(b"  A  B \xff\xff").as_deref(), Some("A B"));
        for field in [&b""[..], b"\0A", b"    ", b"A\x01B", b"A\xe9", b"----"] {
            assert_eq!(ascii(field), None, "{field:?}");
        }
        assert_eq!(
            japanese(b"\x83]\x83j\x83b\x83N").as_deref(),
            Some("ゾニック")
        );
        assert_eq!(japanese(b"\x83"), None);
        assert_eq!(japanese(b"A\x07"), None);
    }

    #[test]
    fn codes_fill_their_field() {
        assert_eq!(code(b"AZ0E").as_deref(), Some("AZ0E"));
        for field in [&b""[..], b"AZ0\0", b"az0e", b"AZ E"] {
            assert_eq!(code(field), None, "{field:?}");
        }
    }
}
