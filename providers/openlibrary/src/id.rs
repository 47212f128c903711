//! Open Library's identifiers: `OL45804W` for a work, `OL7353617M` for an edition.

/// Identifier of a work or an edition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Id {
    /// A work, which includes all editions of a book.
    Work(String),
    /// One edition.
    Edition(String),
}

impl Id {
    /// Parses an identifier, also at the end of a URL or a key such as `/works/OL45804W`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bare = text.trim().trim_end_matches('/').rsplit('/').next()?;
        let bare = bare
            .strip_suffix(".json")
            .unwrap_or(bare)
            .to_ascii_uppercase();
        let number = bare.strip_prefix("OL")?;
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let sound = (1..=12).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        match number.get(digits.len()..) {
            Some("W") if sound => Some(Self::Work(bare)),
            Some("M") if sound => Some(Self::Edition(bare)),
            _ => None,
        }
    }

    /// Parses the identifier of a work. Returns `None` for any other text.
    pub(crate) fn work(text: &str) -> Option<String> {
        match Self::parse(text)? {
            Self::Work(id) => Some(id),
            Self::Edition(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn parse_accepts_only_identifiers() {
        let work = || Some(Id::Work("OL45804W".to_owned()));
        for text in [
            "OL45804W",
            "/works/OL45804W",
            "https://openlibrary.org/works/OL45804W/",
            "ol45804w",
            "/works/OL45804W.json",
        ] {
            assert_eq!(Id::parse(text), work(), "{text}");
        }
        assert_eq!(
            Id::parse("/books/OL7353617M"),
            Some(Id::Edition("OL7353617M".to_owned()))
        );
        for text in [
            "",
            "OLW",
            "OL1A",
            "OL1",
            "45804",
            "OL1W?x=1",
            "../OL1 W",
            "OL1234567890123W",
        ] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
