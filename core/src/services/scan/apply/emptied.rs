//! Items without remaining files: their user data moves to the item that received the files.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Transaction;

use super::Apply;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::scan::identity;
use crate::store::account::user_state;
use crate::store::{catalogue, file};
use crate::{path, search};

/// Number of files that moved from each item to each other item in this run.
#[derive(Debug, Clone, Default)]
pub(in crate::services::scan) struct Departures(HashMap<ItemId, BTreeMap<ItemId, u32>>);

impl Departures {
    pub(super) fn note(&mut self, from: ItemId, to: ItemId) {
        let votes = self.0.entry(from).or_default();
        *votes.entry(to).or_default() += 1;
    }

    /// Returns the item that received most of the files. In a tie, this is the oldest item.
    fn successor(&self, tx: &Transaction<'_>, item: ItemId) -> StoreResult<Option<ItemId>> {
        let Some(votes) = self.0.get(&item) else {
            return Ok(None);
        };
        let mut by_votes: Vec<(&ItemId, &u32)> = votes.iter().collect();
        by_votes.sort_by_key(|(item, votes)| (std::cmp::Reverse(**votes), **item));
        for (successor, _) in by_votes {
            if *successor != item && catalogue::get_unscoped(tx, *successor)?.is_some() {
                return Ok(Some(*successor));
            }
        }
        Ok(None)
    }

    /// Merges an item without present files into the item that received its files, and returns that
    /// item. The rows of its missing files move too. Returns `None` if files of the item are
    /// present, or if none of its files moved: an item whose files merely disappeared stays
    /// unchanged.
    pub(in crate::services::scan) fn merge(
        &self,
        tx: &Transaction<'_>,
        item: ItemId,
    ) -> StoreResult<Option<ItemId>> {
        let Some(successor) = self.successor(tx, item)? else {
            return Ok(None);
        };
        if file::any_present(tx, item)? {
            return Ok(None);
        }
        file::move_to_item(tx, item, successor)?;
        user_state::merge(tx, item, successor)?;
        search::remove(tx, &[item])?;
        catalogue::delete(tx, item)?;
        Ok(Some(successor))
    }
}

impl Apply<'_, '_> {
    pub(super) fn merge_emptied(&mut self) -> StoreResult<()> {
        for item in std::mem::take(&mut self.left) {
            if self.reappears(item)? {
                continue;
            }
            let Some(successor) = self.done.move_tracker.departures.merge(self.tx, item)? else {
                continue;
            };
            for set in [
                &mut self.touched,
                &mut self.probed,
                &mut self.resized,
                &mut self.regrouped,
                &mut self.text_changed,
                &mut self.created,
                &mut self.cover_changed,
            ] {
                set.remove(&item);
            }
            // The heir may have received a stronger title and missing files.
            for set in [
                &mut self.touched,
                &mut self.regrouped,
                &mut self.text_changed,
            ] {
                set.insert(successor);
            }
        }
        Ok(())
    }

    /// Returns `true` if a file that is stored as missing exists on the disk. The scan is about to
    /// restore it.
    fn reappears(&self, item: ItemId) -> StoreResult<bool> {
        for (file, folder) in file::of_item_unscoped(self.tx, item)? {
            if !file.missing || path::is_tombstone(&file.name) {
                continue;
            }
            let stat = self.context.disk.stat(&path::join(&folder, &file.name));
            if !stat.is_err_and(|error| identity::is_gone(&error)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
