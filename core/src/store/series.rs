//! Series that items belong to.

use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::id::SeriesId;
use crate::store::StoreResult;
use crate::text;

/// The series of this name within a kind; it is stored if it is new. Case, accents and
/// punctuation make no difference.
pub fn ensure(tx: &Transaction<'_>, kind: &str, name: &str) -> StoreResult<SeriesId> {
    let key = key(name);
    let known = tx
        .prepare_cached("SELECT id FROM series WHERE kind = :kind AND name_key = :key")?
        .query_row(named_params! { ":kind": kind, ":key": key }, |row| {
            row.get(0)
        })
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO series (kind, name, name_key) VALUES (:kind, :name, :key)")?
        .execute(named_params! { ":kind": kind, ":name": name, ":key": key })?;
    Ok(SeriesId(tx.last_insert_rowid()))
}

/// What a name of a person or series is compared by.
pub(super) fn key(name: &str) -> String {
    let key = text::name_sort_key(name);
    if key.is_empty() {
        return text::fold(name);
    }
    key
}
