//! Back-pressure by file count between scan stages. The channels between stages count folders, but
//! a single folder may contain as many files as a whole library.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::scan::run::lock;

/// Maximum number of files between stages before the next folder must wait. They take about ten
/// megabytes.
const FILES: usize = 10_000;
/// Interval at which a waiting stage checks if it must stop.
const MAX_WAIT: Duration = Duration::from_millis(100);

/// Counter of the files between stages. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileBudget {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    files: Mutex<usize>,
    changed: Condvar,
}

/// Permit for the files of one folder. Dropping it releases them.
#[derive(Debug)]
pub(crate) struct Permit {
    budget: FileBudget,
    files: usize,
}

impl FileBudget {
    /// Returns a permit if the limit is not reached. A permit may exceed the limit, so that no
    /// folder is too large.
    pub(crate) fn try_take(&self, files: usize) -> Option<Permit> {
        let mut taken = lock(&self.shared.files);
        if *taken >= FILES {
            return None;
        }
        *taken += files;
        let budget = self.clone();
        Some(Permit { budget, files })
    }

    /// Waits for a permit. Returns `None` when `should_stop` returns `true`.
    pub(crate) fn take(&self, files: usize, should_stop: impl Fn() -> bool) -> Option<Permit> {
        loop {
            if let Some(permit) = self.try_take(files) {
                return Some(permit);
            }
            if should_stop() {
                return None;
            }
            let taken = lock(&self.shared.files);
            if *taken >= FILES {
                let woken = self.shared.changed.wait_timeout(taken, MAX_WAIT);
                drop(woken.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

impl Permit {
    /// Splits a permit for some of the files off this one.
    pub(crate) fn part(&mut self, files: usize) -> Self {
        let files = files.min(self.files);
        self.files -= files;
        let budget = self.budget.clone();
        Self { budget, files }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *lock(&self.budget.shared.files) -= self.files;
        self.budget.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_folder_gets_permit_and_next_folder_waits() {
        let budget = FileBudget::default();
        let huge = budget.try_take(50 * FILES).expect("a permit");
        assert!(budget.try_take(0).is_none());
        assert!(budget.take(1, || true).is_none());
        std::thread::scope(|scope| {
            let next = scope.spawn(|| budget.take(1, || false).is_some());
            let (mut huge, half) = (huge, 25 * FILES);
            drop(huge.part(half));
            assert!(budget.try_take(0).is_none());
            drop(huge);
            assert!(next.join().expect("a thread"));
        });
        assert_eq!(*lock(&budget.shared.files), 0);
    }
}
