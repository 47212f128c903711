//! Normalisation of texts from files: no control characters, no surrounding spaces, limited length.

pub use ledge_core::text::markup::text::{first, line, lines};

/// Decodes a null-terminated text as one line. Invalid UTF-8 is replaced.
pub fn from_bytes(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    line(&String::from_utf8_lossy(
        bytes.get(..16 << 10).unwrap_or(bytes),
    ))
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
