//! Links between items and provider entries: the source of the item's fields, the match that a user
//! chose, and the matches that a user rejected.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::ItemId;

/// Provider id and entry id of a match.
pub type Link = (String, String);

/// Returns the match that a user chose, if any.
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

/// Returns the match whose values are in the item's fields, if any.
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

/// Returns the entry ids of a provider that a user rejected for this item.
pub fn refused_unscoped(
    connection: &Connection,
    item: ItemId,
    provider: &str,
) -> StoreResult<BTreeSet<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT external_id
           FROM match_rejected
          WHERE item_id = :item AND provider = :provider",
    )?;
    let rows = statement.query_map(
        named_params! { ":item": item, ":provider": provider },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the rejection of a match by a user.
pub(super) fn refuse(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO match_rejected (item_id, provider, external_id)
         VALUES (:item, :provider, :id)",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    Ok(())
}

/// Returns `true` if a user rejected this match.
pub(super) fn is_refused(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<bool> {
    let mut statement = tx.prepare_cached(
        "SELECT 1
           FROM match_rejected
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?;
    Ok(statement.exists(named_params! { ":item": item, ":provider": provider, ":id": id })?)
}

/// Deletes the rejection of a match.
pub(super) fn allow(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM match_rejected
          WHERE item_id = :item AND provider = :provider AND external_id = :id",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":id": id })?;
    Ok(())
}

/// Makes a match the source of the item's fields. With `is_chosen`, it is also the match that a
/// user chose.
pub(super) fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    id: &str,
    is_chosen: bool,
) -> StoreResult<()> {
    // If `is_chosen` is `false`, no other match is chosen; the caller has checked it.
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

/// Deletes the match of a provider. Returns its entry id and `true` if it was the source of the
/// item's fields.
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
