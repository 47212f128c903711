//! Filter of a bulk edit: the query parameters of `/items` as a JSON object.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::Registry;
use ledge_core::store::item::{Filter, State};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::http::routes::catalogue::filter::FilterQuery;

/// Criteria of items. An item must meet all of them.
#[derive(Debug, ToSchema)]
#[expect(
    dead_code,
    reason = "it describes the object, and `FilterQuery` reads it"
)]
#[schema(example = json!({ "kind": "books", "genre": [3, 7] }))]
pub(crate) struct BulkFilter {
    /// Only this kind.
    #[schema(required = false, format = "kind")]
    kind: String,
    /// Only these subkinds.
    #[schema(required = false)]
    subkind: FilterValues,
    /// Only this library.
    #[schema(required = false)]
    library: i64,
    /// Only items that credit this person.
    #[schema(required = false)]
    author: i64,
    /// Only items of this series.
    #[schema(required = false)]
    series: i64,
    /// Only items with one of these genres, by id.
    #[schema(required = false)]
    genre: FilterValues,
    /// Only items with one of these tags, by id.
    #[schema(required = false)]
    tag: FilterValues,
    /// Only items in one of these languages.
    #[schema(required = false)]
    language: FilterValues,
    /// Only items of this year or a later one.
    #[schema(required = false)]
    year_from: i64,
    /// Only items of this year or an earlier one.
    #[schema(required = false)]
    year_to: i64,
    /// Only items of the ten years that begin with this multiple of 10.
    #[schema(required = false)]
    decade: i64,
    /// Only items that the user rated at least this high.
    #[schema(required = false, minimum = 1, maximum = 10)]
    rating_min: i64,
    /// Only favourites, or only other items.
    #[schema(required = false)]
    favourite: bool,
    /// Only missing items, or only present ones.
    #[schema(required = false)]
    missing: bool,
    /// Only items in this progress state of the user.
    #[schema(required = false)]
    state: State,
    /// Only items that one of these engines plays.
    #[schema(required = false)]
    engines: FilterValues,
}

/// One value, several values separated by commas, or a list of values.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "it describes the value")]
#[serde(untagged)]
pub(crate) enum FilterValues {
    /// Values separated by commas.
    Text(String),
    /// One id.
    Id(i64),
    /// Several ids.
    Ids(Vec<i64>),
    /// Several texts.
    Texts(Vec<String>),
}

/// Parameters that accept several values.
const LISTS: [&str; 5] = ["subkind", "genre", "tag", "language", "engines"];

/// Validates a filter. An error names the criterion, such as `filter.genre`.
pub(super) fn check(filter: Map<String, Value>, registry: &Registry) -> ApiResult<Filter> {
    let names = names();
    let mut query = Map::new();
    for (name, value) in filter {
        if !names.contains(&name) {
            let message = format!("There is no filter `{name}`.");
            return Err(ApiError::invalid(format!("filter.{name}"), message));
        }
        let value = if LISTS.contains(&name.as_str()) {
            join(&value)
        } else {
            Some(value)
        };
        let value = value.filter(|value| is_acceptable(&name, value));
        let message = || format!("The filter `{name}` does not have this type.");
        let value = value.ok_or_else(|| ApiError::invalid(format!("filter.{name}"), message()))?;
        query.insert(name, value);
    }
    let query: FilterQuery = serde_json::from_value(Value::Object(query))
        .map_err(|error| ApiError::invalid("filter", format!("Not acceptable: {error}.")))?;
    query.filter(registry).map_err(|error| match error {
        ApiError::Invalid { field, message } => {
            ApiError::invalid(format!("filter.{field}"), message)
        }
        error => error,
    })
}

/// Returns the names of the query parameters.
fn names() -> Vec<String> {
    let parameters = FilterQuery::into_params(|| None).into_iter();
    parameters.map(|parameter| parameter.name).collect()
}

fn is_acceptable(name: &str, value: &Value) -> bool {
    let alone = Map::from_iter([(name.to_owned(), value.clone())]);
    !value.is_null() && serde_json::from_value::<FilterQuery>(Value::Object(alone)).is_ok()
}

/// Joins several values by commas, as in a query.
fn join(value: &Value) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => number.as_i64().map(|number| number.to_string()),
        _ => None,
    };
    let joined = match value {
        Value::Array(values) => {
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            texts?.join(",")
        }
        value => text(value)?,
    };
    Some(Value::String(joined))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn described_criteria_are_the_parameters_of_item_lists() {
        let schema = serde_json::to_value(BulkFilter::schema()).expect("JSON");
        let properties = schema["properties"].as_object().expect("properties");
        let mut described: Vec<String> = properties.keys().cloned().collect();
        let mut names = names();
        described.sort();
        names.sort();
        assert_eq!(described, names);
        for list in LISTS {
            assert!(names.iter().any(|name| name == list), "{list}");
        }
    }

    #[test]
    fn lists_are_joined_and_other_types_are_rejected() {
        assert_eq!(join(&json!([1, "a"])), Some(json!("1,a")));
        assert_eq!(join(&json!(7)), Some(json!("7")));
        assert_eq!(join(&json!("x,y")), Some(json!("x,y")));
        for odd in [json!([[1]]), json!(1.5), json!(true), json!({})] {
            assert_eq!(join(&odd), None, "{odd}");
        }
        assert!(is_acceptable("library", &json!(3)));
        for (name, value) in [
            ("library", json!("x")),
            ("favourite", json!(1)),
            ("kind", Value::Null),
            ("state", json!("ended")),
        ] {
            assert!(!is_acceptable(name, &value), "{name}");
        }
    }
}
