//! Combinations of container and codecs, and which of them an item has.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::file::first;
use crate::id::ItemId;
use crate::playback::Codecs;
use crate::store::StoreResult;

/// Every combination that was ever found. They are few.
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

/// Brings an item's profile in line with its first present file.
pub fn settle(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let profile = match first::present_unscoped(tx, item)? {
        Some(file) => {
            let mut codecs =
                tx.prepare_cached("SELECT container, vcodec, acodec FROM file WHERE id = :file")?;
            let codecs = codecs.query_row(named_params! { ":file": file }, |row| {
                Ok(Codecs {
                    container: row.get(0)?,
                    vcodec: row.get(1)?,
                    acodec: row.get(2)?,
                })
            })?;
            ensure(tx, &codecs)?
        }
        None => None,
    };
    tx.prepare_cached(
        "UPDATE item SET profile_id = :profile WHERE id = :item AND profile_id IS NOT :profile",
    )?
    .execute(named_params! { ":item": item, ":profile": profile })?;
    Ok(())
}

/// The profile of these codecs; stored if it is new. `None` where nothing was probed.
fn ensure(tx: &Transaction<'_>, codecs: &Codecs) -> StoreResult<Option<i64>> {
    if codecs.container.is_none() {
        return Ok(None);
    }
    let parameters = named_params! {
        ":container": codecs.container,
        ":vcodec": codecs.vcodec,
        ":acodec": codecs.acodec,
    };
    let known = tx
        .prepare_cached(
            "SELECT id
               FROM media_profile
              WHERE container = :container AND ifnull(vcodec, '') = ifnull(:vcodec, '')
                AND ifnull(acodec, '') = ifnull(:acodec, '')",
        )?
        .query_row(parameters, |row| row.get(0))
        .optional()?;
    if known.is_some() {
        return Ok(known);
    }
    tx.prepare_cached(
        "INSERT INTO media_profile (container, vcodec, acodec)
         VALUES (:container, :vcodec, :acodec)",
    )?
    .execute(parameters)?;
    Ok(Some(tx.last_insert_rowid()))
}
