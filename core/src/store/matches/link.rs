//! Which match holds: whose words stand in an item's fields, what a person chose, and what a person
//! has undone.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::id::ItemId;
use crate::store::StoreResult;

/// A match: the provider, and the id there.
pub type Link = (String, String);

/// The match that a person chose, if any.
pub fn chosen_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Link>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, external_id
           FROM item_provider
          WHERE item_id = :item AND is_chosen = 1
          ORDER BY is_source DESC, provider",
    )?;
    let chosen = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    Ok(chosen.optional()?)
}

/// The match whose words stand in the item's fields, if any.
pub fn source_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Link>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, external_id
           FROM item_provider
          WHERE item_id = :item AND is_source = 1",
    )?;
    let source = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    Ok(source.optional()?)
}

/// Matches of a provider that a person has undone.
pub fn refused_unscoped(
    connection: &Connection,
    item: ItemId,
    provider: &str,
) -> StoreResult<BTreeSet<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT external_id
           FROM match_refused
          WHERE item_id = :item AND provider = :provider",
    )?;
    let rows = statement.query_map(
        named_params! { ":item": item, ":provider": provider },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes that a person has undone a match.
pub(super) fn refuse(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO match_refused (item_id, provider, external_id)
         VALUES (:item, :provider, :id)",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    Ok(())
}

/// Whether a person has undone this very match.
pub(super) fn is_refused(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT 1
           FROM match_refused
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?;
    Ok(statement.exists(named_params! { ":item": item, ":provider": provider, ":id": id })?)
}

/// Forgets that a person had undone a match.
pub(super) fn allow(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM match_refused
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    Ok(())
}

/// Makes a match the one whose words stand in the item's fields, and, if a person wants it, the
/// one that a person chose.
pub(super) fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
    is_chosen: bool,
) -> StoreResult<()> {
    // Nothing else is chosen where this one was not: the caller looked.
    tx.prepare_cached(
        "UPDATE item_provider
            SET is_source = 0, is_chosen = 0
          WHERE item_id = :item",
    )?
    .execute(named_params! { ":item": item })?;
    tx.prepare_cached(
        "INSERT INTO item_provider (item_id, provider, external_id, is_chosen, is_source)
         VALUES (:item, :provider, :id, :chosen, 1)
             ON CONFLICT (item_id, provider) DO UPDATE
            SET external_id = excluded.external_id, is_chosen = excluded.is_chosen, is_source = 1",
    )?
    .execute(named_params! {
        ":item": item,
        ":provider": provider,
        ":id": id,
        ":chosen": is_chosen,
    })?;
    Ok(())
}

/// Removes the match of a provider: its id there, and whether its words stood in the item's fields.
pub(super) fn remove(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
) -> StoreResult<Option<(String, bool)>> {
    let mut statement = tx.prepare_cached(
        "DELETE FROM item_provider
          WHERE item_id = :item AND provider = :provider
      RETURNING external_id, is_source",
    )?;
    let row = statement.query_row(
        named_params! { ":item": item, ":provider": provider },
        |row| Ok((row.get(0)?, row.get(1)?)),
    );
    Ok(row.optional()?)
}
