//! Parameters of the feeds.

use ledge_core::http::protocol::Params;
use ledge_core::http::publications::Publications;
use ledge_core::http::{ApiError, ApiResult, parse_id};
use ledge_core::id::{GenreId, LibraryId, PersonId, SeriesId};
use ledge_core::paging::Window;
use ledge_core::store::item::{Direction, Filter, Order, Sort, State};

/// Number of entries of a page.
pub(crate) const PER_PAGE: u32 = 50;

/// Largest page number; a larger one counts as this one. Every list has fewer pages, and offsets
/// of this size fit into every integer.
const MAX_PAGE: u64 = 1 << 32;

/// An unknown value names no feed.
pub(crate) const NO_FEED: ApiError = ApiError::NotFound("feed");

/// Order of the shelf of started publications. It is not a facet.
pub(crate) const RECENT: &str = "recent";

/// Orders of publications: value, label, and order.
pub(crate) const SORTS: [(&str, &str, Sort, Direction); 5] = [
    ("title", "Title", Sort::Title, Direction::Asc),
    ("author", "Author", Sort::Author, Direction::Asc),
    ("new", "New", Sort::Added, Direction::Desc),
    ("series", "Series", Sort::Series, Direction::Asc),
    (RECENT, "Last read", Sort::LastPlayed, Direction::Desc),
];

/// States of publications: value, label, and state.
pub(crate) const STATES: [(&str, &str, State); 3] = [
    ("unstarted", "Unstarted", State::Unstarted),
    ("started", "Started", State::Started),
    ("finished", "Finished", State::Finished),
];

/// Criteria of a feed of publications.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShelfQuery {
    pub(crate) library: Option<LibraryId>,
    pub(crate) author: Option<PersonId>,
    pub(crate) series: Option<SeriesId>,
    pub(crate) subject: Option<GenreId>,
    pub(crate) state: Option<&'static str>,
    pub(crate) is_favourite: bool,
    pub(crate) sort: Option<&'static str>,
    /// Words of a search.
    pub(crate) q: Option<String>,
}

impl ShelfQuery {
    /// Reads the criteria.
    ///
    /// # Errors
    ///
    /// Fails for a value that no feed has.
    pub(crate) fn read(params: &Params) -> ApiResult<Self> {
        let id = |name| {
            let text = params.first(name);
            text.map(|text| parse_id(text).ok_or(NO_FEED)).transpose()
        };
        let state = known(params, "state", STATES.iter().map(|(value, ..)| *value))?;
        let sort = known(params, "sort", SORTS.iter().map(|(value, ..)| *value))?;
        let is_favourite = match params.first("favourite") {
            None => false,
            Some("true") => true,
            Some(_) => return Err(NO_FEED),
        };
        Ok(Self {
            library: id("library")?.map(LibraryId),
            author: id("author")?.map(PersonId),
            series: id("series")?.map(SeriesId),
            subject: id("subject")?.map(GenreId),
            state,
            is_favourite,
            sort,
            // The template of the JSON feeds has the name `query`, which apps look for.
            q: params
                .first("q")
                .or_else(|| params.first("query"))
                .map(str::to_owned),
        })
    }

    /// Returns the parameters of the same feed.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let ids = [
            ("library", self.library.map(|id| id.0)),
            ("author", self.author.map(|id| id.0)),
            ("series", self.series.map(|id| id.0)),
            ("subject", self.subject.map(|id| id.0)),
        ];
        let ids = ids.into_iter();
        let ids = ids.filter_map(|(name, id)| Some((name, id?.to_string())));
        let texts = [
            ("state", self.state.map(str::to_owned)),
            ("favourite", self.is_favourite.then(|| "true".to_owned())),
            ("sort", self.sort.map(str::to_owned)),
            ("q", self.q.clone()),
        ];
        let texts = texts.into_iter();
        ids.chain(texts.filter_map(|(name, text)| Some((name, text?))))
            .collect()
    }

    /// Returns the filter of present publications.
    pub(crate) fn filter(&self) -> Filter {
        let state = self.state.and_then(|state| {
            let found = STATES.iter().find(|(value, ..)| *value == state);
            found.map(|(_, _, state)| *state)
        });
        Filter {
            kinds: Publications::kinds(),
            library: self.library,
            author: self.author,
            series: self.series,
            genres: self.subject.into_iter().collect(),
            state,
            favourite: self.is_favourite.then_some(true),
            missing: Some(false),
            ..Filter::default()
        }
    }

    /// Returns `true` if the feed has a criterion other than the words of a search.
    pub(crate) fn is_limited(&self) -> bool {
        self.library.is_some()
            || self.author.is_some()
            || self.series.is_some()
            || self.subject.is_some()
            || self.state.is_some()
            || self.is_favourite
    }

    /// Returns the value of the order. A series is in its own order.
    pub(crate) fn sort_value(&self) -> &'static str {
        let default = if self.series.is_some() {
            "series"
        } else {
            "title"
        };
        self.sort.unwrap_or(default)
    }

    /// Returns the order.
    pub(crate) fn order(&self) -> Order {
        let wanted = self.sort_value();
        let found = SORTS.iter().find(|(value, ..)| *value == wanted);
        let (sort, direction) =
            found.map_or((Sort::Title, Direction::Asc), |found| (found.2, found.3));
        Order {
            sort,
            direction,
            seed: 0,
        }
    }
}

fn known(
    params: &Params,
    name: &str,
    mut values: impl Iterator<Item = &'static str>,
) -> ApiResult<Option<&'static str>> {
    let Some(text) = params.first(name) else {
        return Ok(None);
    };
    let found = values.find(|value| *value == text);
    found.map(Some).ok_or(NO_FEED)
}

/// Reads the number of the page, from 1.
pub(crate) fn page(params: &Params) -> ApiResult<u64> {
    let Some(text) = params.first("page") else {
        return Ok(1);
    };
    let page = parse_id(text).and_then(|page| u64::try_from(page).ok());
    let page = page.filter(|page| *page > 0).ok_or(NO_FEED)?;
    Ok(page.min(MAX_PAGE))
}

/// Returns the window of a page.
pub(crate) fn window(page: u64) -> Window {
    Window {
        offset: (page - 1) * u64::from(PER_PAGE),
        limit: PER_PAGE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Params {
        let pairs = pairs.iter();
        Params::new(
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn criteria_are_written_as_they_are_read() {
        let pairs = [
            ("library", "1"),
            ("author", "2"),
            ("series", "3"),
            ("subject", "4"),
            ("state", "started"),
            ("favourite", "true"),
            ("sort", "new"),
            ("q", "a b"),
        ];
        let read = ShelfQuery::read(&params(&pairs)).expect("a feed");
        let written = read.pairs();
        let written: Vec<(&str, &str)> = written
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        assert_eq!(written, pairs);
    }

    #[test]
    fn other_values_name_no_feed() {
        for (name, value) in [
            ("library", "x"),
            ("author", "-1"),
            ("series", "01"),
            ("state", "new"),
            ("favourite", "1"),
            ("sort", "random"),
        ] {
            assert!(
                ShelfQuery::read(&params(&[(name, value)])).is_err(),
                "{name}"
            );
        }
        for value in ["0", "-1", "x", "", "01", "1.0"] {
            assert!(page(&params(&[("page", value)])).is_err(), "{value}");
        }
        assert_eq!(page(&params(&[])).expect("a page"), 1);
        assert_eq!(window(3).offset, 100);
        let last = page(&params(&[("page", &i64::MAX.to_string())]));
        assert_eq!(last.expect("a page"), MAX_PAGE);
    }
}
