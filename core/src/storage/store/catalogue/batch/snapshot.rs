//! Values of an item's fields with their sources, for the comparison before and after an edit.

use rusqlite::Transaction;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::value::{Change, ChangedField};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::naming::{Credit, Series};
use crate::store::catalogue::field::{Field, Sourced};
use crate::store::catalogue::{self, genre, person, series};
use crate::text;

/// Values of all fields of an item, except the cover.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Snapshot {
    pub(super) title: Sourced<String>,
    pub(super) year: Sourced<Option<i64>>,
    /// All credited people.
    pub(super) credits: Sourced<Vec<Credit>>,
    pub(super) description: Sourced<Option<String>>,
    pub(super) series: Sourced<Option<Series>>,
    pub(super) genres: Sourced<Vec<String>>,
    pub(super) language: Sourced<Option<String>>,
}

/// Reads the fields of an item. Returns `None` if it is absent.
pub(super) fn read(tx: &Transaction<'_>, id: ItemId) -> StoreResult<Option<Snapshot>> {
    let Some(item) = catalogue::get_unscoped(tx, id)? else {
        return Ok(None);
    };
    let (series, index) = item.series.value;
    let series = match series {
        Some(series) => series::name_unscoped(tx, series)?,
        None => None,
    };
    Ok(Some(Snapshot {
        title: item.title,
        year: item.year,
        credits: Sourced {
            value: person::of_item(tx, id)?,
            source: item.authors_source,
        },
        description: item.description,
        series: Sourced {
            value: series.map(|name| Series { name, index }),
            source: item.series.source,
        },
        genres: Sourced {
            value: genre::names_of_item(tx, id)?,
            source: item.genres_source,
        },
        language: item.language,
    }))
}

impl Snapshot {
    /// Returns the fields whose value or source differs.
    pub(super) fn changes(&self, after: &Self) -> Vec<Change> {
        fn compare<T: PartialEq + serde::Serialize>(
            field: Field,
            old: &Sourced<T>,
            new: &Sourced<T>,
        ) -> Option<Change> {
            let field = ChangedField::Catalogue(field);
            (old != new).then(|| Change::new(None, field, (old, new)))
        }
        let changes = [
            compare(Field::Title, &self.title, &after.title),
            compare(Field::Year, &self.year, &after.year),
            compare(Field::Authors, &self.credits, &after.credits),
            compare(Field::Description, &self.description, &after.description),
            compare(Field::Series, &self.series, &after.series),
            compare(Field::Genres, &self.genres, &after.genres),
            compare(Field::Language, &self.language, &after.language),
        ];
        changes.into_iter().flatten().collect()
    }

    /// Returns `true` if a field still has this value. Names that the database identifies are equal
    /// if they differ only in their spelling, because another edit changes the spelling everywhere.
    pub(super) fn has(&self, field: Field, written: &Value) -> bool {
        match field {
            Field::Title => is_value(&self.title.value, written),
            Field::Year => is_value(&self.year.value, written),
            Field::Authors => is_same(written, |old: &Vec<Credit>| {
                credit_keys(old) == credit_keys(&self.credits.value)
            }),
            Field::Description => is_value(&self.description.value, written),
            Field::Series => is_same(written, |old: &Option<Series>| {
                series_key(old.as_ref()) == series_key(self.series.value.as_ref())
            }),
            Field::Genres => is_same(written, |old: &Vec<String>| {
                genre_keys(old) == genre_keys(&self.genres.value)
            }),
            Field::Language => is_value(&self.language.value, written),
            Field::Cover => false,
        }
    }
}

/// Parses a recorded value.
pub(super) fn parse<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

fn is_value<T: PartialEq + DeserializeOwned>(current: &T, written: &Value) -> bool {
    is_same(written, |value: &T| value == current)
}

fn is_same<T: DeserializeOwned>(written: &Value, equals: impl FnOnce(&T) -> bool) -> bool {
    parse::<Sourced<T>>(written).is_some_and(|written| equals(&written.value))
}

fn credit_keys(credits: &[Credit]) -> Vec<(String, &str)> {
    let key = |credit: &Credit| series::key(&credit.name);
    let credits = credits.iter();
    credits.map(|one| (key(one), one.role.as_str())).collect()
}

fn series_key(series: Option<&Series>) -> Option<(String, Option<f64>)> {
    series.map(|series| (series::key(&series.name), series.index))
}

fn genre_keys(genres: &[String]) -> Vec<String> {
    genres.iter().map(|name| text::fold(name)).collect()
}
