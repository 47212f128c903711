//! Undo of a batch: each field returns to its earlier value if it still has the value that the batch
//! wrote.

use rusqlite::{Connection, Row, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::list::{self, Viewer};
use super::recorder::Action;
use super::value::{Change, ChangedField};
use super::{import, personal, restore, snapshot, tags};
use crate::error::StoreResult;
use crate::id::{BatchId, ItemId, UserId};
use crate::store::catalogue::edit::Editing;
use crate::store::catalogue::field::Field;
use crate::time::Timestamp;

/// Numbers of items of an undo. An item with restored and with skipped fields counts twice. An
/// imported list counts as an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Undone {
    /// Number of items with restored fields.
    pub restored: u64,
    /// Number of items with fields that were changed since the batch. They keep their value.
    pub skipped: u64,
}

/// Result of a request to undo a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The batch is absent or not visible.
    Absent,
    /// Only administrators can undo the batch.
    Forbidden,
    /// Done.
    Undone(Undone),
}

/// A recorded change.
struct Recorded {
    id: i64,
    change: Change,
}

/// Restores the values of a batch in visible items. The restored rows are deleted, so that a
/// repeated undo changes nothing.
pub fn undo(
    tx: &Transaction<'_>,
    viewer: Viewer,
    batch: BatchId,
    now: Timestamp,
) -> StoreResult<Outcome> {
    let Some(found) = list::get(tx, viewer, batch, now)? else {
        return Ok(Outcome::Absent);
    };
    if found.is_shared && !viewer.is_admin {
        return Ok(Outcome::Forbidden);
    }
    let whole = found.action == Action::Import;
    let undoing = Undoing {
        tx,
        viewer,
        batch,
        whole,
        now,
    };
    let mut undone = Undone::default();
    for item in undoing.items()? {
        let (is_restored, is_skipped) = undoing.restore(item)?;
        undone.restored += u64::from(is_restored);
        undone.skipped += u64::from(is_skipped);
    }
    if undoing.whole {
        undoing.restore_lists(&mut undone)?;
    }
    tx.prepare_cached("UPDATE edit_batch SET undone_at = ifnull(undone_at, :now) WHERE id = :id")?
        .execute(named_params! { ":id": batch, ":now": now })?;
    Ok(Outcome::Undone(undone))
}

struct Undoing<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    viewer: Viewer,
    batch: BatchId,
    /// `true` for an import, whose undo includes invisible items and the data of other users.
    whole: bool,
    now: Timestamp,
}

const ITEMS: &str = "
    SELECT DISTINCT value.item_id
      FROM edit_value AS value
      JOIN item ON item.id = value.item_id
     WHERE value.batch_id = :batch
       AND (:whole OR EXISTS (SELECT 1
                                FROM library_grant AS g
                               WHERE g.user_id = :viewer AND g.library_id = item.library_id))
     ORDER BY value.item_id";

/// The last change comes first: a tag may have been removed and then added in another spelling.
const VALUES: &str = "
    SELECT id, user_id, field, old_value, new_value
      FROM edit_value
     WHERE batch_id = :batch AND item_id = :item
       AND (:whole OR user_id IS NULL OR user_id = :viewer)
     ORDER BY id DESC";

const LISTS: &str = "
    SELECT id, user_id, field, old_value, new_value
      FROM edit_value
     WHERE batch_id = :batch AND item_id IS NULL
     ORDER BY id";

