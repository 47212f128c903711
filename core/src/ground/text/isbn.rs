//! Normalization of ISBNs: the ISBN-10 and the ISBN-13 of a title become equal.

use serde_json::Value;

/// Returns the ISBNs in the facts of an item, as ISBN-13. The fact is a text or a list.
pub fn in_facts(facts: &Value) -> Vec<String> {
    let texts = match facts.get("isbn") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().filter_map(to_isbn13).collect()
}

/// Returns the ISBN-13 of an ISBN of either length. Returns `None` if the text is not an ISBN or
/// its check digit is wrong.
pub fn to_isbn13(text: &str) -> Option<String> {
    let bare: Vec<char> = text
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(18)
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let bare: String = bare.into_iter().collect();
    let bare = bare.strip_prefix("ISBN").unwrap_or(&bare);
    let value = |(at, c): (usize, char)| match c {
        'X' if at == 9 => Some(10),
        c => c.to_digit(10),
    };
    let digits: Vec<u32> = bare.chars().enumerate().map(value).collect::<Option<_>>()?;
    match digits.len() {
        10 => {
            let sum: u32 = digits.iter().zip((1..=10).rev()).map(|(d, w)| d * w).sum();
            let body: String = bare.chars().take(9).collect();
            sum.is_multiple_of(11)
                .then(|| with_check(&format!("978{body}")))
        }
        13 if bare.starts_with("978") || bare.starts_with("979") => {
            let body: String = bare.chars().take(12).collect();
            Some(with_check(&body)).filter(|whole| whole == bare)
        }
        _ => None,
    }
}

fn with_check(twelve: &str) -> String {
    let digits = twelve.chars().filter_map(|c| c.to_digit(10));
    let sum: u32 = digits
        .zip([1, 3].into_iter().cycle())
        .map(|(d, w)| d * w)
        .sum();
    format!("{twelve}{}", (10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::to_isbn13;

    #[test]
    fn isbn_10_and_isbn_13_of_one_book_are_equal() {
        let long = to_isbn13("978-0-306-40615-7");
        assert_eq!(long.as_deref(), Some("9780306406157"));
        assert_eq!(to_isbn13("0-306-40615-2"), long);
        assert_eq!(to_isbn13("ISBN 0306406152"), long);
        assert_eq!(to_isbn13("080442957X").as_deref(), Some("9780804429573"));
    }

    #[test]
    fn isbn_with_wrong_check_digit_is_none() {
        for text in [
            "9780306406158",
            "0306406153",
            "1234567890123",
            "",
            "X",
            "9791",
        ] {
            assert_eq!(to_isbn13(text), None, "{text}");
        }
    }
}
