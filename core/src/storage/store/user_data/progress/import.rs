//! Progress of another program. It is applied only if it is newer than the stored progress.

use rusqlite::Transaction;

use super::mark::{Marked, SavedPlace, item_of};
use super::save::{is_credible, stored, write};
use super::summary;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::time::Timestamp;

/// Comparison of imported progress with the stored progress of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The imported progress replaces the stored progress.
    Newer,
    /// The stored progress is the same.
    Same,
    /// The stored progress is of the same time or newer.
    Older,
    /// The file is gone, or belongs to another item now.
    Gone,
}

/// Import of a user's progress in one item. The caller checks that both exist.
#[derive(Debug)]
pub(crate) struct ProgressImport<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    user: UserId,
    item: ItemId,
    now: Timestamp,
    marked: Marked,
}

impl<'a, 'tx> ProgressImport<'a, 'tx> {
    pub(crate) fn new(
        tx: &'a Transaction<'tx>,
        (user, item): (UserId, ItemId),
        now: Timestamp,
    ) -> Self {
        Self {
            tx,
            user,
            item,
            now,
            marked: Marked::default(),
        }
    }

    /// Compares the progress in one file, and writes it if it is newer and `dry_run` is `false`. A
    /// position beyond the end becomes the end. A time in the future becomes the current time.
    pub(crate) fn apply(
        &mut self,
        file: FileId,
        place: &SavedPlace,
        dry_run: bool,
    ) -> StoreResult<Comparison> {
        let owner = item_of(self.tx, file)?;
        let Some((_, extent)) = owner.filter(|(item, _)| *item == self.item) else {
            return Ok(Comparison::Gone);
        };
        let fresh = self.fresh(place, extent);
        let old = stored(self.tx, self.user, file)?;
        if let Some(old) = &old {
            let is_same = SavedPlace::of(old).is_same(&fresh);
            let is_kept =
                old.updated_at >= fresh.updated_at && is_credible(old.updated_at, self.now);
            if is_same && (is_kept || place.updated_at > self.now) {
                return Ok(Comparison::Same);
            }
            if is_kept {
                return Ok(Comparison::Older);
            }
        }
        if !dry_run {
            let owner = (self.user, self.item);
            write(
                self.tx,
                owner,
                old.as_ref(),
                &fresh.at(file, extent),
                self.now,
            )?;
            self.marked
                .old
                .insert(file, old.as_ref().map(SavedPlace::of));
            self.marked.new.insert(file, Some(fresh));
        }
        Ok(Comparison::Newer)
    }

    fn fresh(&self, place: &SavedPlace, extent: Option<i64>) -> SavedPlace {
        let position = match extent {
            Some(extent) if place.finished => extent,
            Some(extent) => place.position.clamp(0, extent.max(0)),
            None => place.position.max(0),
        };
        SavedPlace {
            position,
            updated_at: place.updated_at.min(self.now),
            ..place.clone()
        }
    }

    /// Updates the summary of the item. Returns the changes, if there are any.
    pub(crate) fn finish(self) -> StoreResult<Option<Marked>> {
        if self.marked.new.is_empty() {
            return Ok(None);
        }
        summary::recompute_for(self.tx, self.user, self.item)?;
        Ok(Some(self.marked))
    }
}
