//! Times in text form: `01:02:03.500`, `02:03`, `62.5`.

/// Parses a time into seconds. Returns `None` if the text is not a time.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let mut seconds = 0.0;
    let mut parts = 0;
    for part in text.trim().split(':') {
        parts += 1;
        let is_number = part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if parts > 3 || !is_number || part.len() > 20 {
            return None;
        }
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    (seconds < 1e9).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_minutes_and_seconds() {
        assert_eq!(parse(" 01:02:03.500"), Some(3723.5));
        assert_eq!(parse("2:03"), Some(123.0));
        assert_eq!(parse("62.5"), Some(62.5));
        for text in ["", ":", "x", "1:2:3:4", "-1", "1e9", "inf", "::"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
