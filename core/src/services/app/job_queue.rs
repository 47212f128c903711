//! Handle to the job queue: it wakes workers, cancels running jobs and tracks them.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::id::JobId;

/// In-memory state of the queue, shared by the code that enqueues jobs and by the workers.
#[derive(Clone, Default)]
pub struct JobQueue {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    stopping: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Count of calls of [`JobQueue::wake`]. It prevents a lost wake-up between a read and a wait.
    wakes: u64,
    /// Running jobs with their kind and a flag that requests cancellation.
    running: HashMap<JobId, (String, Arc<AtomicBool>)>,
    /// Work that only one job does at a time. The value is `true` if it was requested again
    /// meanwhile.
    turns: HashMap<&'static str, bool>,
}

impl fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobQueue")
    }
}

impl JobQueue {
    /// Wakes the workers after a job was queued. Call it after the commit.
    pub fn wake(&self) {
        self.state().wakes += 1;
        self.shared.wake.notify_all();
    }

    /// Requests cancellation of a running job. Returns `false` if no worker of this process runs
    /// it.
    pub fn cancel(&self, id: JobId) -> bool {
        let state = self.state();
        state
            .running
            .get(&id)
            .map(|(_, flag)| flag.store(true, Ordering::Release))
            .is_some()
    }

    /// Returns `true` if a worker of this process runs the job.
    pub fn is_running(&self, id: JobId) -> bool {
        self.state().running.contains_key(&id)
    }

    /// Requests every worker to put its job back and to end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.wake();
    }

    /// Returns `true` if the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Acquire)
    }

    /// Returns the number of wakes so far, for [`JobQueue::wait`].
    pub(crate) fn wakes(&self) -> u64 {
        self.state().wakes
    }

    /// Waits until a wake after `seen`, a stop, or the timeout `max_wait`.
    pub(crate) fn wait(&self, seen: u64, max_wait: Duration) {
        let state = self.state();
        let unwoken = |state: &mut State| state.wakes == seen && !self.is_stopping();
        drop(
            self.shared
                .wake
                .wait_timeout_while(state, max_wait, unwoken)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    pub(crate) fn begin(&self, id: JobId, kind: &str) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        let running = (kind.to_owned(), flag.clone());
        self.state().running.insert(id, running);
        flag
    }

    /// Returns the number of running jobs of a kind.
    pub(crate) fn count(&self, kind: &str) -> usize {
        let state = self.state();
        let kinds = state.running.values().map(|(kind, _)| kind);
        kinds.filter(|running| *running == kind).count()
    }

    pub(crate) fn end(&self, id: JobId) {
        self.state().running.remove(&id);
    }

    /// Returns the exclusive right to do `work`. If another job has it, returns `None` and makes
    /// that job repeat the work before it ends.
    pub fn take_turn(&self, work: &'static str) -> Option<WorkPermit> {
        let mut state = self.state();
        if let Some(is_asked_again) = state.turns.get_mut(work) {
            *is_asked_again = true;
            return None;
        }
        state.turns.insert(work, false);
        Some(WorkPermit {
            queue: self.clone(),
            work,
            is_over: false,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The mutex protects maps and a counter, so a panic cannot leave them inconsistent.
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exclusive right to do some work, until it is dropped.
#[derive(Debug)]
pub struct WorkPermit {
    queue: JobQueue,
    work: &'static str,
    is_over: bool,
}

impl WorkPermit {
    /// Releases the right. If the work was requested meanwhile, returns the right again for another
    /// pass.
    #[must_use]
    pub fn end(mut self) -> Option<Self> {
        let mut state = self.queue.state();
        if let Some(is_asked_again @ true) = state.turns.get_mut(self.work) {
            *is_asked_again = false;
            drop(state);
            return Some(self);
        }
        state.turns.remove(self.work);
        drop(state);
        self.is_over = true;
        None
    }
}

impl Drop for WorkPermit {
    fn drop(&mut self) {
        // After its end, another job may hold the right already.
        if !self.is_over {
            self.queue.state().turns.remove(self.work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turn_is_held_by_one_job_at_a_time() {
        let queue = JobQueue::default();
        let turn = queue.take_turn("covers").expect("a free turn");
        assert!(queue.take_turn("covers").is_none());
        assert!(queue.take_turn("others").is_some());
        drop(turn);
        assert!(queue.take_turn("covers").is_some());
    }

    #[test]
    fn turn_requested_meanwhile_is_kept_for_another_pass() {
        let queue = JobQueue::default();
        let turn = queue.take_turn("covers").expect("a free turn");
        assert!(queue.take_turn("covers").is_none());
        let turn = turn.end().expect("asked again");
        assert!(turn.end().is_none());
        let next = queue.take_turn("covers").expect("a free turn");
        assert!(queue.take_turn("covers").is_none());
        drop(next);
    }
}
