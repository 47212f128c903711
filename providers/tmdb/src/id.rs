//! Identifiers of films and series. Their numbers overlap, so an identifier contains the type.

use std::fmt;

use ledge_core::registry::provider::Query;

/// Type of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaType {
    Film,
    Series,
}

impl MediaType {
    /// Returns the types that can be the item. A query without a subkind allows both.
    pub(crate) fn of(question: &Query) -> &'static [Self] {
        match question.subkind.as_deref() {
            Some("film") => &[Self::Film],
            Some("series") => &[Self::Series],
            Some(_) => &[],
            None => &[Self::Film, Self::Series],
        }
    }

    /// Returns the path of this type in the API and on the site.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Film => "movie",
            Self::Series => "tv",
        }
    }
}

/// Identifier of an entry: `movie/603`, `tv/1399`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id {
    pub(crate) media: MediaType,
    pub(crate) number: u64,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.media.path(), self.number)
    }
}

impl Id {
    /// Parses `movie/603`, the address of a page on the site, or a number. A number belongs to each
    /// of the given types.
    pub(crate) fn parse(text: &str, types: &[MediaType]) -> Vec<Self> {
        let text = text.trim();
        if let Some(number) = number(text) {
            let of = |media: &MediaType| Self {
                media: *media,
                number,
            };
            return types.iter().map(of).collect();
        }
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let mut parts = path.rsplit('/').filter(|part| !part.is_empty());
        let (last, before) = (parts.next(), parts.next());
        let media = match before {
            Some("movie") => MediaType::Film,
            Some("tv") => MediaType::Series,
            _ => return Vec::new(),
        };
        // The site appends the title: `603-the-matrix`.
        let found = last.and_then(|last| number(last.split('-').next()?));
        found
            .map(|number| Self { media, number })
            .into_iter()
            .collect()
    }
}

/// Parses a positive decimal number.
pub(crate) fn number(text: &str) -> Option<u64> {
    let is_number = (1..=12).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_read_in_every_form() {
        let film = |number| Id {
            media: MediaType::Film,
            number,
        };
        for text in [
            "movie/603",
            " 603 ",
            "https://www.themoviedb.org/movie/603-the-matrix?language=de",
            "https://www.themoviedb.org/movie/603/",
        ] {
            assert_eq!(Id::parse(text, &[MediaType::Film]), [film(603)], "{text}");
        }
        let series = Id::parse("tv/1399", &[MediaType::Film]);
        assert_eq!(
            series.first().map(Id::to_string).as_deref(),
            Some("tv/1399")
        );
        let both = Id::parse("603", &[MediaType::Film, MediaType::Series]);
        assert_eq!(both.len(), 2);
        for text in [
            "",
            "0",
            "-1",
            "movie/",
            "movie/x",
            "person/287",
            "603/../7",
            "movie/603%2f",
            "9999999999999",
        ] {
            assert_eq!(Id::parse(text, &[MediaType::Film]), [], "{text}");
        }
    }
}
