//! Saved states of players: one current state per slot, and its earlier versions.
//!
//! Bodies are streamed in both directions, so that a save of many megabytes is never completely in
//! memory.

mod body;
mod import;
#[cfg(test)]
mod tests;

use std::io::Read;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{Visible, VisibleItem};
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, UserId};
use crate::time::Timestamp;

pub use body::{State, chunk};
pub(crate) use import::{ForeignState, Imported, Written as ImportedState, import, restore};

/// Largest state, in bytes.
pub const MAX_SAVE_BYTES: u64 = 16 << 20;
/// Limit of slots with a current state, per item and user.
pub const MAX_SLOTS: u32 = 64;
/// Limit of slots per item and user, including slots with earlier versions only.
pub const MAX_NAMES: u32 = 256;
/// Limit of earlier versions per slot.
pub const MAX_VERSIONS: u32 = 10;
/// Limit of bytes of earlier versions per slot.
pub const MAX_VERSION_BYTES: u64 = 64 << 20;

/// Current state of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Save {
    /// Name of the slot.
    #[schema(pattern = "^[a-z0-9][a-z0-9_-]{0,31}$")]
    pub slot: String,
    /// Size in bytes.
    #[schema(minimum = 0, maximum = 16_777_216)]
    pub size: u64,
    /// SHA-256 in hexadecimal; the entity tag without its quotes.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub sha256: String,
    /// Core that wrote the state, if the client named it.
    pub core: Option<String>,
    /// Time of the save.
    pub updated_at: Timestamp,
}

/// A state that was replaced or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SaveVersion {
    /// Version number. Numbers ascend; only the undo of an import frees a number.
    #[schema(minimum = 1)]
    pub n: i64,
    /// Size in bytes.
    #[schema(minimum = 0, maximum = 16_777_216)]
    pub size: u64,
    /// SHA-256 in hexadecimal.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub sha256: String,
    /// Core that wrote the state, if the client named it.
    pub core: Option<String>,
    /// Time at which the state was saved.
    pub saved_at: Timestamp,
}

/// A named slot of an item and user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    item: ItemId,
    user: UserId,
    name: String,
}

impl Slot {
    /// Returns the slot of the user whose grant for the item was checked.
    pub fn of(item: VisibleItem, name: &str) -> Self {
        Self {
            item: item.id(),
            user: item.viewer(),
            name: name.to_owned(),
        }
    }

    /// Checks the grant again, because an upload takes time.
    fn is_visible(&self, connection: &Connection) -> StoreResult<bool> {
        let item = Visible::of(self.user).item(connection, self.item)?;
        Ok(item.is_some())
    }
}

/// A state to store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSave {
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
    /// Core that wrote the state.
    pub core: Option<String>,
    /// Time of the save.
    pub at: Timestamp,
}

/// Outcome of a write to a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written<T> {
    /// The slot was empty before.
    Created(T),
    /// The replaced state is now a version, unless both are equal.
    Replaced(T),
    /// The current state does not match the client's precondition; nothing was written.
    Unexpected,
    /// The item or the save is absent, or the item is no longer visible.
    Absent,
}

