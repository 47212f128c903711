//! ISBNs in one form: ten digits and thirteen of one book are equal.

/// The thirteen digits of an ISBN of either length; `None` for what is none or fails its check.
pub(super) fn thirteen(text: &str) -> Option<String> {
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
    use super::thirteen;

    #[test]
    fn both_lengths_of_one_isbn_are_equal() {
        let long = thirteen("978-0-306-40615-7");
        assert_eq!(long.as_deref(), Some("9780306406157"));
        assert_eq!(thirteen("0-306-40615-2"), long);
        assert_eq!(thirteen("ISBN 0306406152"), long);
        assert_eq!(thirteen("080442957X").as_deref(), Some("9780804429573"));
    }

    #[test]
    fn what_fails_its_check_is_none() {
        for text in [
            "9780306406158",
            "0306406153",
            "1234567890123",
            "",
            "X",
            "9791",
        ] {
            assert_eq!(thirteen(text), None, "{text}");
        }
    }
}
