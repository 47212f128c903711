//! Identifiers of entries. AniList has one entry per manga, and a library has one item per volume.

use std::fmt;

/// Identifier of an entry and, for a numbered comic, the number of the item: `30002`, `30002/3`.
/// With the number, two volumes do not have the same identifier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Id {
    pub(crate) entry: u64,
    pub(crate) number: Option<f64>,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{}/{number}", self.entry),
            None => write!(f, "{}", self.entry),
        }
    }
}

/// Returns the entry of an identifier, or of the address of a page on the site.
pub(crate) fn entry(text: &str) -> Option<u64> {
    let text = text.trim();
    let page = ["/anime/", "/manga/"]
        .into_iter()
        .find_map(|part| text.split_once(part));
    let text = page.map_or(text, |(_, rest)| rest);
    let number = text.split('/').next()?;
    let is_number = (1..=10).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    // GraphQL integers have 32 bits.
    let number = number
        .parse()
        .ok()
        .filter(|number| *number <= i32::MAX.unsigned_abs().into());
    number.filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_is_read_from_every_form() {
        for text in [
            "30002",
            " 30002/3 ",
            "https://anilist.co/manga/30002/Berserk/",
            "anilist.co/anime/30002",
        ] {
            assert_eq!(entry(text), Some(30002), "{text}");
        }
        for text in ["", "0", "-1", "x", "/3", "9999999999", "1;2", "30002x"] {
            assert_eq!(entry(text), None, "{text}");
        }
        let id = |number| Id { entry: 7, number }.to_string();
        assert_eq!(
            [id(None), id(Some(3.0)), id(Some(1.5))],
            ["7", "7/3", "7/1.5"]
        );
    }
}
