//! Edits of items by administrators.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::store::catalogue::batch;
use ledge_core::store::catalogue::edit::Edit;
use ledge_core::store::catalogue::field::Field;
use ledge_core::store::catalogue::genre;
use ledge_core::store::cover;
use ledge_core::store::item::{self, ItemDetail};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::patch_field::present;
use crate::http::routes::catalogue::filter;
use crate::http::routes::text::line;

/// Limit of a title in characters.
const MAX_TITLE: usize = 500;
/// Limit of the name of a person or series in characters.
pub(crate) const MAX_NAME: usize = 200;
/// Limit of authors.
const MAX_AUTHORS: usize = 100;
/// Limit of a description in characters.
const MAX_DESCRIPTION: usize = 20_000;
/// Largest number in a series.
const MAX_INDEX: f64 = 1e6;

/// Changes to an item; an omitted field stays. An edited field is locked: neither scans nor
/// providers change it until it is unlocked.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({ "title": "Moby-Dick; or, The Whale", "year": 1851, "authors": ["Herman Melville"], "unlock": ["description"] }))]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::option_option,
    reason = "absence, null and a value have different meanings"
)]
pub(crate) struct EditItem {
    /// New title.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 500)]
    title: Option<String>,
    /// New year, negative for years BC; null if it is unknown.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<i64>, minimum = -9999, maximum = 9999)]
    year: Option<Option<i64>>,
    /// New authors in order; people in other roles stay.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = false, max_items = 100)]
    authors: Option<Vec<String>>,
    /// New description as plain text; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 20_000)]
    description: Option<Option<String>>,
    /// New series: its name, or an object with its name and the number in it; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<SeriesBody>)]
    series: Option<Option<SeriesBody>>,
    /// New number in the series; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1_000_000)]
    series_index: Option<Option<f64>>,
    /// New genres in order.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = false, max_items = 50)]
    genres: Option<Vec<String>>,
    /// New language as a primary subtag, such as `en`; null if it is unknown.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, min_length = 2, max_length = 8)]
    language: Option<Option<String>>,
    /// Fields to unlock for names, files and providers.
    #[serde(default)]
    unlock: Vec<Field>,
}

/// Series of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(
    untagged,
    expecting = "the name of a series, or an object with `name` and `index`"
)]
pub(crate) enum SeriesBody {
    /// Name of the series.
    Name(String),
    /// Name of the series and number in it.
    Numbered(NumberedSeries),
}

/// A series and the number of an item in it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::option_option,
    reason = "absence, null and a value have different meanings"
)]
pub(crate) struct NumberedSeries {
    /// Name of the series.
    #[schema(max_length = 200)]
    name: String,
    /// Number in the series; null for none. If it is absent, the number stays.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1_000_000)]
    index: Option<Option<f64>>,
}

impl EditItem {
    /// Validates the edit.
    fn check(self) -> ApiResult<Edit> {
        self.check_unlock()?;
        let title = self.title.map(|title| line("title", &title, MAX_TITLE));
        let authors = self.authors.map(|authors| check_authors(&authors));
        let description = self.description.map(check_description);
        let (series, index) = match self.series {
            Some(Some(SeriesBody::Numbered(series))) => (Some(Some(series.name)), series.index),
            Some(Some(SeriesBody::Name(name))) => (Some(Some(name)), None),
            Some(None) => (Some(None), None),
            None => (None, None),
        };
        let series = series.map(|series| {
            let name = series.filter(|name| !name.trim().is_empty());
            let name = name.map(|name| line("series", &name, MAX_NAME));
            name.transpose()
        });
        let index = index.or(self.series_index);
        Ok(Edit {
            title: title.transpose()?,
            year: self.year.map(check_year).transpose()?,
            authors: authors.transpose()?,
            description: description.transpose()?,
            series: series.transpose()?,
            series_index: index.map(check_index).transpose()?,
            genres: self.genres.as_deref().map(check_genres).transpose()?,
            language: self.language.map(check_language).transpose()?,
            unlock: self.unlock,
            keeps_sources: false,
        })
    }

