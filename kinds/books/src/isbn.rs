//! ISBNs in book identifiers and file names.

/// Parses an ISBN-10 or ISBN-13 and removes hyphens. Returns `None` if the check digit is wrong.
pub fn parse(text: &str) -> Option<String> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let bare = ["urn:isbn:", "isbn-13:", "isbn-10:", "isbn:", "isbn"]
        .iter()
        .find_map(|prefix| lower.strip_prefix(prefix))
        .unwrap_or(&lower);
    let isbn: String = bare
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}'))
        .map(|c| c.to_ascii_uppercase())
        .take(14)
        .collect();
    let digits: Option<Vec<u32>> = isbn
        .char_indices()
        .map(|(at, c)| match c {
            'X' if at == 9 => Some(10),
            _ => c.to_digit(10),
        })
        .collect();
    let digits = digits?;
    let is_valid = match digits.len() {
        10 => weighed(&digits, (1..=10).rev()) % 11 == 0,
        13 => {
            let is_book = isbn.starts_with("978") || isbn.starts_with("979");
            is_book && weighed(&digits, [1, 3].into_iter().cycle()) % 10 == 0
        }
        _ => false,
    };
    is_valid.then_some(isbn)
}

fn weighed(digits: &[u32], weights: impl Iterator<Item = u32>) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn parse_accepts_only_valid_check_digits() {
        assert_eq!(
            parse("urn:isbn:978-0-306-40615-7").as_deref(),
            Some("9780306406157")
        );
        assert_eq!(parse("ISBN 0-8044-2957-x").as_deref(), Some("080442957X"));
        assert_eq!(parse("9780306406157").as_deref(), Some("9780306406157"));
        assert_eq!(
            parse("ISBN_9780306406157").as_deref(),
            Some("9780306406157")
        );
        assert_eq!(parse("0-306-40615-2").as_deref(), Some("0306406152"));
        assert_eq!(parse("9780306406158"), None);
        assert_eq!(parse("2016010203"), None);
        assert_eq!(parse("1234567890123"), None);
        assert_eq!(parse("X080442957"), None);
        assert_eq!(parse("urn:uuid:00000000-0000-4000-8000-000000000002"), None);
        assert_eq!(parse(""), None);
    }
}
