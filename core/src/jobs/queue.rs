//! The handle on the queue: putting jobs in, waking workers, cancelling what runs.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::id::JobId;

/// Shared by whoever queues jobs and by the workers.
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
    /// Counts the calls of [`JobQueue::wake`], so that none between a look and a wait is lost.
    wakes: u64,
    /// Each running job with its kind, and a flag that is raised to cancel it.
    running: HashMap<JobId, (String, Arc<AtomicBool>)>,
    /// Work that only one job does at a time, and whether it was asked for again meanwhile.
    turns: HashMap<&'static str, bool>,
}

impl fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobQueue")
    }
}

impl JobQueue {
    /// Tells the workers that something was queued; call it after the commit.
    pub fn wake(&self) {
        self.state().wakes += 1;
        self.shared.wake.notify_all();
    }

    /// Asks a running job to stop; `false` if no worker of this process runs it.
    pub fn cancel(&self, id: JobId) -> bool {
        let state = self.state();
        state
            .running
            .get(&id)
            .map(|(_, flag)| flag.store(true, Ordering::Release))
            .is_some()
    }

    /// Whether a worker of this process runs the job.
    pub fn is_running(&self, id: JobId) -> bool {
        self.state().running.contains_key(&id)
    }

    /// Asks every worker to put back what it does and to end.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.wake();
    }

    /// Whether the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Acquire)
    }

    /// The number of wakes so far, to hand to [`JobQueue::wait`].
    pub(crate) fn wakes(&self) -> u64 {
        self.state().wakes
    }

    /// Waits until something is queued after `seen`, or for `patience`.
    pub(crate) fn wait(&self, seen: u64, patience: Duration) {
        let state = self.state();
        let unwoken = |state: &mut State| state.wakes == seen && !self.is_stopping();
        drop(
            self.shared
                .wake
                .wait_timeout_while(state, patience, unwoken)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    pub(crate) fn begin(&self, id: JobId, kind: &str) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        let running = (kind.to_owned(), flag.clone());
        self.state().running.insert(id, running);
        flag
    }

    /// How many jobs of a kind run.
    pub(crate) fn count(&self, kind: &str) -> usize {
        let state = self.state();
        let kinds = state.running.values().map(|(kind, _)| kind);
        kinds.filter(|running| *running == kind).count()
    }

    /// Whether no job runs.
    pub(super) fn is_idle(&self) -> bool {
        self.state().running.is_empty()
    }

    pub(super) fn end(&self, id: JobId) {
        self.state().running.remove(&id);
    }

    /// The right to do work that only one job does at a time. `None` while another has it, which is
    /// told to look again before it ends.
    pub fn take_turn(&self, work: &'static str) -> Option<Turn> {
        let mut state = self.state();
        if let Some(is_asked_again) = state.turns.get_mut(work) {
            *is_asked_again = true;
            return None;
        }
        state.turns.insert(work, false);
        Some(Turn {
            queue: self.clone(),
            work,
            is_over: false,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A map and a counter: no panic can leave them half written.
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to do some work alone, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    queue: JobQueue,
    work: &'static str,
    is_over: bool,
}

impl Turn {
    /// Gives the turn back, unless the work was asked for meanwhile: then it is kept, to look once
    /// more.
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

impl Drop for Turn {
    fn drop(&mut self) {
        // A turn that is over may be another's by now.
        if !self.is_over {
            self.queue.state().turns.remove(self.work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_a_turn() {
        let queue = JobQueue::default();
        let turn = queue.take_turn("covers").expect("nobody has it");
        assert!(queue.take_turn("covers").is_none());
        assert!(queue.take_turn("others").is_some());
        drop(turn);
        assert!(queue.take_turn("covers").is_some());
    }

    #[test]
    fn who_was_asked_again_keeps_the_turn_to_look_once_more() {
        let queue = JobQueue::default();
        let turn = queue.take_turn("covers").expect("nobody has it");
        assert!(queue.take_turn("covers").is_none());
        let turn = turn.end().expect("asked again");
        assert!(turn.end().is_none());
        let next = queue.take_turn("covers").expect("nobody has it");
        assert!(queue.take_turn("covers").is_none());
        drop(next);
    }
}
