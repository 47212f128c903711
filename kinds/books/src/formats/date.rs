//! Years of the dates in book metadata.

/// Returns the year of a date such as `2004`, `2004-05-03T…`, `-0380` or `3 May 2004`, from -9999
/// to 9999. Returns `None` for the year 0 of ISO 8601 and for 101, which calibre writes for unknown
/// dates.
pub(super) fn year(date: &str) -> Option<i32> {
    let date = date.trim();
    let (sign, rest) = match date.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (-1, rest),
        None => (1, date),
    };
    let leading = rest.bytes().take_while(u8::is_ascii_digit).count();
    let digits = rest.get(..leading).unwrap_or_default();
    let follows = rest.get(leading..).unwrap_or_default();
    let year = match leading {
        4 if sign > 0 || follows.is_empty() || follows.starts_with('-') => digits.parse().ok(),
        8 if follows.is_empty() => digits.get(..4).and_then(|year| year.parse().ok()),
        _ => within(date),
    };
    let year: i32 = year?;
    let year = sign * year;
    (year != 0 && year != 101).then_some(year)
}

/// Returns the first number of four digits from 1000 to 2999.
fn within(date: &str) -> Option<i32> {
    date.split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .filter_map(|digits| digits.parse().ok())
        .find(|year| (1000..=2999).contains(year))
}

#[cfg(test)]
mod tests {
    use super::year;

    #[test]
    fn year_is_read_from_all_date_formats() {
        for (date, expected) in [
            ("2004", Some(2004)),
            ("2004-05-03T00:00:00+00:00", Some(2004)),
            ("20040503", Some(2004)),
            ("2004/05", Some(2004)),
            ("-0380", Some(-380)),
            ("\u{2212}0380-03-15", Some(-380)),
            ("-0101", Some(-101)),
            ("-0001", Some(-1)),
            ("-9999", Some(-9999)),
            ("-10000", None),
            ("-0000", None),
            ("0476", Some(476)),
            ("3 May 2004", Some(2004)),
            ("05/03/2004", Some(2004)),
            ("c1999.", Some(1999)),
            ("0101-01-01T00:00:00+00:00", None),
            ("0000", None),
            ("", None),
            ("yesterday", None),
        ] {
            assert_eq!(year(date), expected, "{date}");
        }
    }
}
