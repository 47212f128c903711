//! How much of the machine covers take while a library is scanned.

use std::time::{Duration, Instant};

use crate::cores;
use crate::jobs::JobQueue;
use crate::scan;

/// Where there are no more cores than that, a scan has use for all of them. Even a thread that takes
/// only what nobody else wants shares caches, and often more, with those beside it.
const FEW_CORES: usize = 4;
/// Covers are looked for so long before a rest, and the rest is so many times as long.
const TURN: Duration = Duration::from_millis(100);
const REST: u32 = 3;
/// Also where one cover took much longer.
const MAX_REST: Duration = Duration::from_secs(1);

/// When there was a rest last.
#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    has_few_cores: bool,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            has_few_cores: cores() <= FEW_CORES,
        }
    }

    /// Waits a while now and then where a library is scanned.
    pub(super) fn rest(&mut self, jobs: &JobQueue) {
        let worked = self.since.elapsed();
        // Not asked after every item: others wait for the queue, too.
        if worked < TURN {
            return;
        }
        if let Some(rest) = self.due(worked, jobs.count(scan::HANDLER_KIND) > 0) {
            jobs.wait(jobs.wakes(), rest);
        }
        self.since = Instant::now();
    }

    /// How long to rest after so much work, if at all.
    fn due(&self, worked: Duration, is_scanning: bool) -> Option<Duration> {
        (self.has_few_cores && is_scanning).then(|| (worked * REST).min(MAX_REST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_rest_only_beside_scans_on_few_cores_and_never_for_long() {
        let pace = |has_few_cores| Pace {
            since: Instant::now(),
            has_few_cores,
        };
        let few = pace(true);
        assert_eq!(few.due(TURN, true), Some(TURN * REST));
        assert_eq!(few.due(TURN * 100, true), Some(MAX_REST));
        assert_eq!(few.due(TURN, false), None);
        assert_eq!(pace(false).due(TURN, true), None);
    }

    #[test]
    fn a_rest_ends_with_the_server() {
        let jobs = JobQueue::default();
        let _scan = jobs.begin(crate::id::JobId(1), scan::HANDLER_KIND);
        jobs.stop();
        let begin = Instant::now();
        let mut pace = Pace {
            since: begin.checked_sub(TURN * 10).expect("a time before now"),
            has_few_cores: true,
        };
        pace.rest(&jobs);
        assert!(begin.elapsed() < MAX_REST);
    }
}
