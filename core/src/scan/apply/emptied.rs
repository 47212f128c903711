//! Items that all files have left: what users have about them goes where the files went.

use super::Apply;
use crate::id::ItemId;
use crate::search;
use crate::store::{StoreResult, catalogue, user_state};

impl Apply<'_, '_> {
    pub(super) fn merge_emptied(&mut self) -> StoreResult<()> {
        for item in std::mem::take(&mut self.left) {
            if catalogue::has_files(self.tx, item)? {
                continue;
            }
            // Nowhere to go: it stays, and what users have about it.
            let Some(heir) = self.heir(item)? else {
                continue;
            };
            user_state::merge(self.tx, item, heir)?;
            search::remove(self.tx, &[item])?;
            catalogue::delete(self.tx, item)?;
            for set in [
                &mut self.touched,
                &mut self.probed,
                &mut self.regrouped,
                &mut self.reworded,
                &mut self.created,
            ] {
                set.remove(&item);
            }
            // A stronger title may have come along.
            self.reworded.insert(heir);
        }
        Ok(())
    }

    /// The item that most of the files went to; the oldest of several.
    fn heir(&self, item: ItemId) -> StoreResult<Option<ItemId>> {
        let Some(votes) = self.done.ledger.departures.get(&item) else {
            return Ok(None);
        };
        let mut by_votes: Vec<(&ItemId, &u32)> = votes.iter().collect();
        by_votes.sort_by_key(|(item, votes)| (std::cmp::Reverse(**votes), **item));
        for (heir, _) in by_votes {
            if *heir != item && catalogue::get_unscoped(self.tx, *heir)?.is_some() {
                return Ok(Some(*heir));
            }
        }
        Ok(None)
    }
}
