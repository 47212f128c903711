//! Text fields of headers: fixed width, in the character set of the console.

use encoding_rs::SHIFT_JIS;
use ledge_core::text::names::clean;

/// Longest text that is kept, in characters.
const MAX_CHARS: usize = 300;

/// Decodes an ASCII field. Returns `None` if it is empty or contains other bytes.
pub(crate) fn ascii(field: &[u8]) -> Option<String> {
    let field = used_part(field);
    let is_text = field.iter().all(|byte| matches!(byte, b' '..=b'~'));
    sanitize(std::str::from_utf8(field).ok().filter(|_| is_text)?)
}

/// Decodes a Shift-JIS field, the encoding of most Japanese consoles. Returns `None` if it is empty
/// or invalid.
pub(crate) fn japanese(field: &[u8]) -> Option<String> {
    let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(used_part(field))?;
    sanitize(Some(text.as_ref()).filter(|text| !text.contains(char::is_control))?)
}

/// Decodes a code of upper-case letters, digits and hyphens that fills the field. Returns `None`
/// for other content.
pub(crate) fn code(field: &[u8]) -> Option<String> {
    let is_code = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'-';
    let text = std::str::from_utf8(field).ok()?;
    (!field.is_empty() && field.iter().all(is_code)).then(|| text.to_owned())
}

/// Returns the text on one line, at most [`MAX_CHARS`] characters. Returns `None` without a letter
/// or digit.
pub(crate) fn sanitize(text: &str) -> Option<String> {
    let plain: String = clean::plain(text).chars().take(MAX_CHARS).collect();
    plain
        .contains(char::is_alphanumeric)
        .then(|| plain.trim().to_owned())
}

/// Returns the used part of a field, which ends at NUL or at unwritten memory (0xFF).
fn used_part(field: &[u8]) -> &[u8] {
    field
        .split(|byte| matches!(byte, 0 | 0xff))
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fields_with_other_bytes_are_rejected() {
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
    fn codes_that_do_not_fill_their_field_are_rejected() {
        assert_eq!(code(b"AZ0E").as_deref(), Some("AZ0E"));
        for field in [&b""[..], b"AZ0\0", b"az0e", b"AZ E"] {
            assert_eq!(code(field), None, "{field:?}");
        }
    }
}
