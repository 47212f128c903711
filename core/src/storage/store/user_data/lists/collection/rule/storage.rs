//! Rules in the database.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde_json::Value;

use super::Rule;
use crate::error::{StoreError, StoreResult};
use crate::registry::Registry;
use crate::store::user_data::lists::collection::{OwnCollection, ReadableCollection};

impl Rule {
    /// Parses a stored rule. Returns `None` for a rule that names a kind or an engine of another
    /// build. It selects nothing, but its owner can still read and correct it.
    pub(in super::super) fn of_stored(registry: &Registry, text: &str) -> Option<Self> {
        let json = serde_json::from_str(text).ok()?;
        Self::parse(registry, &json).ok()
    }
}

/// Returns the rule of a smart collection as JSON, or `None` for a manual one.
pub(in super::super) fn stored(
    conn: &Connection,
    list: ReadableCollection,
) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT rule FROM collection WHERE id = :id")?;
    let rule = statement.query_row(named_params! { ":id": list.id() }, |row| row.get(0));
    Ok(rule.optional()?.flatten())
}

/// Writes the rule of a collection. Returns `true` if it changed. The caller increases the version.
pub(in super::super) fn set(
    tx: &Transaction<'_>,
    list: OwnCollection,
    rule: &Value,
) -> StoreResult<bool> {
    let changed = tx
        .prepare_cached("UPDATE collection SET rule = :rule WHERE id = :id AND rule IS NOT :rule")?
        .execute(named_params! { ":id": list.id(), ":rule": rule.to_string() })?;
    Ok(changed > 0)
}

/// Rejects changes of the items of a smart collection.
pub(in super::super) fn check_is_manual(conn: &Connection, list: OwnCollection) -> StoreResult<()> {
    match stored(conn, list.readable())? {
        Some(_) => Err(StoreError::Conflict(
            "A rule selects the items of this collection: change the rule instead.".to_owned(),
        )),
        None => Ok(()),
    }
}

/// Rejects a rule for a manual collection.
pub(in super::super) fn check_has_rule(conn: &Connection, list: OwnCollection) -> StoreResult<()> {
    match stored(conn, list.readable())? {
        Some(_) => Ok(()),
        None => Err(StoreError::Invalid {
            field: "rule",
            message: "A manual collection has no rule: create a smart collection.".to_owned(),
        }),
    }
}