    fn check_unlock(&self) -> ApiResult<()> {
        let written = [
            (Field::Title, self.title.is_some()),
            (Field::Year, self.year.is_some()),
            (Field::Authors, self.authors.is_some()),
            (Field::Description, self.description.is_some()),
            (
                Field::Series,
                self.series.is_some() || self.series_index.is_some(),
            ),
            (Field::Genres, self.genres.is_some()),
            (Field::Language, self.language.is_some()),
        ];
        let both = |field: &Field| written.contains(&(*field, true));
        if self.unlock.iter().any(both) {
            let message = "A field is either written or unlocked.";
            return Err(ApiError::invalid("unlock", message));
        }
        Ok(())
    }
}

/// Validates a year.
pub(crate) fn check_year(year: Option<i64>) -> ApiResult<Option<i64>> {
    if year.is_some_and(|year| year == 0 || !(-9999..=9999).contains(&year)) {
        let message = "A year is between 1 and 9999, or negative for one before the first.";
        return Err(ApiError::invalid("year", message));
    }
    Ok(year)
}

/// Returns the trimmed names of authors.
pub(crate) fn check_authors(authors: &[String]) -> ApiResult<Vec<String>> {
    if authors.len() > MAX_AUTHORS {
        let message = "An item has at most 100 authors.";
        return Err(ApiError::invalid("authors", message));
    }
    let names = authors.iter().map(|name| line("authors", name, MAX_NAME));
    names.collect()
}

/// Returns the trimmed names of genres, each once.
pub(crate) fn check_genres(genres: &[String]) -> ApiResult<Vec<String>> {
    if genres.len() > genre::MAX_GENRES {
        let message = format!("An item has at most {} genres.", genre::MAX_GENRES);
        return Err(ApiError::invalid("genres", message));
    }
    let names = genres.iter().map(|name| line("genres", name, MAX_NAME));
    let names: Vec<String> = names.collect::<ApiResult<_>>()?;
    Ok(genre::distinct(names.iter().map(String::as_str)))
}

/// Returns a primary subtag, or `None` for an empty text.
pub(crate) fn check_language(language: Option<String>) -> ApiResult<Option<String>> {
    let language = language.filter(|language| !language.trim().is_empty());
    let subtag = language.map(|language| filter::check_language("language", language.trim()));
    subtag.transpose()
}

fn check_description(text: Option<String>) -> ApiResult<Option<String>> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if text.chars().count() > MAX_DESCRIPTION || text.chars().any(is_odd) {
        let message = "A description is plain text of at most 20000 characters.";
        return Err(ApiError::invalid("description", message));
    }
    Ok(Some(text.trim().to_owned()))
}

fn check_index(index: Option<f64>) -> ApiResult<Option<f64>> {
    if index.is_some_and(|index| !(0.0..=MAX_INDEX).contains(&index)) {
        let message = "A number in a series is between 0 and 1000000.";
        return Err(ApiError::invalid("series_index", message));
    }
    Ok(index)
}

/// Edits an item: replaces values of names, files and providers.
#[utoipa::path(
    patch, path = "/items/{id}", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    request_body = EditItem,
    responses(
        (status = 200, description = "The edited item", body = ItemDetail),
        (status = 404, description = "No such item", body = ErrorBody),
    ),
)]
pub(crate) async fn edit_item(
    item: VisibleItem,
    State(app): State<App>,
    ApiJson(body): ApiJson<EditItem>,
) -> ApiResult<ApiJson<ItemDetail>> {
    let edit = body.check()?;
    let registry = app.registry.clone();
    let now = app.clock.now();
    let write = app.db.write(move |tx| {
        let is_there = batch::edit_item(tx, item, &edit, now)?;
        cover::request_job(tx, now)?;
        Ok(is_there)
    });
    if !write.await? {
        return Err(ApiError::NotFound("item"));
    }
    app.jobs.wake();
    let detail = app
        .db
        .read_inline(move |conn| {
            item::detail(conn, &registry, Visible::of(item.viewer()), item.id())
        })
        .await?;
    detail.map(ApiJson).ok_or(ApiError::NotFound("item"))
}
