//! Numbers in names, and natural order.

use std::cmp::Ordering;

/// Compares in natural order: digits count as numbers, and the case of letters is ignored. Equal
/// names are compared by bytes.
pub fn cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number, rest) = digits(left);
            let (other, other_rest) = digits(right);
            (left, right) = (rest, other_rest);
            magnitude(number, other)
        } else {
            (left, right) = (after(left, x), after(right, y));
            x.to_lowercase().cmp(y.to_lowercase())
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Splits a text after its leading ASCII digits.
pub fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Parses a text that is a number: `7`, `07`, `1.5`. At most four digits before the point and three
/// after it are permitted.
pub fn number(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let sound = whole.len() <= 4 && fraction.len() <= 3;
    (sound && all_digits(whole) && all_digits(fraction))
        .then(|| text.parse().ok())
        .flatten()
}

/// Splits a final number off a text: `Mistborn 01`. The number must be a separate word.
pub fn trailing(text: &str) -> Option<(&str, &str)> {
    let (head, last) = text.rsplit_once(char::is_whitespace)?;
    number(last).map(|_| (head.trim_end(), last))
}

fn magnitude(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn after(text: &str, first: char) -> &str {
    text.get(first.len_utf8()..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_count_as_numbers() {
        let mut names = ["page10", "Page 2", "page1", "page2", "page 10", "page02"];
        names.sort_by(|a, b| cmp(a, b));
        assert_eq!(
            names,
            ["Page 2", "page 10", "page1", "page02", "page2", "page10"]
        );
        assert_eq!(
            cmp("99999999999999999999", "100000000000000000000"),
            Ordering::Less
        );
    }

    #[test]
    fn number_accepts_short_decimals() {
        assert_eq!(number("07"), Some(7.0));
        assert_eq!(number("1.5"), Some(1.5));
        assert_eq!(number("1."), None);
        assert_eq!(number("x"), None);
        assert_eq!(trailing("Mistborn 01"), Some(("Mistborn", "01")));
        assert_eq!(trailing("Mistborn"), None);
    }

    proptest! {
        #[test]
        fn natural_order_is_total(a in "[a0-2 é]{0,8}", b in "[a0-2 é]{0,8}", c in "[a0-2 é]{0,8}") {
            prop_assert_eq!(cmp(&a, &b), cmp(&b, &a).reverse());
            prop_assert_eq!(cmp(&a, &b) == Ordering::Equal, a == b);
            if cmp(&a, &b).is_le() && cmp(&b, &c).is_le() {
                prop_assert!(cmp(&a, &c).is_le());
            }
        }
    }
}
