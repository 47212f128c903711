//! Positions between two entries.

/// Distance of the positions of neighbours after a renumbering. It leaves room for the longest list
/// between any two entries, and for twenty insertions at the same place before the next renumbering.
pub(super) const STEP: i64 = 1 << 20;

/// Free positions between two neighbours; `None` for the beginning and the end of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(super) before: Option<i64>,
    pub(super) after: Option<i64>,
}

impl Gap {
    /// Returns `count` ascending positions, or `None` if the gap has no room for them.
    pub(crate) fn positions(self, count: usize) -> Option<Vec<i64>> {
        let count = i64::try_from(count).ok()?;
        let (first, step) = match (self.before, self.after) {
            (None, None) => (STEP, STEP),
            (Some(before), None) => (before.checked_add(STEP)?, STEP),
            (None, Some(after)) => (after.checked_sub(STEP.checked_mul(count)?)?, STEP),
            (Some(before), Some(after)) => {
                let step = after.checked_sub(before)? / (count + 1);
                (before + step, step)
            }
        };
        if step == 0 && count > 0 {
            return None;
        }
        first.checked_add(step.checked_mul(count)?)?;
        Some((0..count).map(|n| first + n * step).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(before: Option<i64>, after: Option<i64>, count: usize) -> Option<Vec<i64>> {
        Gap { before, after }.positions(count)
    }

    #[test]
    fn positions_are_ascending_between_neighbours() {
        for (before, after) in [
            (None, None),
            (Some(7), None),
            (None, Some(-7)),
            (Some(-3), Some(8)),
            (Some(0), Some(STEP)),
        ] {
            let found = positions(before, after, 10).expect("positions");
            assert_eq!(found.len(), 10);
            let all: Vec<i64> = before.into_iter().chain(found).chain(after).collect();
            assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        }
    }

    #[test]
    fn full_gap_has_no_positions() {
        assert_eq!(positions(Some(1), Some(2), 1), None);
        assert_eq!(positions(Some(1), Some(11), 10), None);
        assert_eq!(positions(Some(1), Some(2), 0), Some(vec![]));
        assert_eq!(positions(Some(i64::MAX - 1), None, 1), None);
        assert_eq!(positions(None, Some(i64::MIN + 1), 1), None);
    }
}
