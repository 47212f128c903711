//! Summary row per user and item, derived from the progress in the item's files.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use super::item_progress::{ItemProgress, Part, derive};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::path;
use crate::registry::naming::join;
use crate::store::file::media_profile;
use crate::store::item::page_order;
use crate::time::Timestamp;

/// Recomputes the summaries of an item for every user with progress in it. Unchanged rows are not
/// written.
pub fn recompute(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    for user in readers(tx, item)? {
        recompute_for(tx, user, item)?;
    }
    Ok(())
}

/// Calls [`recompute`] for several items. This is cheap while no progress is stored at all.
pub fn recompute_some<'a>(
    tx: &Transaction<'_>,
    items: impl IntoIterator<Item = &'a ItemId>,
) -> StoreResult<()> {
    let mut any = tx.prepare_cached("SELECT 1 FROM progress LIMIT 1")?;
    let mut any_summary = tx.prepare_cached("SELECT 1 FROM item_progress LIMIT 1")?;
    if !any.exists([])? && !any_summary.exists([])? {
        return Ok(());
    }
    for item in items {
        recompute(tx, *item)?;
    }
    Ok(())
}

const READERS: &str = "
    SELECT user_id FROM progress WHERE item_id = :item
     UNION
    SELECT user_id FROM item_progress WHERE item_id = :item";

/// Returns the users with progress in the item.
fn readers(tx: &Transaction<'_>, item: ItemId) -> StoreResult<Vec<UserId>> {
    let mut statement = tx.prepare_cached(READERS)?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Summary of a user and an item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    /// File of the latest progress.
    file: FileId,
    updated_at: Timestamp,
    pub(super) progress: ItemProgress,
}

/// Recomputes a user's summary of an item and returns it.
pub(super) fn recompute_for(
    tx: &Transaction<'_>,
    user: UserId,
    item: ItemId,
) -> StoreResult<Option<Summary>> {
    let fresh = compute(tx, user, item)?;
    let stored = stored(tx, user, item)?;
    if fresh != stored {
        match &fresh {
            None => remove(tx, user, item)?,
            Some(fresh) => write(tx, user, item, fresh, stored.as_ref())?,
        }
    }
    Ok(fresh)
}

fn compute(tx: &Transaction<'_>, user: UserId, item: ItemId) -> StoreResult<Option<Summary>> {
    let Some((file, updated_at)) = newest(tx, user, item)? else {
        return Ok(None);
    };
    let parts = parts(tx, user, item)?;
    Ok(derive(&parts, file).map(|progress| Summary {
        file,
        updated_at,
        progress,
    }))
}

const NEWEST: &str = "
    SELECT file_id, updated_at
      FROM progress
     WHERE item_id = :item AND user_id = :user
     ORDER BY updated_at DESC, file_id DESC
     LIMIT 1";

fn newest(
    tx: &Transaction<'_>,
    user: UserId,
    item: ItemId,
) -> StoreResult<Option<(FileId, Timestamp)>> {
    let mut statement = tx.prepare_cached(NEWEST)?;
    let newest = statement
        .query_row(named_params! { ":user": user, ":item": item }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(newest)
}

const PARTS: &str = "
    SELECT file.id, file.sequence, file.season, file.episode, file.missing, file.extent,
           place.position, place.finished
      FROM file
      LEFT JOIN progress AS place ON place.user_id = :user AND place.file_id = file.id
     WHERE file.item_id = :item
     ORDER BY file.sequence, file.id";

/// Returns the item's files in page order.
pub(super) fn parts(tx: &Transaction<'_>, user: UserId, item: ItemId) -> StoreResult<Vec<Part>> {
    let mut statement = tx.prepare_cached(PARTS)?;
    let rows = statement.query_map(named_params! { ":user": user, ":item": item }, part)?;
    let mut parts: Vec<Part> = rows.collect::<Result<_, _>>()?;
    let alternatives = parts.partition_point(|part| part.sequence.is_none());
    parts.rotate_left(alternatives);
    let is_tied = parts
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.sequence == b.sequence));
    if is_tied {
        sort_by_path(tx, item, &mut parts)?;
    }
    Ok(parts)
}

