//! Streaming of the bytes of saves.

use std::io::{self, Read};

use rusqlite::{Connection, MAIN_DB, OptionalExtension, Row, Transaction, named_params};

use super::Slot;
use crate::error::{StoreError, StoreResult};

/// Row id of a state in its table.
pub(super) type StateId = i64;
/// Table of a state, and its row.
pub(super) type StateRow = (&'static str, StateId);
/// Table of the current states.
pub(super) const CURRENT: &str = "game_save";
/// Table of the earlier versions.
pub(super) const VERSION: &str = "game_save_version";

/// A stored state whose bytes can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    slot: Slot,
    row: StateId,
    size: u64,
    sha256: String,
}

impl State {
    pub(super) fn of(slot: &Slot, row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            slot: slot.clone(),
            row: row.get(0)?,
            size: row.get(1)?,
            sha256: row.get(2)?,
        })
    }

    pub(super) fn row(&self) -> StateId {
        self.row
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// Reads up to `length` bytes of a state from `offset` on. Each call finds the state by its
/// content, because a replaced state continues as a version. Returns `None` if it is gone.
pub fn chunk(
    connection: &Connection,
    state: &State,
    offset: u64,
    length: usize,
) -> StoreResult<Option<Vec<u8>>> {
    let place = connection
        .prepare_cached(
            "SELECT 'game_save', rowid
               FROM game_save
              WHERE user_id = :user AND item_id = :item AND slot = :slot AND sha256 = :sha256
              UNION ALL
             SELECT 'game_save_version', id
               FROM game_save_version
              WHERE user_id = :user AND item_id = :item AND slot = :slot AND sha256 = :sha256
              LIMIT 1",
        )?
        .query_row(
            named_params! {
                ":user": state.slot.user, ":item": state.slot.item, ":slot": state.slot.name,
                ":sha256": state.sha256,
            },
            |row| Ok((row.get::<_, String>(0)?, row.get::<_, StateId>(1)?)),
        )
        .optional()?;
    let Some((table, row)) = place else {
        return Ok(None);
    };
    let blob = connection.blob_open(MAIN_DB, table.as_str(), "body", row, true)?;
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(blob.len().saturating_sub(offset))];
    blob.read_at_exact(&mut bytes, offset)?;
    Ok(Some(bytes))
}

/// Writes the body of a new state.
pub(super) fn fill(
    tx: &Transaction<'_>,
    (table, row): StateRow,
    size: u64,
    body: &mut impl Read,
) -> StoreResult<()> {
    let mut blob = tx.blob_open(MAIN_DB, table, "body", row, false)?;
    let copied = io::copy(body, &mut blob)?;
    if copied == size {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "A save of {size} bytes had {copied} bytes when it was copied."
    )))
}

/// Copies the body of a state into another row of the same size.
pub(super) fn copy(tx: &Transaction<'_>, from: StateRow, to: StateRow) -> StoreResult<()> {
    let mut source = tx.blob_open(MAIN_DB, from.0, "body", from.1, true)?;
    let mut target = tx.blob_open(MAIN_DB, to.0, "body", to.1, false)?;
    io::copy(&mut source, &mut target)?;
    Ok(())
}
