//! Texts out of files, made fit to keep: no control characters, no blanks around, not endless.

pub use ledge_core::markup::text::{first, line, lines};

/// Bytes of a file as a text on one line. What is no text is replaced.
pub fn of_bytes(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    line(&String::from_utf8_lossy(
        bytes.get(..16 << 10).unwrap_or(bytes),
    ))
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
}
