//! Series of items.

pub mod items;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{ItemId, SeriesId};
use crate::search;
use crate::text;

/// Returns the series with this name in a kind and inserts it if it is new. Case, accents and
/// punctuation are ignored.
pub fn ensure(tx: &Transaction<'_>, kind: &str, name: &str) -> StoreResult<SeriesId> {
    let key = key(name);
    let existing = tx
        .prepare_cached("SELECT id FROM series WHERE kind = :kind AND name_key = :key")?
        .query_row(named_params! { ":kind": kind, ":key": key }, |row| {
            row.get(0)
        })
        .optional()?;
    if let Some(id) = existing {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO series (kind, name, name_key) VALUES (:kind, :name, :key)")?
        .execute(named_params! { ":kind": kind, ":name": name, ":key": key })?;
    Ok(SeriesId(tx.last_insert_rowid()))
}

/// Returns the name of a series.
pub fn name_unscoped(connection: &Connection, id: SeriesId) -> StoreResult<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM series WHERE id = :id")?;
    Ok(statement
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?)
}

/// Changes the spelling of a series' name. Returns the items to reindex: none if only case, accents or
/// apostrophes changed.
pub fn respell(tx: &Transaction<'_>, kind: &str, name: &str) -> StoreResult<Vec<ItemId>> {
    let old: Option<(SeriesId, String)> = tx
        .prepare_cached(
            "SELECT id, name FROM series WHERE kind = :kind AND name_key = :key AND name <> :name",
        )?
        .query_row(
            named_params! { ":kind": kind, ":key": key(name), ":name": name },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((id, old)) = old else {
        return Ok(Vec::new());
    };
    tx.prepare_cached("UPDATE series SET name = :name WHERE id = :id")?
        .execute(named_params! { ":id": id, ":name": name })?;
    if search::fold(&old) == search::fold(name) {
        return Ok(Vec::new());
    }
    let mut items = tx.prepare_cached("SELECT id FROM item WHERE series_id = :id")?;
    let items = items.query_map(named_params! { ":id": id }, |row| row.get(0))?;
    Ok(items.collect::<Result<_, _>>()?)
}

/// Deletes a series without items.
pub fn forget_unused(tx: &Transaction<'_>, id: SeriesId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM series
          WHERE id = :id
            AND NOT EXISTS (SELECT 1 FROM item WHERE item.series_id = series.id)",
    )?
    .execute(named_params! { ":id": id })?;
    Ok(())
}

/// Returns the comparison key of a person's or series' name.
pub(crate) fn key(name: &str) -> String {
    let key = text::name_sort_key(name);
    if key.is_empty() {
        return text::fold(name);
    }
    key
}
