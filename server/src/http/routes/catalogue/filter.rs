//! Query parameters that select items.

use std::ops::RangeInclusive;

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::{GenreId, LibraryId, PersonId, SeriesId, TagId};
use ledge_core::registry::Registry;
use ledge_core::store::item::{Filter, State};
use ledge_core::text::language;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::routes::id_list;
use crate::http::routes::media::playback;

/// Limit of values in one list.
const MAX_VALUES: usize = 100;

/// Criteria of an item list. An item must meet all of them.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// Only this kind.
    #[param(format = "kind")]
    kind: Option<String>,
    /// Only these subkinds of the kind, separated by commas. Without a kind, the subkinds of every
    /// kind that has them.
    subkind: Option<String>,
    /// Only this library. The list of an invisible library is empty.
    library: Option<i64>,
    /// Only items that credit this person.
    author: Option<i64>,
    /// Only items of this series.
    series: Option<i64>,
    /// Only items with one of these genres. The value contains ids separated by commas.
    genre: Option<String>,
    /// Only items with one of these tags. The value contains ids separated by commas.
    tag: Option<String>,
    /// Only items in one of these languages. The value contains primary subtags separated by
    /// commas.
    language: Option<String>,
    /// Only items of this year or a later one.
    year_from: Option<i64>,
    /// Only items of this year or an earlier one.
    year_to: Option<i64>,
    /// Only items of the ten years that begin with this multiple of 10.
    decade: Option<i64>,
    /// Only items that the user rated at least this high.
    #[param(minimum = 1, maximum = 10)]
    rating_min: Option<i64>,
    /// Only favourites, or only other items.
    favourite: Option<bool>,
    /// Only missing items, or only present ones.
    missing: Option<bool>,
    /// Only items in this progress state of the user.
    #[param(inline)]
    state: Option<State>,
    /// Only items that one of these engines plays. The value contains engine ids separated by
    /// commas; unknown ids are ignored. The cards then state if they play.
    engines: Option<String>,
}

impl FilterQuery {
    /// Validates the criteria.
    pub(crate) fn filter(self, registry: &Registry) -> ApiResult<Filter> {
        let years = years(self.year_from, self.year_to);
        let kind = registry.wanted_kind(self.kind)?;
        let subkinds = list("subkind", self.subkind.as_deref())?;
        for subkind in &subkinds {
            registry.check_subkind(kind.as_deref(), subkind)?;
        }
        Ok(Filter {
            kinds: Vec::new(),
            kind,
            subkinds: subkinds.into_iter().map(str::to_owned).collect(),
            library: self.library.map(LibraryId),
            author: self.author.map(PersonId),
            series: self.series.map(SeriesId),
            genres: ids("genre", self.genre.as_deref(), GenreId)?,
            tags: ids("tag", self.tag.as_deref(), TagId)?,
            languages: languages(self.language.as_deref())?,
            years,
            decade: self.decade.map(check_decade).transpose()?,
            rating_min: self
                .rating_min
                .map(|rating| check_rating("rating_min", rating))
                .transpose()?,
            favourite: self.favourite,
            missing: self.missing,
            state: self.state,
            engines: playback::offer_of_list(registry, self.engines.as_deref())?,
        })
    }
}

fn list<'a>(field: &'static str, value: Option<&'a str>) -> ApiResult<Vec<&'a str>> {
    value.map_or(Ok(Vec::new()), |text| {
        id_list::split(field, text, MAX_VALUES)
    })
}

fn ids<T>(field: &'static str, value: Option<&str>, id: fn(i64) -> T) -> ApiResult<Vec<T>> {
    value.map_or(Ok(Vec::new()), |text| {
        id_list::parse(field, text, MAX_VALUES, id)
    })
}

fn languages(value: Option<&str>) -> ApiResult<Vec<String>> {
    let tags = list("language", value)?.into_iter();
    tags.map(|tag| check_language("language", tag)).collect()
}

/// Returns a primary subtag in lower case.
pub(crate) fn check_language(field: &'static str, tag: &str) -> ApiResult<String> {
    let message = || format!("`{tag}` is not the primary subtag of a language, such as `en`.");
    language::primary_subtag(tag).ok_or_else(|| ApiError::invalid(field, message()))
}

fn years(from: Option<i64>, to: Option<i64>) -> Option<RangeInclusive<i64>> {
    if from.is_none() && to.is_none() {
        return None;
    }
    Some(from.unwrap_or(i64::MIN)..=to.unwrap_or(i64::MAX))
}

fn check_decade(decade: i64) -> ApiResult<i64> {
    if decade % 10 != 0 || !(-10_000..=10_000).contains(&decade) {
        let message = "`decade` is a multiple of 10, such as 1990.";
        return Err(ApiError::invalid("decade", message));
    }
    Ok(decade)
}

/// Validates a rating.
pub(crate) fn check_rating(field: &'static str, rating: i64) -> ApiResult<u8> {
    u8::try_from(rating)
        .ok()
        .filter(|rating| (1..=10).contains(rating))
        .ok_or_else(|| ApiError::invalid(field, "A rating is a whole number from 1 to 10."))
}
