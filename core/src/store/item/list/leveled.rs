//! A page deep in a list, from how many of its items lie on each level of the order: what is counted
//! in memory, and only the last stretch walked in the index.

use super::chosen::{self, Chosen};
use super::{Direction, ItemId, List, StoreResult};
use crate::db::presence::View;
use crate::db::presence::levels::Levels;

/// Items that have changed since the levels were made are looked up, if they are no more.
const MOST_CHANGED: usize = 1_000;

/// How many items of the list lie on each level, and those that are on none that is known.
struct Tally<'a> {
    levels: &'a Levels,
    counts: Vec<u64>,
    changed: Vec<ItemId>,
}

impl<'a> Tally<'a> {
    fn new(levels: &'a Levels) -> Self {
        Self {
            levels,
            counts: vec![0; levels.count()],
            changed: Vec::new(),
        }
    }

    fn add(&mut self, item: ItemId) {
        match self.levels.of(item) {
            Some(level) => self.add_to(level),
            // One more than is looked up tells that there are too many.
            None if self.changed.len() <= MOST_CHANGED => self.changed.push(item),
            None => {}
        }
    }

    fn add_to(&mut self, level: usize) {
        if let Some(count) = self.counts.get_mut(level) {
            *count += 1;
        }
    }

    /// The level with the item at this offset, and how many items lie before it.
    fn level_at(&self, offset: u64) -> Option<(usize, u64)> {
        let mut before = 0;
        for (level, count) in self.counts.iter().enumerate() {
            if offset < before + count {
                return Some((level, before));
            }
            before += count;
        }
        None
    }
}

impl List<'_> {
    /// A page at this offset; `None` where levels are not known or do not tell.
    pub(super) fn by_levels(
        &self,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Option<Vec<ItemId>>> {
        let Some(view) = self.view.filter(|view| self.is_told_by(view)) else {
            return Ok(None);
        };
        let Some(levels) = view.levels(self.sort.order()) else {
            return Ok(None);
        };
        let mut tally = Tally::new(&levels);
        self.all(view, |id| tally.add(id))?;
        if tally.changed.len() > MOST_CHANGED {
            view.outdate_levels(&levels);
            return Ok(None);
        }
        let changed = std::mem::take(&mut tally.changed);
        for key in self.keys(changed.into_iter())? {
            tally.add_to(levels.of_key(&key));
        }
        // What was committed this moment may be seen in one place and not yet in the other.
        if tally.counts.iter().sum::<u64>() != total {
            return Ok(None);
        }
        // Levels ascend.
        let first = match self.direction {
            Direction::Asc => offset,
            Direction::Desc => total - offset - limit,
        };
        let Some((level, before)) = tally.level_at(first) else {
            return Ok(None);
        };
        let lowest = levels.lowest(level);
        let mut ids = self.merged(Direction::Asc, lowest, first - before, limit)?;
        if self.direction == Direction::Desc {
            ids.reverse();
        }
        Ok(Some(ids))
    }

    /// Whether memory tells what belongs to the list.
    pub(super) fn is_told_by(&self, view: &View) -> bool {
        (self.playing.is_none() || view.profiles().is_some())
            && (self.chosen.is_some() || self.filter.is_whole_arms())
    }

    /// Tells of every item of the list, in no order.
    fn all(&self, view: &View, mut tell: impl FnMut(ItemId)) -> StoreResult<()> {
        if let Some(ids) = self.chosen.and_then(Chosen::ids) {
            ids.for_each(tell);
            return Ok(());
        }
        let belongs = self.belongs(view);
        chosen::groups(self.conn, view, self.visible, self.filter)?.all(|id| {
            if belongs(id) {
                tell(id);
            }
        });
        Ok(())
    }

    /// Tells of a visible item that passes what places tell of the filter, whether it belongs.
    pub(super) fn belongs(&self, view: &View) -> impl Fn(ItemId) -> bool {
        let profile = |id| view.profiles().and_then(|profiles| profiles.of(id));
        move |id| {
            self.chosen.is_none_or(|chosen| chosen.has(id))
                && self
                    .playing
                    .is_none_or(|playing| playing.has(id, profile(id)))
        }
    }
}
