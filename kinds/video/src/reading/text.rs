//! Normalisation of texts from files: no control characters, no surrounding spaces, limited length.

use ledge_core::Timestamp;
pub use ledge_core::text::markup::text::{first, line, lines};

/// Decodes a null-terminated text as one line. Invalid UTF-8 is replaced.
pub fn from_bytes(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    line(&String::from_utf8_lossy(
        bytes.get(..16 << 10).unwrap_or(bytes),
    ))
}

/// Returns a date in the form `YYYY-MM-DD`. A time after it is ignored.
pub fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let date = text.get(..10)?;
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b'T' | b' '));
    let is_date = format!("{date}T00:00:00Z").parse::<Timestamp>().is_ok();
    (is_end(text.as_bytes().get(10)) && is_date).then(|| date.to_owned())
}

/// Returns the year at the start of a date.
pub fn year(date: &str) -> Option<i32> {
    ledge_core::text::names::year::leading(date.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_a_null_byte() {
        assert_eq!(from_bytes(b"A\xff b\0junk").as_deref(), Some("A\u{fffd} b"));
    }
}
