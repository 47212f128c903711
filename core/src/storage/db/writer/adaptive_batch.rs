//! Adaptive size of bulk writes, because each durable write waits for the current bulk write.

use std::time::Duration;

use crate::db::Db;

/// Target duration of a bulk write while no user writes.
const ALONE: Duration = Duration::from_millis(100);
/// Target duration, including the commit, while users write.
const IN_COMPANY: Duration = Duration::from_millis(4);
/// Minimum number of rows.
const LEAST: usize = 2;
/// Number of rows of the first write, before anything is measured.
const FIRST: usize = 24;

/// Number of rows for the next of many similar writes.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveBatch {
    rows: usize,
    most: usize,
}

impl AdaptiveBatch {
    /// Creates a size that never exceeds `most` rows.
    pub fn of_at_most(most: usize) -> Self {
        let rows = FIRST.min(most);
        Self { rows, most }
    }

    /// Returns the number of rows for the next write.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Adapts the size after a write: to the midpoint between the current size and the size that
    /// would have met the target duration.
    pub fn learn(&mut self, db: &Db) {
        let target = if db.is_in_use() { IN_COMPANY } else { ALONE };
        self.rows = self.after(db.last_bulk(), target);
    }

    fn after(self, took: Duration, target: Duration) -> usize {
        let micros = |time: Duration| usize::try_from(time.as_micros()).unwrap_or(usize::MAX);
        let fits = self.rows.saturating_mul(micros(target)) / micros(took).max(1);
        self.rows
            .midpoint(fits)
            .clamp(LEAST.min(self.most), self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_converges_to_target_duration() {
        let mut batch = AdaptiveBatch::of_at_most(500);
        let took = |rows: usize| Duration::from_micros(1000 + 1500 * rows as u64);
        for target in [ALONE, IN_COMPANY] {
            for _ in 0..20 {
                batch.rows = batch.after(took(batch.rows), target);
            }
            let took = took(batch.rows());
            assert!(took > target / 2 && took < target * 3 / 2, "{took:?}");
        }
    }

    #[test]
    fn size_stays_within_bounds() {
        for most in [1, 500] {
            let mut batch = AdaptiveBatch::of_at_most(most);
            for _ in 0..20 {
                batch.rows = batch.after(Duration::from_secs(9), IN_COMPANY);
            }
            assert_eq!(batch.rows(), LEAST.min(most));
            for _ in 0..20 {
                batch.rows = batch.after(Duration::ZERO, ALONE);
            }
            assert_eq!(batch.rows(), most);
        }
    }
}
