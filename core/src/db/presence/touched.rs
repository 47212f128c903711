//! Which items a transaction changed, as SQLite itself tells it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

/// Ranges kept apart; more become one from the lowest to the highest id.
const MOST: usize = 4096;

/// Ranges of ids of changed rows.
#[derive(Debug, Clone, Default)]
pub(in crate::db) struct Touched {
    ranges: Vec<(i64, i64)>,
}

impl Touched {
    #[cfg(test)]
    pub(super) fn of(ids: impl Iterator<Item = crate::id::ItemId>) -> Self {
        let mut touched = Self::default();
        ids.for_each(|id| touched.add(id.0));
        touched
    }

    fn add(&mut self, id: i64) {
        if let Some((first, last)) = self.ranges.last_mut() {
            if (*first..=*last).contains(&id) {
                return;
            }
            if *last + 1 == id {
                *last = id;
                return;
            }
        }
        if self.ranges.len() == MOST {
            let low = self.ranges.iter().map(|range| range.0).min();
            let high = self.ranges.iter().map(|range| range.1).max();
            self.ranges = low.zip(high).into_iter().collect();
            self.add(id);
            return;
        }
        self.ranges.push((id, id));
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.ranges.iter().copied()
    }
}

/// Collects what is touched on one connection.
#[derive(Debug, Clone, Default)]
pub(in crate::db) struct Watch {
    touched: Arc<Mutex<Touched>>,
}

impl Watch {
    /// Watches the connection's changes of items, those by foreign keys and triggers included.
    pub(in crate::db) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let watch = Self::default();
        let own = watch.clone();
        connection.update_hook(Some(move |_, _: &str, table: &str, id| {
            if table == "item" {
                own.lock().add(id);
            }
        }))?;
        Ok(watch)
    }

    /// What was touched so far, while more may come.
    pub(in crate::db) fn so_far(&self) -> Touched {
        self.lock().clone()
    }

    /// What was touched since the last time.
    pub(in crate::db) fn take(&self) -> Touched {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Touched> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        let mut touched = Touched::default();
        (5..900_000).for_each(|id| touched.add(id));
        touched.add(7);
        touched.add(2);
        assert_eq!(touched.ranges().collect::<Vec<_>>(), [(5, 899_999), (2, 2)]);
    }

    #[test]
    fn memory_is_bounded_and_every_id_is_covered() {
        let mut touched = Touched::default();
        let ids = || (0..100_000).map(|n| n * 7919 % 1_000_003);
        ids().for_each(|id| touched.add(id));
        let ranges: Vec<_> = touched.ranges().collect();
        assert!(ranges.len() <= MOST);
        for id in ids().step_by(997) {
            assert!(
                ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&id))
            );
        }
    }
}
