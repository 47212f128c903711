//! Items that their files have left: what users have about them goes where the files went.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Transaction;

use super::Apply;
use crate::id::ItemId;
use crate::scan::{identity, name};
use crate::search;
use crate::store::{StoreResult, catalogue, file, user_state};

/// Where the files of items went in this run, and how many of each.
#[derive(Debug, Clone, Default)]
pub(in crate::scan) struct Departures(HashMap<ItemId, BTreeMap<ItemId, u32>>);

impl Departures {
    pub(super) fn note(&mut self, from: ItemId, to: ItemId) {
        let votes = self.0.entry(from).or_default();
        *votes.entry(to).or_default() += 1;
    }

    /// The item that most of the files went to; the oldest of several.
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

    /// Merges an item of which nothing is present into where its files went, together with the
    /// files that it still misses; the heir. `None` where files of it are present, or where none
    /// went anywhere: what has merely vanished stays what it was.
    pub(in crate::scan) fn merge(
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
            // A stronger title may have come along, and files that are missing.
            for set in [&mut self.touched, &mut self.regrouped, &mut self.reworded] {
                set.insert(heir);
            }
        }
        Ok(())
    }

    /// Whether a file that is stored as missing is on the disk: it is about to be found.
    fn comes_back(&self, item: ItemId) -> StoreResult<bool> {
        for (file, folder) in file::of_item_unscoped(self.tx, item)? {
            if !file.missing || name::is_parked(&file.name) {
                continue;
            }
            let look = self.context.disk.look(&name::join(&folder, &file.name));
            if !look.is_err_and(|error| identity::is_gone(&error)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
