//! Values that a bulk edit sets.

use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::store::catalogue::batch::OWN_FIELDS;
use ledge_core::store::catalogue::batch::bulk::Set;
use ledge_core::store::user_data::tag::MAX_TAGS;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::http::routes::catalogue::edits::{
    MAX_NAME, check_authors, check_genres, check_language, check_year,
};
use crate::http::routes::catalogue::filter::check_rating;
use crate::http::routes::organise::tags;
use crate::http::routes::text::line;

/// Values to set. All users set the first five; administrators also set the others.
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the object, and `check` reads its members one by one"
)]
#[schema(example = json!({ "favourite": true, "tags_add": ["summer"] }))]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkSet {
    /// Makes the items favourites, or removes them.
    #[schema(required = false)]
    favourite: bool,
    /// `true` finishes all files of the items, `false` makes the items unstarted.
    #[schema(required = false)]
    finished: bool,
    /// New rating; null for none.
    #[schema(minimum = 1, maximum = 10)]
    rating: Option<i64>,
    /// Own tags to add.
    #[schema(required = false, max_items = 50)]
    tags_add: Vec<String>,
    /// Own tags to remove.
    #[schema(required = false, max_items = 50)]
    tags_remove: Vec<String>,
    /// New authors in order.
    #[schema(required = false, max_items = 100)]
    authors: Vec<String>,
    /// New series; null for none. The items keep their numbers in the series.
    series: Option<BulkSeries>,
    /// New genres in order.
    #[schema(required = false, max_items = 50)]
    genres: Vec<String>,
    /// Genres to add.
    #[schema(required = false, max_items = 50)]
    genres_add: Vec<String>,
    /// Genres to remove.
    #[schema(required = false, max_items = 50)]
    genres_remove: Vec<String>,
    /// New language as a primary subtag, such as `en`; null if it is unknown.
    #[schema(min_length = 2, max_length = 8)]
    language: Option<String>,
    /// New year, negative for years BC; null if it is unknown.
    #[schema(minimum = -9999, maximum = 9999)]
    year: Option<i64>,
    /// Shared tags to add.
    #[schema(required = false, max_items = 50)]
    shared_tags_add: Vec<String>,
    /// Shared tags to remove.
    #[schema(required = false, max_items = 50)]
    shared_tags_remove: Vec<String>,
}

/// Series of all items of a bulk edit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkSeries {
    /// Name of the series.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
}

/// Shared fields, which only administrators set.
const SHARED: [&str; 9] = [
    "authors",
    "series",
    "genres",
    "genres_add",
    "genres_remove",
    "language",
    "year",
    "shared_tags_add",
    "shared_tags_remove",
];

/// Validates the values. The role is checked first; then an unknown name is reported.
pub(super) fn check(user: &CurrentUser, set: Map<String, Value>) -> ApiResult<Set> {
    if set.keys().any(|name| SHARED.contains(&name.as_str())) {
        user.require_admin()?;
    }
    let fields: Vec<String> = set.keys().cloned().collect();
    let is_known = |name: &str| OWN_FIELDS.contains(&name) || SHARED.contains(&name);
    if let Some(name) = fields.iter().find(|name| !is_known(name)) {
        return Err(refuse(name, format!("A bulk edit cannot set `{name}`.")));
    }
    if fields.is_empty() {
        return Err(ApiError::invalid("set", "`set` has at least one field."));
    }
    let mut values = Values(set);
    Ok(Set {
        favourite: values.take("favourite")?,
        finished: values.take("finished")?,
        rating: values.checked("rating", |rating: Option<i64>| {
            let rating = rating.map(|rating| check_rating("rating", rating));
            rating.transpose()
        })?,
        tags_add: values.tags("tags_add")?,
        tags_remove: values.tags("tags_remove")?,
        authors: values.checked("authors", |names: Vec<String>| check_authors(&names))?,
        series: values.checked("series", check_series)?,
        genres: values.genres("genres")?,
        genres_add: values.genres("genres_add")?.unwrap_or_default(),
        genres_remove: values.genres("genres_remove")?.unwrap_or_default(),
        language: values.checked("language", check_language)?,
        year: values.checked("year", check_year)?,
        shared_tags_add: values.tags("shared_tags_add")?,
        shared_tags_remove: values.tags("shared_tags_remove")?,
        fields,
        keeps_sources: false,
    })
}

fn refuse(name: &str, message: impl Into<String>) -> ApiError {
    ApiError::invalid(format!("set.{name}"), message)
}

/// Members of the object that are not read yet.
struct Values(Map<String, Value>);

impl Values {
    /// Returns a member, or `None` if it is absent.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> ApiResult<Option<T>> {
        let value = self.0.remove(name);
        let parse = |value| {
            serde_json::from_value(value)
                .map_err(|error| refuse(name, format!("The value is not acceptable: {error}.")))
        };
        value.map(parse).transpose()
    }

    /// Returns a validated member. An error names the member.
    fn checked<T: DeserializeOwned, U>(
        &mut self,
        name: &str,
        check: impl FnOnce(T) -> ApiResult<U>,
    ) -> ApiResult<Option<U>> {
        let checked = self.take(name)?.map(check).transpose();
        checked.map_err(|error| match error {
            ApiError::Invalid { message, .. } => refuse(name, message),
            error => error,
        })
    }

    fn genres(&mut self, name: &str) -> ApiResult<Option<Vec<String>>> {
        self.checked(name, |names: Vec<String>| check_genres(&names))
    }

    fn tags(&mut self, name: &str) -> ApiResult<Vec<String>> {
        let check = |names: Vec<String>| {
            if names.len() > MAX_TAGS {
                return Err(refuse(name, format!("Name at most {MAX_TAGS} tags.")));
            }
            let names = names.iter().map(|one| tags::check_name("tags", one));
            names.collect()
        };
        let tags: Option<Vec<String>> = self.checked(name, check)?;
        Ok(tags.unwrap_or_default())
    }
}

fn check_series(series: Option<Value>) -> ApiResult<Option<String>> {
    let Some(series) = series else {
        return Ok(None);
    };
    // Serde would also accept a list with the name.
    let series = Some(series).filter(Value::is_object);
    let series = series.and_then(|series| serde_json::from_value::<BulkSeries>(series).ok());
    let message = "`series` is null, or an object with only `name`.";
    let series = series.ok_or_else(|| ApiError::invalid("series", message))?;
    line("series", &series.name, MAX_NAME).map(Some)
}
