//! Items that a transaction changed, as reported by SQLite's hooks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

/// Limit of separate ranges. Beyond it, one range covers all ids from the lowest to the highest.
const MOST: usize = 4096;

/// Ranges of ids of changed rows.
#[derive(Debug, Default)]
pub(in crate::storage::db) struct ChangedRanges {
    ranges: Vec<(i64, i64)>,
}

impl ChangedRanges {
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

/// Collects the changed items of one connection.
#[derive(Debug, Clone, Default)]
pub(in crate::storage::db) struct Watch {
    changed_ranges: Arc<Mutex<ChangedRanges>>,
}

impl Watch {
    /// Observes the connection's changes of items, also those by foreign keys and triggers.
    pub(in crate::storage::db) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let watch = Self::default();
        let own = watch.clone();
        connection.update_hook(Some(move |_, _: &str, table: &str, id| {
            if table == "item" {
                own.lock().add(id);
            }
        }))?;
        Ok(watch)
    }

    /// Returns the changes since the last call.
    pub(in crate::storage::db) fn take(&self) -> ChangedRanges {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, ChangedRanges> {
        self.changed_ranges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        let mut changed_ranges = ChangedRanges::default();
        (5..900_000).for_each(|id| changed_ranges.add(id));
        changed_ranges.add(7);
        changed_ranges.add(2);
        assert_eq!(
            changed_ranges.ranges().collect::<Vec<_>>(),
            [(5, 899_999), (2, 2)]
        );
    }

    #[test]
    fn memory_is_bounded_and_every_id_is_covered() {
        let mut changed_ranges = ChangedRanges::default();
        let ids = || (0..100_000).map(|n| n * 7919 % 1_000_003);
        ids().for_each(|id| changed_ranges.add(id));
        let ranges: Vec<_> = changed_ranges.ranges().collect();
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
