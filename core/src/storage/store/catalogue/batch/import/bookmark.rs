//! Bookmarks. The same bookmark is imported once.

use std::collections::HashSet;

use rusqlite::{Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{Outcome, Row, Value};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::store::catalogue::batch::snapshot::parse;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::time::Timestamp;

/// Limit of annotations per user and item.
const MAX_ANNOTATIONS: usize = 10_000;
/// Limit of the notes' bytes per user and item.
const MAX_BYTES: usize = 4 << 20;

/// Position and note that identify a bookmark of a file.
type Key = (FileId, i64, Option<String>);

/// Inserted bookmark, for the undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Inserted {
    id: i64,
    file: FileId,
    position: i64,
    note: Option<String>,
}

/// Bookmarks of a user in one item.
pub(super) struct Bookmarks<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    owner: (UserId, ItemId),
    dry_run: bool,
    /// Existing bookmarks and the size of all annotations; read with the first row.
    existing: Option<Existing>,
}

#[derive(Default)]
struct Existing {
    keys: HashSet<Key>,
    annotations: usize,
    bytes: usize,
}

impl<'a, 'tx> Bookmarks<'a, 'tx> {
    pub(super) fn new(tx: &'a Transaction<'tx>, owner: (UserId, ItemId), dry_run: bool) -> Self {
        Self {
            tx,
            owner,
            dry_run,
            existing: None,
        }
    }

    /// Inserts the bookmark of a row, unless it exists.
    pub(super) fn apply(
        &mut self,
        row: &Row,
        now: Timestamp,
        changes: &mut Vec<Change>,
    ) -> StoreResult<Outcome> {
        let Value::Bookmark {
            file,
            position,
            note,
            at,
        } = &row.value
        else {
            return Ok(Outcome::Unsupported);
        };
        let key = (*file, *position, note.clone());
        let bytes = note.as_ref().map_or(0, String::len);
        let existing = match self.existing.take() {
            Some(existing) => self.existing.insert(existing),
            None => self.existing.insert(read(self.tx, self.owner)?),
        };
        if existing.keys.contains(&key) {
            return Ok(Outcome::Unchanged);
        }
        if existing.annotations >= MAX_ANNOTATIONS || existing.bytes + bytes > MAX_BYTES {
            return Ok(Outcome::Unsupported);
        }
        existing.annotations += 1;
        existing.bytes += bytes;
        existing.keys.insert(key);
        if !self.dry_run {
            let inserted = Inserted {
                id: insert(
                    self.tx,
                    self.owner,
                    (*file, *position, note),
                    at.unwrap_or(now),
                )?,
                file: *file,
                position: *position,
                note: note.clone(),
            };
            let values = (&None, &Some(inserted));
            changes.push(Change::new(
                Some(self.owner.0),
                ChangedField::Bookmark,
                values,
            ));
        }
        Ok(Outcome::Taken)
    }
}

fn read(tx: &Transaction<'_>, (user, item): (UserId, ItemId)) -> StoreResult<Existing> {
    let mut statement = tx.prepare_cached(
        "SELECT file_id, position, note, type = 'bookmark',
                ifnull(octet_length(locator), 0) + ifnull(octet_length(text), 0)
                + ifnull(octet_length(note), 0)
           FROM annotation INDEXED BY annotation_by_item
          WHERE user_id = :user AND item_id = :item",
    )?;
    let mut rows = statement.query(named_params! { ":user": user, ":item": item })?;
    let mut existing = Existing::default();
    while let Some(row) = rows.next()? {
        existing.annotations += 1;
        existing.bytes += usize::try_from(row.get::<_, i64>(4)?).unwrap_or(0);
        if row.get(3)? {
            existing
                .keys
                .insert((row.get(0)?, row.get(1)?, row.get(2)?));
        }
    }
    Ok(existing)
}

fn insert(
    tx: &Transaction<'_>,
    (user, item): (UserId, ItemId),
    (file, position, note): (FileId, i64, &Option<String>),
    at: Timestamp,
) -> StoreResult<i64> {
    tx.prepare_cached(
        "INSERT INTO annotation (user_id, item_id, file_id, type, position, note, created_at)
         VALUES (:user, :item, :file, 'bookmark', :position, :note, :at)",
    )?
    .execute(named_params! {
        ":user": user,
        ":item": item,
        ":file": file,
        ":position": position,
        ":note": note,
        ":at": at,
    })?;
    Ok(tx.last_insert_rowid())
}

/// Deletes an imported bookmark. Returns `false` if it was changed or deleted since.
pub(in crate::storage::store::catalogue::batch) fn restore(
    tx: &Transaction<'_>,
    user: UserId,
    change: &Change,
) -> StoreResult<bool> {
    let Some(Some(inserted)) = parse::<Option<Inserted>>(&change.new) else {
        return Ok(false);
    };
    let deleted = tx
        .prepare_cached(
            "DELETE FROM annotation
              WHERE id = :id AND user_id = :user AND position = :position AND note IS :note",
        )?
        .execute(named_params! {
            ":id": inserted.id,
            ":user": user,
            ":position": inserted.position,
            ":note": inserted.note,
        })?;
    Ok(deleted > 0)
}
