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
    fn heir(&self, tx: &Transaction<'_>, item: ItemId) -> StoreResult<Option<ItemId>> {
        let Some(votes) = self.0.get(&item) else {
            return Ok(None);
        };
        let mut by_votes: Vec<(&ItemId, &u32)> = votes.iter().collect();
        by_votes.sort_by_key(|(item, votes)| (std::cmp::Reverse(**votes), **item));
        for (heir, _) in by_votes {
            if *heir != item && catalogue::get_unscoped(tx, *heir)?.is_some() {
                return Ok(Some(*heir));
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
        let Some(heir) = self.heir(tx, item)? else {
            return Ok(None);
        };
        if file::any_present(tx, item)? {
            return Ok(None);
        }
        file::hand_over(tx, item, heir)?;
        user_state::merge(tx, item, heir)?;
        search::remove(tx, &[item])?;
        catalogue::delete(tx, item)?;
        Ok(Some(heir))
    }
}

impl Apply<'_, '_> {
    pub(super) fn merge_emptied(&mut self) -> StoreResult<()> {
        for item in std::mem::take(&mut self.left) {
            if self.comes_back(item)? {
                continue;
            }
            let Some(heir) = self.done.ledger.departures.merge(self.tx, item)? else {
                continue;
            };
            for set in [
                &mut self.touched,
                &mut self.probed,
                &mut self.regrouped,
                &mut self.reworded,
                &mut self.created,
                &mut self.refaced,
            ] {
                set.remove(&item);
            }
            // The heir may have received a stronger title and missing files.
            for set in [&mut self.touched, &mut self.regrouped, &mut self.reworded] {
                set.insert(heir);
            }
        }
        Ok(())
    }

    /// Returns `true` if a file that is stored as missing exists on the disk. The scan is about to
    /// restore it.
    fn comes_back(&self, item: ItemId) -> StoreResult<bool> {
        for (file, folder) in file::of_item_unscoped(self.tx, item)? {
            if !file.missing || path::is_parked(&file.name) {
                continue;
            }
            let look = self.context.disk.look(&path::join(&folder, &file.name));
            if !look.is_err_and(|error| identity::is_gone(&error)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