/// Returns the current states of an item, ordered by slot name.
pub fn list(connection: &Connection, item: VisibleItem) -> StoreResult<Vec<Save>> {
    let mut statement = connection.prepare_cached(
        "SELECT slot, size, sha256, core, updated_at
           FROM game_save
          WHERE user_id = :user AND item_id = :item
          ORDER BY slot",
    )?;
    let rows = statement.query_map(
        named_params! { ":user": item.viewer(), ":item": item.id() },
        |row| {
            Ok(Save {
                slot: row.get(0)?,
                size: row.get(1)?,
                sha256: row.get(2)?,
                core: row.get(3)?,
                updated_at: row.get(4)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the current state of a slot, for reading.
pub fn current(connection: &Connection, slot: &Slot) -> StoreResult<Option<State>> {
    connection
        .prepare_cached(
            "SELECT rowid, size, sha256
               FROM game_save
              WHERE user_id = :user AND item_id = :item AND slot = :slot",
        )?
        .query_row(
            named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name },
            |row| State::of(slot, row),
        )
        .optional()
        .map_err(StoreError::from)
}

/// Returns the versions of a slot, the newest first, or `None` if the slot was never used.
pub fn versions(connection: &Connection, slot: &Slot) -> StoreResult<Option<Vec<SaveVersion>>> {
    let mut statement = connection.prepare_cached(
        "SELECT n, size, sha256, core, saved_at
           FROM game_save_version
          WHERE user_id = :user AND item_id = :item AND slot = :slot
          ORDER BY n DESC",
    )?;
    let rows = statement.query_map(
        named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name },
        |row| {
            Ok(SaveVersion {
                n: row.get(0)?,
                size: row.get(1)?,
                sha256: row.get(2)?,
                core: row.get(3)?,
                saved_at: row.get(4)?,
            })
        },
    )?;
    let versions: Vec<SaveVersion> = rows.collect::<Result<_, _>>()?;
    let existing = !versions.is_empty() || current(connection, slot)?.is_some();
    Ok(existing.then_some(versions))
}

/// Returns one version of a slot, for reading.
pub fn version(connection: &Connection, slot: &Slot, n: i64) -> StoreResult<Option<State>> {
    connection
        .prepare_cached(
            "SELECT id, size, sha256
               FROM game_save_version
              WHERE user_id = :user AND item_id = :item AND slot = :slot AND n = :n",
        )?
        .query_row(
            named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name, ":n": n },
            |row| State::of(slot, row),
        )
        .optional()
        .map_err(StoreError::from)
}

/// Stores a state in a slot, if `expects` accepts the SHA-256 of the current state.
pub fn put(
    tx: &Transaction<'_>,
    slot: &Slot,
    new: &NewSave,
    body: &mut impl Read,
    expects: impl FnOnce(Option<&str>) -> bool,
) -> StoreResult<Written<Save>> {
    if !slot.is_visible(tx)? {
        return Ok(Written::Absent);
    }
    let old = current(tx, slot)?;
    if !expects(old.as_ref().map(State::sha256)) {
        return Ok(Written::Unexpected);
    }
    let mut core = new.core.clone();
    match &old {
        None => make_room(tx, slot)?,
        Some(old) if old.sha256() == new.sha256 => {
            // An equal state without a core keeps the stored core.
            core = core.or(core_of(tx, slot)?);
            remove(tx, slot)?;
        }
        Some(old) => retire(tx, slot, old)?,
    }
    insert(tx, slot, new, core.as_deref(), body)?;
    let save = Save {
        slot: slot.name.clone(),
        size: new.size,
        sha256: new.sha256.clone(),
        core,
        updated_at: new.at,
    };
    Ok(match old {
        None => Written::Created(save),
        Some(_) => Written::Replaced(save),
    })
}

/// Inserts the current state of an empty slot.
fn insert(
    tx: &Transaction<'_>,
    slot: &Slot,
    new: &NewSave,
    core: Option<&str>,
    body: &mut impl Read,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO game_save (user_id, item_id, slot, core, size, sha256, updated_at, body)
         VALUES (:user, :item, :slot, :core, :size, :sha256, :now, zeroblob(:size))",
    )?
    .execute(named_params! {
        ":user": slot.user, ":item": slot.item, ":slot": slot.name, ":core": core,
        ":size": new.size, ":sha256": new.sha256, ":now": new.at,
    })?;
    body::fill(tx, (body::CURRENT, tx.last_insert_rowid()), new.size, body)
}

/// Empties a slot and keeps its state as a version, if `expects` accepts the SHA-256.
pub fn delete(
    tx: &Transaction<'_>,
    slot: &Slot,
    expects: impl FnOnce(Option<&str>) -> bool,
) -> StoreResult<Written<()>> {
    let Some(old) = current(tx, slot)? else {
        return Ok(Written::Absent);
    };
    if !slot.is_visible(tx)? {
        return Ok(Written::Absent);
    }
    if !expects(Some(old.sha256())) {
        return Ok(Written::Unexpected);
    }
    retire(tx, slot, &old)?;
    Ok(Written::Replaced(()))
}

/// Turns the current state of a slot into a version.
fn retire(tx: &Transaction<'_>, slot: &Slot, old: &State) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO game_save_version
                (user_id, item_id, slot, n, core, size, sha256, saved_at, body)
         SELECT user_id, item_id, slot,
                1 + ifnull((SELECT max(n) FROM game_save_version
                             WHERE user_id = :user AND item_id = :item AND slot = :slot), 0),
                core, size, sha256, updated_at, zeroblob(size)
           FROM game_save
          WHERE user_id = :user AND item_id = :item AND slot = :slot",
    )?
    .execute(named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name })?;
    let version = (body::VERSION, tx.last_insert_rowid());
    body::copy(tx, (body::CURRENT, old.row()), version)?;
    remove(tx, slot)?;
    drop_oldest(tx, slot)
}

