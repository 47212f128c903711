//! How much goes into one bulk write: each durable write waits for the one that is under way.

use std::time::Duration;

use super::Db;

/// How long a bulk write is to take where nobody writes beside it.
const ALONE: Duration = Duration::from_millis(100);
/// How long, the commit included, where somebody does.
const IN_COMPANY: Duration = Duration::from_millis(4);
/// So few rows are always worth a write.
const LEAST: usize = 2;
/// What the first write has, of which nothing is known yet.
const FIRST: usize = 24;

/// How many rows the next write of a long row of alike ones is to have.
#[derive(Debug, Clone, Copy)]
pub struct Portion {
    rows: usize,
    most: usize,
}

impl Portion {
    /// Never more than `most` rows.
    pub fn of_at_most(most: usize) -> Self {
        let rows = FIRST.min(most);
        Self { rows, most }
    }

    /// How many rows the next write is to have.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// After a write of so many rows: half way to what would have taken as long as it is to.
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
    fn writes_come_to_take_as_long_as_they_are_to() {
        let mut portion = Portion::of_at_most(500);
        let took = |rows: usize| Duration::from_micros(1000 + 1500 * rows as u64);
        for target in [ALONE, IN_COMPANY] {
            for _ in 0..20 {
                portion.rows = portion.after(took(portion.rows), target);
            }
            let took = took(portion.rows());
            assert!(took > target / 2 && took < target * 3 / 2, "{took:?}");
        }
    }

    #[test]
    fn there_is_always_something_and_never_too_much() {
        for most in [1, 500] {
            let mut portion = Portion::of_at_most(most);
            for _ in 0..20 {
                portion.rows = portion.after(Duration::from_secs(9), IN_COMPANY);
            }
            assert_eq!(portion.rows(), LEAST.min(most));
            for _ in 0..20 {
                portion.rows = portion.after(Duration::ZERO, ALONE);
            }
            assert_eq!(portion.rows(), most);
        }
    }
}
