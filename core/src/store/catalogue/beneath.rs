//! What a scan says of fields that a provider or a person has written: kept beneath, so that a
//! field that is given back falls to what names and files say at once.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{Fields, Sourced, StoredItem, source};
use crate::id::ItemId;
use crate::registry::naming::{Credit, Series};
use crate::store::edit::Field;
use crate::store::{StoreResult, person, series};

/// The scan's own values of fields that bear another's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Beneath {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Sourced<String>>,
    /// The year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<Sourced<Option<i64>>>,
    /// Everybody credited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<Sourced<Vec<Credit>>>,
    /// The series and the number in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Sourced<Option<Series>>>,
    /// The description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Sourced<Option<String>>>,
}

impl Beneath {
    /// Reads the column; what cannot be read is not known.
    pub(super) fn read(column: Option<&str>) -> Self {
        let read = |text| serde_json::from_str(text).ok();
        column.and_then(read).unwrap_or_default()
    }

    /// Takes one field's value from what was said before another value came to stand there.
    pub fn take_over(&mut self, field: Field, said: &Self) {
        match field {
            Field::Title => self.title.clone_from(&said.title),
            Field::Year => self.year.clone_from(&said.year),
            Field::Authors => self.credits.clone_from(&said.credits),
            Field::Description => self.description.clone_from(&said.description),
            Field::Series => self.series.clone_from(&said.series),
            // Covers of files are found again by themselves.
            Field::Cover => {}
        }
    }

    fn column(&self) -> Option<String> {
        // Optional fields of plain data are JSON.
        (*self != Self::default())
            .then(|| serde_json::to_string(self).ok())
            .flatten()
    }
}

/// The source of what the scan says of a field: of the value itself or of the one beneath it.
pub fn scanned<T>(stored: i64, beneath: Option<&Sourced<T>>) -> i64 {
    if stored <= source::FILE {
        return stored;
    }
    beneath.map_or(source::NAME, |beneath| beneath.source)
}

/// What scans say of every field of an item: the values themselves, or those beneath.
pub fn said(tx: &Transaction<'_>, id: ItemId) -> StoreResult<Beneath> {
    fn own<T>(under: &mut Option<Sourced<T>>, value: T, source: i64) {
        if source <= source::FILE {
            *under = Some(Sourced { value, source });
        }
    }
    let Some(item) = super::get_unscoped(tx, id)? else {
        return Ok(Beneath::default());
    };
    let (series, index) = item.series.value;
    let series = match series {
        Some(series) => series::name_unscoped(tx, series)?,
        None => None,
    };
    let series = series.map(|name| Series { name, index });
    let mut said = item.beneath;
    own(&mut said.title, item.title.value, item.title.source);
    own(&mut said.year, item.year.value, item.year.source);
    own(
        &mut said.credits,
        person::of_item(tx, id)?,
        item.authors_source,
    );
    own(&mut said.series, series, item.series.source);
    let description = item.description;
    own(&mut said.description, description.value, description.source);
    Ok(said)
}

/// Keeps what a scan says now of the fields it may not write.
pub(super) fn keep(tx: &Transaction<'_>, item: &StoredItem, fields: &Fields) -> StoreResult<()> {
    fn lay<T: Clone>(under: &mut Option<Sourced<T>>, stored: i64, fresh: Option<&Sourced<T>>) {
        if stored > source::FILE
            && let Some(fresh) = fresh
        {
            *under = Some(fresh.clone());
        }
    }
    let mut fresh = item.beneath.clone();
    lay(&mut fresh.title, item.title.source, fields.title.as_ref());
    lay(&mut fresh.year, item.year.source, fields.year.as_ref());
    lay(
        &mut fresh.credits,
        item.authors_source,
        fields.credits.as_ref(),
    );
    lay(
        &mut fresh.series,
        item.series.source,
        fields.series.as_ref(),
    );
    lay(
        &mut fresh.description,
        item.description.source,
        fields.description.as_ref(),
    );
    if fresh == item.beneath {
        return Ok(());
    }
    set(tx, item.id, &fresh)
}

/// Writes what lies beneath an item's fields.
pub fn set(tx: &Transaction<'_>, item: ItemId, beneath: &Beneath) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET beneath = :beneath WHERE id = :id")?
        .execute(named_params! { ":id": item, ":beneath": beneath.column() })?;
    Ok(())
}

/// What lies beneath an item's fields.
pub fn of_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Beneath> {
    let column: Option<Option<String>> = connection
        .prepare_cached("SELECT beneath FROM item WHERE id = :id")?
        .query_row(named_params! { ":id": item }, |row| row.get(0))
        .optional()?;
    Ok(Beneath::read(column.flatten().as_deref()))
}