/// Returns the core that wrote the current state of a slot.
fn core_of(tx: &Transaction<'_>, slot: &Slot) -> StoreResult<Option<String>> {
    let mut statement = tx.prepare_cached(
        "SELECT core
           FROM game_save
          WHERE user_id = :user AND item_id = :item AND slot = :slot",
    )?;
    let core = statement
        .query_row(
            named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name },
            |row| row.get(0),
        )
        .optional()?;
    Ok(core.flatten())
}

fn remove(tx: &Transaction<'_>, slot: &Slot) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM game_save
          WHERE user_id = :user AND item_id = :item AND slot = :slot",
    )?
    .execute(named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name })?;
    Ok(())
}

/// Deletes the oldest versions beyond the limits. The newest version always stays, because its
/// number determines the next one.
fn drop_oldest(tx: &Transaction<'_>, slot: &Slot) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM game_save_version
          WHERE id IN (SELECT id
                         FROM (SELECT id,
                                      row_number() OVER newest AS place,
                                      sum(size) OVER newest AS bytes
                                 FROM game_save_version
                                WHERE user_id = :user AND item_id = :item AND slot = :slot
                               WINDOW newest AS (ORDER BY n DESC))
                        WHERE place > :versions OR bytes > :bytes)",
    )?
    .execute(named_params! {
        ":user": slot.user, ":item": slot.item, ":slot": slot.name,
        ":versions": MAX_VERSIONS, ":bytes": MAX_VERSION_BYTES,
    })?;
    Ok(())
}

/// Applies the limits to every slot of an item that received another item's saves.
pub(crate) fn drop_oldest_unscoped(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let slots: Vec<Slot> = tx
        .prepare_cached(
            "SELECT DISTINCT user_id, slot FROM game_save_version WHERE item_id = :item",
        )?
        .query_map(named_params! { ":item": item }, |row| {
            Ok(Slot {
                item,
                user: row.get(0)?,
                name: row.get(1)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    slots.iter().try_for_each(|slot| drop_oldest(tx, slot))
}

/// Rejects a new slot beyond [`MAX_SLOTS`]. Empty slots have their own limit; beyond it, the slot
/// that was emptied first is deleted.
fn make_room(tx: &Transaction<'_>, slot: &Slot) -> StoreResult<()> {
    let held: u32 = tx
        .prepare_cached("SELECT count(*) FROM game_save WHERE user_id = :user AND item_id = :item")?
        .query_row(
            named_params! { ":user": slot.user, ":item": slot.item },
            |row| row.get(0),
        )?;
    if held >= MAX_SLOTS {
        return Err(StoreError::Conflict(format!(
            "There are {MAX_SLOTS} slots already; delete one of them first."
        )));
    }
    let emptied: Vec<String> = tx
        .prepare_cached(
            "SELECT slot
               FROM game_save_version AS past
              WHERE user_id = :user AND item_id = :item
                AND NOT EXISTS (SELECT 1
                                  FROM game_save AS now
                                 WHERE now.user_id = past.user_id
                                   AND now.item_id = past.item_id AND now.slot = past.slot)
              GROUP BY slot
              ORDER BY max(id)",
        )?
        .query_map(
            named_params! { ":user": slot.user, ":item": slot.item },
            |row| row.get(0),
        )?
        .collect::<Result<_, _>>()?;
    if emptied.contains(&slot.name) || held as usize + emptied.len() < MAX_NAMES as usize {
        return Ok(());
    }
    if let Some(first) = emptied.first() {
        tx.prepare_cached(
            "DELETE FROM game_save_version
              WHERE user_id = :user AND item_id = :item AND slot = :slot",
        )?
        .execute(named_params! { ":user": slot.user, ":item": slot.item, ":slot": first })?;
    }
    Ok(())
}
