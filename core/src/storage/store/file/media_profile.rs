//! Media profiles: combinations of container and codecs, and the profile of each item.
//!
//! An item has the profile of its first present file. If a user continues with a file of another
//! profile, the user's row of the item contains that profile.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::playback::Codecs;
use crate::store::file::first;

/// Returns all stored profiles. Their number is small.
pub fn all(connection: &Connection) -> StoreResult<Vec<(i64, Codecs)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, container, vcodec, acodec FROM media_profile")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get(0)?,
            Codecs {
                container: row.get(1)?,
                vcodec: row.get(2)?,
                acodec: row.get(3)?,
            },
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Updates an item's profile from its first present file, and the derived columns of its users.
///
/// Call it after every change of an item's files, their presence, their codecs, or the files that
/// users continue with.
pub fn settle(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let profile = match first::present_unscoped(tx, item)? {
        Some(file) => {
            let mut statement =
                tx.prepare_cached("SELECT container, vcodec, acodec FROM file WHERE id = :file")?;
            ensure(
                tx,
                &statement.query_row(named_params! { ":file": file }, codecs)?,
            )?
        }
        None => None,
    };
    tx.prepare_cached(
        "UPDATE item SET profile_id = :profile WHERE id = :item AND profile_id IS NOT :profile",
    )?
    .execute(named_params! { ":item": item, ":profile": profile })?;
    settle_users(tx, item)
}

const CONTINUED: &str = "SELECT DISTINCT continue_file_id FROM item_progress WHERE item_id = :item";

const SET_OFF: &str = "
    UPDATE item_progress
       SET continue_profile_id = :off
     WHERE item_id = :item AND continue_file_id IS :file AND continue_profile_id IS NOT :off";

fn settle_users(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(CONTINUED)?;
    let files = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
    let files: Vec<Option<FileId>> = files.collect::<Result<_, _>>()?;
    for file in files {
        let off = off(tx, item, file)?;
        tx.prepare_cached(SET_OFF)?
            .execute(named_params! { ":item": item, ":file": file, ":off": off })?;
    }
    Ok(())
}

const CODECS: &str = "
    SELECT file.container, file.vcodec, file.acodec, item.profile_id
      FROM file
      JOIN item ON item.id = file.item_id
     WHERE file.id = :file AND file.item_id = :item AND file.missing = 0";

/// Returns the profile of the file to continue with if it differs from the item's: 0 if the file
/// was not probed, `None` if the profiles are equal.
pub fn off(tx: &Transaction<'_>, item: ItemId, file: Option<FileId>) -> StoreResult<Option<i64>> {
    let Some(file) = file else {
        return Ok(None);
    };
    let mut statement = tx.prepare_cached(CODECS)?;
    let found = statement
        .query_row(named_params! { ":file": file, ":item": item }, |row| {
            let own: Option<i64> = row.get(3)?;
            Ok((codecs(row)?, own))
        })
        .optional()?;
    let Some((codecs, own)) = found else {
        return Ok(None);
    };
    let profile = ensure(tx, &codecs)?.unwrap_or(0);
    Ok((profile != own.unwrap_or(0)).then_some(profile))
}

/// Reads codecs from the first three columns.
fn codecs(row: &Row<'_>) -> rusqlite::Result<Codecs> {
    Ok(Codecs {
        container: row.get(0)?,
        vcodec: row.get(1)?,
        acodec: row.get(2)?,
    })
}

/// Cache of the profiles that a transaction has used.
#[derive(Debug, Default)]
pub struct Profiles(HashMap<Codecs, i64>);

impl Profiles {
    /// Returns the profile of these codecs and inserts it if it is new. Returns `None` without a
    /// container, because such files were not probed.
    pub fn ensure(&mut self, tx: &Transaction<'_>, codecs: Codecs) -> StoreResult<Option<i64>> {
        if let Some(existing) = self.0.get(&codecs) {
            return Ok(Some(*existing));
        }
        let profile = ensure(tx, &codecs)?;
        if let Some(profile) = profile {
            self.0.insert(codecs, profile);
        }
        Ok(profile)
    }
}

/// Returns the profile of these codecs and inserts it if it is new. Returns `None` without a
/// container, because such files were not probed.
fn ensure(tx: &Transaction<'_>, codecs: &Codecs) -> StoreResult<Option<i64>> {
    if codecs.container.is_none() {
        return Ok(None);
    }
    let parameters = named_params! {
        ":container": codecs.container,
        ":vcodec": codecs.vcodec,
        ":acodec": codecs.acodec,
    };
    let existing = tx
        .prepare_cached(
            "SELECT id
               FROM media_profile
              WHERE container = :container AND ifnull(vcodec, '') = ifnull(:vcodec, '')
                AND ifnull(acodec, '') = ifnull(:acodec, '')",
        )?
        .query_row(parameters, |row| row.get(0))
        .optional()?;
    if existing.is_some() {
        return Ok(existing);
    }
    tx.prepare_cached(
        "INSERT INTO media_profile (container, vcodec, acodec)
         VALUES (:container, :vcodec, :acodec)",
    )?
    .execute(parameters)?;
    Ok(Some(tx.last_insert_rowid()))
}
