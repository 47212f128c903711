//! States of another program. The newest one of a slot becomes current if it is newer than Ledge's;
//! the others become versions.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{
    MAX_SLOTS, MAX_VERSION_BYTES, MAX_VERSIONS, NewSave, Slot, body, current, drop_oldest, insert,
    make_room, remove, retire,
};
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::time::Timestamp;

/// State of another program, with the file that contains a copy of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForeignState<'a> {
    pub(crate) new: &'a NewSave,
    pub(crate) path: &'a Path,
}

/// Result of one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Imported {
    /// The slot contains the same bytes.
    Known,
    /// The state became current.
    Current,
    /// The state became a version.
    Version,
    /// There is no room for the state.
    Rejected,
}

/// Written state, for the undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    slot: String,
    sha256: String,
    /// Row of the version; `None` for a current state.
    version: Option<i64>,
    /// SHA-256 of the state that a current one replaced.
    replaced: Option<String>,
}

/// Content of a slot.
#[derive(Debug, Default)]
struct Existing {
    current: Option<(String, u64, Timestamp)>,
    versions: Vec<(String, u64)>,
    /// `true` if an empty slot may receive a state.
    has_room: bool,
}

/// Applies states to a slot of a user, the newest first. No grant is necessary. Returns a result per
/// state, and the written ones in the order of writing.
pub(crate) fn import(
    tx: &Transaction<'_>,
    (user, item, name): (UserId, ItemId, &str),
    states: &[ForeignState<'_>],
    dry_run: bool,
) -> StoreResult<(Vec<Imported>, Vec<Written>)> {
    let slot = Slot {
        item,
        user,
        name: name.to_owned(),
    };
    let results = plan(&read(tx, &slot)?, states);
    let mut written = Vec::new();
    if !dry_run {
        // The oldest first, because the numbers of versions ascend.
        for (state, result) in states.iter().zip(&results).rev() {
            match result {
                Imported::Version => written.push(add_version(tx, &slot, state)?),
                Imported::Current => written.push(replace(tx, &slot, state)?),
                Imported::Known | Imported::Rejected => {}
            }
        }
    }
    Ok((results, written))
}

/// Decides on each state. Only the newest one may displace an old version of Ledge, as every new save
/// does. A repeated import therefore decides in the same way.
fn plan(existing: &Existing, states: &[ForeignState<'_>]) -> Vec<Imported> {
    let mut seen: Vec<&str> = existing.versions.iter().map(|one| one.0.as_str()).collect();
    seen.extend(existing.current.iter().map(|one| one.0.as_str()));
    let mut count = existing.versions.len();
    let mut bytes: u64 = existing.versions.iter().map(|one| one.1).sum();
    let mut is_first = true;
    let mut results = Vec::with_capacity(states.len());
    for state in states {
        let new = state.new;
        let fits = count < MAX_VERSIONS as usize && bytes + new.size <= MAX_VERSION_BYTES;
        let result = match &existing.current {
            _ if seen.contains(&new.sha256.as_str()) => Imported::Known,
            None if !existing.has_room => Imported::Rejected,
            None if is_first => Imported::Current,
            Some((_, _, at)) if is_first && *at < new.at => Imported::Current,
            _ if is_first || fits => Imported::Version,
            _ => Imported::Rejected,
        };
        let added = match (result, &existing.current) {
            (Imported::Version, _) => Some(new.size),
            (Imported::Current, Some((_, size, _))) => Some(*size),
            _ => None,
        };
        count += usize::from(added.is_some());
        bytes += added.unwrap_or(0);
        is_first = false;
        seen.push(&new.sha256);
        results.push(result);
    }
    results
}

fn read(conn: &Connection, slot: &Slot) -> StoreResult<Existing> {
    let params = named_params! { ":user": slot.user, ":item": slot.item, ":slot": slot.name };
    let current = conn
        .prepare_cached(
            "SELECT sha256, size, updated_at
               FROM game_save
              WHERE user_id = :user AND item_id = :item AND slot = :slot",
        )?
        .query_row(params, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let mut statement = conn.prepare_cached(
        "SELECT sha256, size
           FROM game_save_version
          WHERE user_id = :user AND item_id = :item AND slot = :slot",
    )?;
    let versions = statement.query_map(params, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let versions = versions.collect::<Result<_, _>>()?;
    let slots: u32 = conn
        .prepare_cached("SELECT count(*) FROM game_save WHERE user_id = :user AND item_id = :item")?
        .query_row(
            named_params! { ":user": slot.user, ":item": slot.item },
            |row| row.get(0),
        )?;
    Ok(Existing {
        current,
        versions,
        has_room: slots < MAX_SLOTS,
    })
}

fn add_version(
    tx: &Transaction<'_>,
    slot: &Slot,
    state: &ForeignState<'_>,
) -> StoreResult<Written> {
    let new = state.new;
    tx.prepare_cached(
        "INSERT INTO game_save_version
                (user_id, item_id, slot, n, core, size, sha256, saved_at, body)
         VALUES (:user, :item, :slot,
                 1 + ifnull((SELECT max(n) FROM game_save_version
                              WHERE user_id = :user AND item_id = :item AND slot = :slot), 0),
                 :core, :size, :sha256, :at, zeroblob(:size))",
    )?
    .execute(named_params! {
        ":user": slot.user, ":item": slot.item, ":slot": slot.name, ":core": new.core,
        ":size": new.size, ":sha256": new.sha256, ":at": new.at,
    })?;
    let id = tx.last_insert_rowid();
    let mut file = File::open(state.path)?;
    body::fill(tx, (body::VERSION, id), new.size, &mut file)?;
    drop_oldest(tx, slot)?;
    Ok(Written {
        slot: slot.name.clone(),
        sha256: new.sha256.clone(),
        version: Some(id),
        replaced: None,
    })
}

fn replace(tx: &Transaction<'_>, slot: &Slot, state: &ForeignState<'_>) -> StoreResult<Written> {
    let old = current(tx, slot)?;
    match &old {
        None => make_room(tx, slot)?,
        Some(old) => retire(tx, slot, old)?,
    }
    let new = state.new;
    let mut file = File::open(state.path)?;
    insert(tx, slot, new, new.core.as_deref(), &mut file)?;
    Ok(Written {
        slot: slot.name.clone(),
        sha256: new.sha256.clone(),
        version: None,
        replaced: old.map(|old| old.sha256().to_owned()),
    })
}

/// Deletes an imported state, and makes the state current again that it replaced. Returns `false` if
/// the slot was changed since.
pub(crate) fn restore(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    written: &Written,
) -> StoreResult<bool> {
    let slot = Slot {
        item,
        user,
        name: written.slot.clone(),
    };
    if let Some(id) = written.version {
        let deleted = tx
            .prepare_cached(
                "DELETE FROM game_save_version
                  WHERE id = :id AND user_id = :user AND sha256 = :sha256",
            )?
            .execute(named_params! { ":id": id, ":user": user, ":sha256": written.sha256 })?;
        return Ok(deleted > 0);
    }
    let now = current(tx, &slot)?;
    if now.is_none_or(|now| now.sha256() != written.sha256) {
        return Ok(false);
    }
    let Some(replaced) = &written.replaced else {
        remove(tx, &slot)?;
        return Ok(true);
    };
    let Some(version) = newest_version(tx, &slot, replaced)? else {
        return Ok(false);
    };
    remove(tx, &slot)?;
    make_current(tx, version)?;
    Ok(true)
}

fn newest_version(conn: &Connection, slot: &Slot, sha256: &str) -> StoreResult<Option<i64>> {
    let mut statement = conn.prepare_cached(
        "SELECT id
           FROM game_save_version
          WHERE user_id = :user AND item_id = :item AND slot = :slot AND sha256 = :sha256
          ORDER BY n DESC
          LIMIT 1",
    )?;
    let found = statement.query_row(
        named_params! {
            ":user": slot.user, ":item": slot.item, ":slot": slot.name, ":sha256": sha256,
        },
        |row| row.get(0),
    );
    Ok(found.optional()?)
}

/// Moves a version into its empty slot.
fn make_current(tx: &Transaction<'_>, version: i64) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO game_save (user_id, item_id, slot, core, size, sha256, updated_at, body)
         SELECT user_id, item_id, slot, core, size, sha256, saved_at, zeroblob(size)
           FROM game_save_version
          WHERE id = :id",
    )?
    .execute(named_params! { ":id": version })?;
    let row = (body::CURRENT, tx.last_insert_rowid());
    body::copy(tx, (body::VERSION, version), row)?;
    tx.prepare_cached("DELETE FROM game_save_version WHERE id = :id")?
        .execute(named_params! { ":id": version })?;
    Ok(())
}
