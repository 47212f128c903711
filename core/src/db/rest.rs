//! When the database's threads give back the memory of their pages: once nobody has asked for
//! anything for a while. Whoever comes next finds those pages with the system, or on the disk.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When somebody asked for something, and what was done since.
#[derive(Debug)]
pub(super) struct Rest {
    start: Instant,
    /// Milliseconds after the start.
    asked: AtomicU64,
    done: Mutex<Done>,
}

#[derive(Debug)]
struct Done {
    /// The last time that somebody had asked when the threads were told to rest.
    asked: u64,
    /// Whether what they free is still to be returned.
    is_due: bool,
}

/// What there is to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    /// The threads are to free their pages.
    Free,
    /// What was free can be returned to the system.
    Return,
}

impl Default for Rest {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            asked: AtomicU64::new(0),
            done: Mutex::new(Done {
                asked: 0,
                is_due: false,
            }),
        }
    }
}

impl Rest {
    fn now(&self) -> u64 {
        let millis = u64::try_from(self.start.elapsed().as_millis());
        millis.unwrap_or(u64::MAX).max(1)
    }

    /// Somebody asks for something.
    pub(super) fn note(&self) {
        let now = self.now();
        // Looked at first: written each time, it would travel between the cores.
        if self.asked.load(Ordering::Relaxed) != now {
            self.asked.store(now, Ordering::Relaxed);
        }
    }

    /// The next step where nobody has asked for anything for so long; each comes once.
    pub(super) fn step(&self, idle: Duration) -> Step {
        let asked = self.asked.load(Ordering::Relaxed);
        if Duration::from_millis(self.now().saturating_sub(asked)) < idle {
            return Step::Nothing;
        }
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.asked != asked {
            *done = Done {
                asked,
                is_due: true,
            };
            Step::Free
        } else if done.is_due {
            done.is_due = false;
            Step::Return
        } else {
            Step::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_comes_once_after_somebody_asked() {
        let rest = Rest::default();
        assert_eq!(rest.step(Duration::ZERO), Step::Nothing, "nobody asked");
        rest.note();
        assert_eq!(rest.step(Duration::from_hours(1)), Step::Nothing);
        for step in [Step::Free, Step::Return, Step::Nothing, Step::Nothing] {
            assert_eq!(rest.step(Duration::ZERO), step);
        }
        while rest.now() == rest.asked.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        rest.note();
        assert_eq!(rest.step(Duration::ZERO), Step::Free);
        while rest.now() == rest.asked.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        rest.note();
        assert_eq!(rest.step(Duration::ZERO), Step::Free, "asked in between");
        assert_eq!(rest.step(Duration::ZERO), Step::Return);
    }
}
