//! Volumes: series of Comic Vine. Several volumes have the same name and different first years.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::provider::AskError;
use serde_json::{Value, json};

use crate::number::letters;

/// Most volumes of a series.
const MAX_VOLUMES: usize = 20;

/// Volume with the name of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Volume {
    pub(crate) id: i64,
    pub(crate) start_year: Option<i32>,
    pub(crate) issues: Option<i64>,
    pub(crate) publisher: Option<String>,
}

/// Returns the volumes of a response to a search that have this name, or an alias with it.
pub(crate) fn search(results: &Value, series: &str) -> Result<Vec<Volume>, AskError> {
    let wanted = letters(series);
    shape::read_entries(shape::entries(results)?, MAX_VOLUMES, |found| {
        let fields = shape::object(found)?;
        let id = fields
            .get("id")
            .and_then(Value::as_i64)
            .filter(|id| *id > 0);
        let id = id.ok_or_else(|| shape::unexpected("`id` is not an identifier"))?;
        let name = lenient_json::line(found, "name");
        let aliases = lenient_json::long(found, "aliases").unwrap_or_default();
        let mut names = name.iter().map(String::as_str).chain(aliases.lines());
        let is_series = names.any(|name| letters(name) == wanted);
        let publisher = found.get("publisher");
        Ok(is_series.then(|| Volume {
            id,
            start_year: lenient_json::year(found, "start_year"),
            issues: lenient_json::integer(found, "count_of_issues"),
            publisher: publisher.and_then(|found| lenient_json::line(found, "name")),
        }))
    })
}

/// Returns the text that is remembered for a series.
pub(crate) fn to_text(volumes: &[Volume]) -> String {
    let volumes: Vec<Value> = volumes
        .iter()
        .map(|one| json!([one.id, one.start_year, one.issues, one.publisher]))
        .collect();
    Value::from(volumes).to_string()
}

/// Reads a remembered text.
pub(crate) fn from_text(text: &str) -> Option<Vec<Volume>> {
    let volumes: Vec<(i64, Option<i32>, Option<i64>, Option<String>)> =
        serde_json::from_str(text).ok()?;
    let volumes = volumes
        .into_iter()
        .map(|(id, start_year, issues, publisher)| Volume {
            id,
            start_year,
            issues,
            publisher,
        });
    Some(volumes.collect())
}
