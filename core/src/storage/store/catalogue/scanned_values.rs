//! Scanned values of fields that a provider or a user has overwritten. They are stored separately,
//! so that an unlocked field returns to its scanned value at once.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{Fields, StoredItem};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::naming::{Credit, Series};
use crate::store::catalogue::field::{Field, Sourced, source};
use crate::store::catalogue::{person, series};

/// Scanned values of the overwritten fields.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ScannedValues {
    /// Title and its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Sourced<String>>,
    /// Year and its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<Sourced<Option<i64>>>,
    /// All credited people and their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<Sourced<Vec<Credit>>>,
    /// Series, the number in it, and their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Sourced<Option<Series>>>,
    /// Description and its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Sourced<Option<String>>>,
}

impl ScannedValues {
    /// Parses the column. Invalid JSON counts as no known values.
    pub(super) fn read(column: Option<&str>) -> Self {
        let read = |text| serde_json::from_str(text).ok();
        column.and_then(read).unwrap_or_default()
    }

    /// Copies the scanned value of one field from `scanned`, before another value overwrites it.
    pub fn take_over(&mut self, field: Field, scanned: &Self) {
        match field {
            Field::Title => self.title.clone_from(&scanned.title),
            Field::Year => self.year.clone_from(&scanned.year),
            Field::Authors => self.credits.clone_from(&scanned.credits),
            Field::Description => self.description.clone_from(&scanned.description),
            Field::Series => self.series.clone_from(&scanned.series),
            // Covers of files are detected again by the cover job. The facts contain the scanned
            // genres and language.
            Field::Cover | Field::Genres | Field::Language => {}
        }
    }

    fn column(&self) -> Option<String> {
        // Serialising plain data to JSON does not fail.
        (*self != Self::default())
            .then(|| serde_json::to_string(self).ok())
            .flatten()
    }
}

/// Returns the source of the scanned value of a field: of the stored value or of the overwritten
/// one.
pub fn scanned_source<T>(stored: i64, overwritten: Option<&Sourced<T>>) -> i64 {
    if stored <= source::FILE {
        return stored;
    }
    overwritten.map_or(source::NAME, |scanned| scanned.source)
}

/// Returns the scanned values of every field of an item: the stored values or the overwritten ones.
pub fn all_unscoped(tx: &Transaction<'_>, id: ItemId) -> StoreResult<ScannedValues> {
    fn replace<T>(target: &mut Option<Sourced<T>>, value: T, source: i64) {
        if source <= source::FILE {
            *target = Some(Sourced { value, source });
        }
    }
    let Some(item) = super::get_unscoped(tx, id)? else {
        return Ok(ScannedValues::default());
    };
    let (series, index) = item.series.value;
    let series = match series {
        Some(series) => series::name_unscoped(tx, series)?,
        None => None,
    };
    let series = series.map(|name| Series { name, index });
    let mut scanned = item.scanned_values;
    replace(&mut scanned.title, item.title.value, item.title.source);
    replace(&mut scanned.year, item.year.value, item.year.source);
    replace(
        &mut scanned.credits,
        person::of_item(tx, id)?,
        item.authors_source,
    );
    replace(&mut scanned.series, series, item.series.source);
    let description = item.description;
    replace(
        &mut scanned.description,
        description.value,
        description.source,
    );
    Ok(scanned)
}

/// Saves the scanned values of the fields that the scan may not write.
pub(super) fn keep(tx: &Transaction<'_>, item: &StoredItem, fields: &Fields) -> StoreResult<()> {
    fn save<T: Clone>(target: &mut Option<Sourced<T>>, stored: i64, fresh: Option<&Sourced<T>>) {
        if stored > source::FILE
            && let Some(fresh) = fresh
        {
            *target = Some(fresh.clone());
        }
    }
    let mut fresh = item.scanned_values.clone();
    save(&mut fresh.title, item.title.source, fields.title.as_ref());
    save(&mut fresh.year, item.year.source, fields.year.as_ref());
    save(
        &mut fresh.credits,
        item.authors_source,
        fields.credits.as_ref(),
    );
    save(
        &mut fresh.series,
        item.series.source,
        fields.series.as_ref(),
    );
    save(
        &mut fresh.description,
        item.description.source,
        fields.description.as_ref(),
    );
    if fresh == item.scanned_values {
        return Ok(());
    }
    set(tx, item.id, &fresh)
}

/// Writes the scanned values of an item's overwritten fields.
pub fn set(tx: &Transaction<'_>, item: ItemId, scanned_values: &ScannedValues) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET scanned_values = :scanned_values WHERE id = :id")?
        .execute(named_params! { ":id": item, ":scanned_values": scanned_values.column() })?;
    Ok(())
}

/// Reads the scanned values of an item's overwritten fields.
pub fn of_unscoped(connection: &Connection, item: ItemId) -> StoreResult<ScannedValues> {
    let column: Option<Option<String>> = connection
        .prepare_cached("SELECT scanned_values FROM item WHERE id = :id")?
        .query_row(named_params! { ":id": item }, |row| row.get(0))
        .optional()?;
    Ok(ScannedValues::read(column.flatten().as_deref()))
}
