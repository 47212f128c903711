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
    /// A flag for each running job, raised to cancel it.
    running: HashMap<JobId, Arc<AtomicBool>>,
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
            .map(|flag| flag.store(true, Ordering::Release))
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
    pub(super) fn wakes(&self) -> u64 {
        self.state().wakes
    }

    /// Waits until something is queued after `seen`, or for `patience`.
    pub(super) fn wait(&self, seen: u64, patience: Duration) {
        let state = self.state();
        let unwoken = |state: &mut State| state.wakes == seen && !self.is_stopping();
        drop(
            self.shared
                .wake
                .wait_timeout_while(state, patience, unwoken)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    pub(super) fn begin(&self, id: JobId) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        self.state().running.insert(id, flag.clone());
        flag
    }

    pub(super) fn end(&self, id: JobId) {
        self.state().running.remove(&id);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A map and a counter: no panic can leave them half written.
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
