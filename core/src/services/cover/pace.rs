//! Throttle for cover work while a library is scanned.

use std::time::{Duration, Instant};

use crate::app::JobQueue;
use crate::job_kind;
use crate::process::available_parallelism;

/// Maximum number of cores at which cover work is throttled, because a scan can use all of them.
/// Even a thread of low priority shares caches with the others.
const FEW_CORES: usize = 4;
/// Minimum work time before a pause. The pause is [`REST`] times as long as the work.
const TURN: Duration = Duration::from_millis(100);
const REST: u32 = 3;
/// Maximum pause, even if one cover took much longer.
const MAX_REST: Duration = Duration::from_secs(1);

/// Time of the last pause.
#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    has_few_cores: bool,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            has_few_cores: available_parallelism() <= FEW_CORES,
        }
    }

    /// Pauses from time to time while a library is scanned.
    pub(super) fn rest(&mut self, jobs: &JobQueue) {
        let worked = self.since.elapsed();
        // The check is not made after every item, because it locks the job queue.
        if worked < TURN {
            return;
        }
        if let Some(rest) = self.due(worked, jobs.count(job_kind::SCAN) > 0) {
            jobs.wait(jobs.wakes(), rest);
        }
        self.since = Instant::now();
    }

    /// Returns the length of the pause after this work time, if one is due.
    fn due(&self, worked: Duration, is_scanning: bool) -> Option<Duration> {
        (self.has_few_cores && is_scanning).then(|| (worked * REST).min(MAX_REST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_pause_briefly_during_scans_on_few_cores_only() {
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
    fn pause_ends_when_server_stops() {
        let jobs = JobQueue::default();
        let _scan = jobs.begin(crate::id::JobId(1), job_kind::SCAN);
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