impl Undoing<'_, '_> {
    /// Returns the visible items of the batch.
    fn items(&self) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.tx.prepare_cached(ITEMS)?;
        let rows = statement.query_map(
            named_params! {
                ":batch": self.batch,
                ":viewer": self.viewer.visible.user(),
                ":whole": self.whole,
            },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn values(&self, item: ItemId) -> StoreResult<Vec<Recorded>> {
        let mut statement = self.tx.prepare_cached(VALUES)?;
        let rows = statement.query_map(
            named_params! {
                ":batch": self.batch,
                ":item": item,
                ":viewer": self.viewer.visible.user(),
                ":whole": self.whole,
            },
            recorded,
        )?;
        let values: Vec<Option<Recorded>> = rows.collect::<Result<_, _>>()?;
        Ok(values.into_iter().flatten().collect())
    }

    /// Restores the fields of an item. Returns if a field was restored, and if one was skipped.
    fn restore(&self, item: ItemId) -> StoreResult<(bool, bool)> {
        let (mut is_restored, mut is_skipped) = (false, false);
        let values = self.values(item)?;
        let mut note = |is_done: bool| {
            is_restored |= is_done;
            is_skipped |= !is_done;
        };
        let catalogue: Vec<(Field, &Change)> = values
            .iter()
            .filter_map(|value| match value.change.field {
                ChangedField::Catalogue(field) => Some((field, &value.change)),
                _ => None,
            })
            .collect();
        for is_done in self.restore_fields(item, &catalogue)? {
            note(is_done);
        }
        for value in &values {
            if let Some(is_done) = self.restore_other(item, &value.change)? {
                note(is_done);
            }
            delete(self.tx, value.id)?;
        }
        Ok((is_restored, is_skipped))
    }

    /// Restores imported lists, which belong to no item.
    fn restore_lists(&self, undone: &mut Undone) -> StoreResult<()> {
        let mut statement = self.tx.prepare_cached(LISTS)?;
        let rows = statement.query_map(named_params! { ":batch": self.batch }, recorded)?;
        let values: Vec<Option<Recorded>> = rows.collect::<Result<_, _>>()?;
        for value in values.into_iter().flatten() {
            let (change, owner) = (&value.change, value.change.owner);
            if let (ChangedField::List, Some(user)) = (change.field, owner) {
                let is_done = import::restore_list(self.tx, user, change, self.now)?;
                undone.restored += u64::from(is_done);
                undone.skipped += u64::from(!is_done);
            }
            delete(self.tx, value.id)?;
        }
        Ok(())
    }

    fn restore_fields(&self, item: ItemId, changes: &[(Field, &Change)]) -> StoreResult<Vec<bool>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let current = snapshot::read(self.tx, item)?;
        let (Some(current), Some(mut editing)) = (current, Editing::open(self.tx, item)?) else {
            return Ok(Vec::new());
        };
        let mut done = Vec::with_capacity(changes.len());
        for (field, change) in changes {
            let is_unchanged = current.has(*field, &change.new);
            done.push(is_unchanged && restore::field(&mut editing, *field, change)?);
        }
        editing.close()?;
        Ok(done)
    }

    /// Restores a value that is not a field of the item itself.
    fn restore_other(&self, item: ItemId, change: &Change) -> StoreResult<Option<bool>> {
        let owner = change.owner;
        let is_done = match (change.field, owner) {
            (ChangedField::Tag, _) => tags::restore(self.tx, (owner, item), change)?,
            (ChangedField::Favourite, Some(user)) => {
                personal::restore_favourite(self.tx, (user, item), change)?
            }
            (ChangedField::Rating, Some(user)) => {
                personal::restore_rating(self.tx, (user, item), change)?
            }
            (ChangedField::Progress, Some(user)) => {
                personal::restore_progress(self.tx, user, change, self.now)?
            }
            (ChangedField::Views, Some(user)) => {
                import::restore_views(self.tx, (user, item), change)?
            }
            (ChangedField::Bookmark, Some(user)) => {
                import::restore_bookmark(self.tx, user, change)?
            }
            (ChangedField::Save, Some(user)) => {
                import::restore_save(self.tx, (user, item), change)?
            }
            (ChangedField::Session, Some(user)) => import::restore_session(self.tx, user, change)?,
            _ => return Ok(None),
        };
        Ok(Some(is_done))
    }
}

/// Reads a change. Returns `None` for a field of a later version.
fn recorded(row: &Row<'_>) -> rusqlite::Result<Option<Recorded>> {
    let field = ChangedField::parse(row.get_ref(2)?.as_str()?);
    let value = |text: &str| serde_json::from_str(text).unwrap_or_default();
    let (old, new) = (
        value(row.get_ref(3)?.as_str()?),
        value(row.get_ref(4)?.as_str()?),
    );
    let (id, owner) = (row.get(0)?, row.get::<_, Option<UserId>>(1)?);
    Ok(field.map(|field| Recorded {
        id,
        change: Change {
            owner,
            field,
            old,
            new,
        },
    }))
}

fn delete(conn: &Connection, id: i64) -> StoreResult<()> {
    conn.prepare_cached("DELETE FROM edit_value WHERE id = :id")?
        .execute(named_params! { ":id": id })?;
    Ok(())
}