fn part(row: &Row<'_>) -> rusqlite::Result<Part> {
    let (season, episode) = (row.get::<_, Option<i64>>(2)?, row.get::<_, Option<i64>>(3)?);
    let position: Option<i64> = row.get(6)?;
    let finished: Option<bool> = row.get(7)?;
    Ok(Part {
        file: row.get(0)?,
        sequence: row.get(1)?,
        episode: season.zip(episode),
        season,
        missing: row.get(4)?,
        extent: row.get(5)?,
        place: position.zip(finished),
    })
}

const PATHS: &str = "
    SELECT file.id, folder.path, file.name
      FROM file
      JOIN folder ON folder.id = file.folder_id
     WHERE file.item_id = :item";

/// Sorts files with equal numbers by path. Paths are read only if such files exist.
fn sort_by_path(tx: &Transaction<'_>, item: ItemId, parts: &mut [Part]) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(PATHS)?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        let folder = path::display(row.get_ref(1)?.as_blob()?);
        let file = path::display(row.get_ref(2)?.as_blob()?);
        Ok((row.get(0)?, join(&folder, &file)))
    })?;
    let paths: std::collections::HashMap<FileId, String> = rows.collect::<Result<_, _>>()?;
    parts.sort_by_cached_key(|part| {
        let path = paths.get(&part.file).map_or("", String::as_str);
        page_order(part.sequence, path, part.file)
    });
    Ok(())
}

const STORED: &str = "
    SELECT file_id, updated_at, finished, fraction, continue_file_id
      FROM item_progress
     WHERE user_id = :user AND item_id = :item";

fn stored(conn: &Connection, user: UserId, item: ItemId) -> StoreResult<Option<Summary>> {
    let mut statement = conn.prepare_cached(STORED)?;
    let stored = statement
        .query_row(named_params! { ":user": user, ":item": item }, |row| {
            Ok(Summary {
                file: row.get(0)?,
                updated_at: row.get(1)?,
                progress: ItemProgress {
                    finished: row.get(2)?,
                    fraction: row.get(3)?,
                    continue_file: row.get(4)?,
                },
            })
        })
        .optional()?;
    Ok(stored)
}

fn remove(tx: &Transaction<'_>, user: UserId, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM item_progress WHERE user_id = :user AND item_id = :item")?
        .execute(named_params! { ":user": user, ":item": item })?;
    Ok(())
}

const ADVANCE: &str = "
    UPDATE item_progress
       SET updated_at = :updated_at, fraction = :fraction
     WHERE user_id = :user AND item_id = :item";

const PUT: &str = "
    INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, fraction,
                               continue_file_id, continue_profile_id, updated_at)
    SELECT :user, :item, item.library_id, :file, :finished, :fraction, :continue_file,
           :continue_profile_id, :updated_at
      FROM item
     WHERE item.id = :item
        ON CONFLICT (user_id, item_id)
        DO UPDATE SET file_id = excluded.file_id, finished = excluded.finished,
                      fraction = excluded.fraction, continue_file_id = excluded.continue_file_id,
                      continue_profile_id = excluded.continue_profile_id,
                      updated_at = excluded.updated_at";

fn write(
    tx: &Transaction<'_>,
    user: UserId,
    item: ItemId,
    fresh: &Summary,
    stored: Option<&Summary>,
) -> StoreResult<()> {
    let (progress, updated_at) = (&fresh.progress, fresh.updated_at);
    let is_advance = stored.is_some_and(|stored| {
        (
            stored.file,
            stored.progress.finished,
            stored.progress.continue_file,
        ) == (fresh.file, progress.finished, progress.continue_file)
    });
    if is_advance {
        // This is the most frequent write, so it leaves most indexes unchanged.
        // `continue_profile_id` also stays: it depends on the files, and every change of a file
        // recomputes it.
        tx.prepare_cached(ADVANCE)?.execute(named_params! {
            ":user": user,
            ":item": item,
            ":fraction": progress.fraction,
            ":updated_at": updated_at,
        })?;
        return Ok(());
    }
    tx.prepare_cached(PUT)?.execute(named_params! {
        ":user": user,
        ":item": item,
        ":file": fresh.file,
        ":finished": progress.finished,
        ":fraction": progress.fraction,
        ":continue_file": progress.continue_file,
        ":continue_profile_id": media_profile::off(tx, item, progress.continue_file)?,
        ":updated_at": updated_at,
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_searches;
    use super::*;

    #[test]
    fn summary_queries_search_indexes_without_scans() {
        for sql in [READERS, NEWEST, PARTS, PATHS, STORED, ADVANCE, PUT] {
            assert_searches(sql);
        }
    }
}
