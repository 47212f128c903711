//! Pages of a list in random order.

use super::id_filter::IdFilter;
use super::shuffle::Shuffle;
use super::{Direction, ItemId, List, StoreResult};

impl List<'_> {
    /// Returns a page of the shuffle. It selects the page from the ids of the list if they are
    /// known, and otherwise walks the positions of the shuffle from the nearer end.
    pub(super) fn shuffled(&self, total: u64, offset: u64, limit: u64) -> StoreResult<Vec<ItemId>> {
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let shuffle = Shuffle::new(max, self.order.seed);
        let reversed = self.order.direction == Direction::Desc;
        if let Some(ids) = self.id_filter.and_then(IdFilter::ids) {
            let ids = ids.descending().collect();
            return Ok(cut(ids, shuffle, reversed, offset, limit));
        }
        let behind = total - offset - limit;
        let from_behind = behind < offset;
        let first = if from_behind { behind } else { offset };
        let page = |positions: &mut dyn Iterator<Item = u64>| {
            let ids = positions.filter_map(|position| i64::try_from(shuffle.id(position)).ok());
            let ids = ids.map(ItemId).filter(|id| self.has(*id));
            let skipped = usize::try_from(first).unwrap_or(usize::MAX);
            ids.skip(skipped)
                .take(usize::try_from(limit).unwrap_or(0))
                .collect::<Vec<_>>()
        };
        let mut ids = if from_behind == reversed {
            page(&mut (0..shuffle.len()))
        } else {
            page(&mut (0..shuffle.len()).rev())
        };
        if from_behind {
            ids.reverse();
        }
        Ok(ids)
    }

    /// Returns `true` if the item belongs to the list.
    pub(super) fn has(&self, id: ItemId) -> bool {
        self.membership.has(id) && self.id_filter.is_none_or(|filter| filter.has(id))
    }
}

/// Returns the page by partial sorting of all ids.
fn cut(
    mut ids: Vec<ItemId>,
    shuffle: Shuffle,
    reversed: bool,
    offset: u64,
    limit: u64,
) -> Vec<ItemId> {
    let place = |id: &ItemId| {
        let place = shuffle.place(u64::try_from(id.0).unwrap_or(0));
        if reversed { u64::MAX - place } else { place }
    };
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(ids.len());
    let end = start
        .saturating_add(usize::try_from(limit).unwrap_or(0))
        .min(ids.len());
    if start > 0 && start < ids.len() {
        ids.select_nth_unstable_by_key(start, place);
    }
    let mut rest = ids.split_off(start);
    if end - start < rest.len() {
        rest.select_nth_unstable_by_key(end - start, place);
        rest.truncate(end - start);
    }
    rest.sort_unstable_by_key(place);
    rest
}
