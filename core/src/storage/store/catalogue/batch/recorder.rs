//! Recording of a batch: its row, its values, and its numbers of items per library.

use std::collections::BTreeMap;

use rusqlite::{Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::OWN_FIELDS;
use super::value::Change;
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{BatchId, ItemId, LibraryId, UserId};
use crate::time::Timestamp;

/// Origin of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Edit by a user.
    Edit,
    /// Import of another program's data.
    Import,
}

impl Action {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Import => "import",
        }
    }
}

/// Properties of a new batch.
#[derive(Debug, Clone)]
pub struct NewBatch {
    /// User who made the change; `None` for the command line.
    pub user: Option<UserId>,
    /// Origin of the batch.
    pub action: Action,
    /// Names of the fields.
    pub fields: Vec<String>,
    /// Time of the change.
    pub now: Timestamp,
}

impl NewBatch {
    fn is_shared(&self) -> bool {
        let is_own = |field: &String| OWN_FIELDS.contains(&field.as_str());
        self.action == Action::Import || !self.fields.iter().all(is_own)
    }
}

/// A recorded batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recorded {
    /// Id of the batch; `None` if nothing changed.
    pub batch: Option<BatchId>,
    /// Number of changed items.
    pub changed: u64,
}

/// Numbers of changed items of a library.
#[derive(Debug, Default)]
struct Total {
    all: u64,
    shared: u64,
}

/// Writes a batch. The first change inserts its row.
#[derive(Debug)]
pub struct Recorder<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    new: NewBatch,
    batch: Option<BatchId>,
    totals: BTreeMap<LibraryId, Total>,
}

impl<'a, 'tx> Recorder<'a, 'tx> {
    /// Starts a batch without changes.
    pub fn new(tx: &'a Transaction<'tx>, new: NewBatch) -> Self {
        Self {
            tx,
            new,
            batch: None,
            totals: BTreeMap::new(),
        }
    }

    /// Continues a batch of an earlier transaction. `None` starts one.
    pub(super) fn resume(tx: &'a Transaction<'tx>, new: NewBatch, batch: Option<BatchId>) -> Self {
        Self {
            batch,
            ..Self::new(tx, new)
        }
    }

    /// Records all changes of one item. Each item is recorded at most once.
    pub fn record(&mut self, item: VisibleItem, changes: &[Change]) -> StoreResult<()> {
        self.record_unscoped((item.id(), item.library()), changes)
    }

    /// Like [`Recorder::record`], for changes that need no grant.
    pub(super) fn record_unscoped(
        &mut self,
        (item, library): (ItemId, LibraryId),
        changes: &[Change],
    ) -> StoreResult<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let batch = self.batch()?;
        for change in changes {
            insert(self.tx, batch, Some(item), change)?;
        }
        let total = self.totals.entry(library).or_default();
        total.all += 1;
        total.shared += u64::from(changes.iter().any(|change| change.owner.is_none()));
        Ok(())
    }

    /// Records a change that belongs to no item.
    pub(super) fn record_other(&mut self, change: &Change) -> StoreResult<()> {
        let batch = self.batch()?;
        insert(self.tx, batch, None, change)
    }

    /// Returns the id of the batch, and inserts its row if this is the first change.
    fn batch(&mut self) -> StoreResult<BatchId> {
        if let Some(batch) = self.batch {
            return Ok(batch);
        }
        let fields = serde_json::to_string(&self.new.fields).expect("texts are JSON");
        self.tx
            .prepare_cached(
                "INSERT INTO edit_batch (user_id, action, fields, is_shared, created_at)
                 VALUES (:user, :action, :fields, :is_shared, :now)",
            )?
            .execute(named_params! {
                ":user": self.new.user,
                ":action": self.new.action.as_str(),
                ":fields": fields,
                ":is_shared": self.new.is_shared(),
                ":now": self.new.now,
            })?;
        let batch = BatchId(self.tx.last_insert_rowid());
        self.batch = Some(batch);
        Ok(batch)
    }

    /// Writes the numbers of items.
    pub fn finish(self) -> StoreResult<Recorded> {
        let Some(batch) = self.batch else {
            return Ok(Recorded::default());
        };
        let mut insert = self.tx.prepare_cached(
            "INSERT INTO edit_batch_total (batch_id, library_id, n, n_shared)
             VALUES (:batch, :library, :n, :n_shared)
                 ON CONFLICT (batch_id, library_id)
                 DO UPDATE SET n = n + excluded.n, n_shared = n_shared + excluded.n_shared",
        )?;
        for (library, total) in &self.totals {
            insert.execute(named_params! {
                ":batch": batch,
                ":library": library,
                ":n": total.all,
                ":n_shared": total.shared,
            })?;
        }
        Ok(Recorded {
            batch: self.batch,
            changed: self.totals.values().map(|total| total.all).sum(),
        })
    }
}

fn insert(
    tx: &Transaction<'_>,
    batch: BatchId,
    item: Option<ItemId>,
    change: &Change,
) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO edit_value (batch_id, item_id, user_id, field, old_value, new_value)
         VALUES (:batch, :item, :user, :field, :old, :new)",
    )?
    .execute(named_params! {
        ":batch": batch,
        ":item": item,
        ":user": change.owner,
        ":field": change.field.name(),
        ":old": change.old.to_string(),
        ":new": change.new.to_string(),
    })?;
    Ok(())
}
