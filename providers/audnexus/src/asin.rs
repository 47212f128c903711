//! Identifiers of Audible and Amazon: `B08G9PRS1K`, or the ISBN-10 of an older book.

/// Returns the identifier in capital letters, also at the end of the address of a page.
pub(crate) fn parse(text: &str) -> Option<String> {
    let path = text.trim().split(['?', '#']).next()?;
    let id = path.trim_end_matches('/').rsplit('/').next()?;
    let id = id.to_ascii_uppercase();
    let (first, rest) = (id.chars().next()?, id.get(1..)?);
    let is_asin = first == 'B' && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let digits = id.strip_suffix('X').unwrap_or(&id);
    let is_isbn = digits.len() >= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (id.len() == 10 && (is_asin || is_isbn)).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_identifiers_are_accepted() {
        for (text, expected) in [
            ("B08G9PRS1K", Some("B08G9PRS1K")),
            (" b08g9prs1k ", Some("B08G9PRS1K")),
            (
                "https://www.audible.com/pd/Title/B08G9PRS1K?ref=x",
                Some("B08G9PRS1K"),
            ),
            ("1603935479", Some("1603935479")),
            ("160393547x", Some("160393547X")),
            ("", None),
            ("B08G9PRS1", None),
            ("B08G9PRS1KK", None),
            ("C08G9PRS1K", None),
            ("B08G9PRS1/", None),
            ("B08G9PRSé", None),
            ("éB08G9PRS", None),
            ("../../x", None),
        ] {
            assert_eq!(parse(text).as_deref(), expected, "{text}");
        }
    }
}
