//! Batches of changes: each edit or import is one batch, and an undo restores its values.

pub mod bulk;
pub mod import;
pub mod list;
mod personal;
mod recorder;
mod restore;
mod snapshot;
mod tags;
pub mod undo;
mod value;

use std::time::Duration;

use rusqlite::{Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::store::catalogue::edit::{self, Edit};
use crate::time::Timestamp;

pub use recorder::{Action, NewBatch, Recorded, Recorder};
pub use value::{Change, ChangedField};

/// Time after which a batch is deleted.
pub const RETENTION: Duration = Duration::from_hours(24 * 90);

/// Fields of a bulk edit that change a user's own data. All other fields are shared.
pub const OWN_FIELDS: [&str; 5] = ["favourite", "finished", "rating", "tags_add", "tags_remove"];

/// Edits one item, as a batch of its own. Returns `false` if the item is absent.
pub fn edit_item(
    tx: &Transaction<'_>,
    item: VisibleItem,
    edit: &Edit,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(before) = snapshot::read(tx, item.id())? else {
        return Ok(false);
    };
    if !edit::apply(tx, item, edit)? {
        return Ok(false);
    }
    let after = snapshot::read(tx, item.id())?;
    let changes = after.map(|after| before.changes(&after));
    let changes = changes.unwrap_or_default();
    let fields: Vec<String> = changes
        .iter()
        .map(|change| change.field.name().to_owned())
        .collect();
    let new = NewBatch {
        user: Some(item.viewer()),
        action: Action::Edit,
        fields,
        now,
    };
    let mut recorder = Recorder::new(tx, new);
    recorder.record(item, &changes)?;
    recorder.finish()?;
    Ok(true)
}

/// Number of batches that one transaction deletes: each can have values of thousands of items.
const MAX_DELETED: usize = 10;

/// Deletes some of the batches whose retention has ended. Returns their number.
pub fn delete_expired(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<usize> {
    let deleted = tx
        .prepare_cached(
            "DELETE FROM edit_batch
              WHERE id IN (SELECT id
                             FROM edit_batch
                            WHERE created_at <= :before
                            LIMIT :limit)",
        )?
        .execute(named_params! { ":before": now.minus(RETENTION), ":limit": MAX_DELETED })?;
    Ok(deleted)
}
