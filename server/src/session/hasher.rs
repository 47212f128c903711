//! Hashing off the async threads: two hashes at once, and a fair queue for the others.

mod queue;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ledge_core::http::{ApiError, ApiResult};
use tokio::sync::oneshot;

use super::password::{self, Memory};
use queue::{Full, Queue};

pub(crate) use queue::{Lane, Rank};

/// Hashes at once: each takes 19 MiB and a whole core.
const AT_ONCE: usize = 2;
/// Seconds after which a client whose lane is full may try again.
const RETRY_AFTER: u64 = 2;

/// Hashes and compares passwords; clones share the queue.
#[derive(Clone, Default)]
pub(crate) struct Hasher(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    running: usize,
    queue: Queue,
    /// Memory of earlier hashes, kept while requests wait.
    memories: Vec<Memory>,
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

/// The right to hash now; given back when it is dropped.
pub(crate) struct Turn(Hasher);

/// A place in the queue; given up when it is dropped.
struct Waiting {
    hasher: Hasher,
    lane: Lane,
    number: u64,
    granted: oneshot::Receiver<()>,
    is_over: bool,
}

impl Hasher {
    /// Waits for a turn.
    ///
    /// # Errors
    /// 429 if the lane is full, 503 if lanes of better rank need the whole queue.
    pub(crate) async fn turn(&self, lane: Lane, rank: Rank) -> ApiResult<Turn> {
        let mut waiting = {
            let mut state = self.lock();
            if state.running < AT_ONCE {
                state.running += 1;
                return Ok(Turn(self.clone()));
            }
            let (number, granted) = state.queue.add(lane, rank).map_err(|full| match full {
                Full::Lane => ApiError::TooManyRequests(RETRY_AFTER),
                Full::Queue => ApiError::Unavailable,
            })?;
            Waiting {
                hasher: self.clone(),
                lane,
                number,
                granted,
                is_over: false,
            }
        };
        let granted = (&mut waiting.granted).await;
        waiting.is_over = true;
        match granted {
            Ok(()) => Ok(Turn(self.clone())),
            Err(_) => Err(ApiError::Unavailable),
        }
    }

    /// The hash of a password.
    pub(crate) async fn hash(&self, password: String, lane: Lane) -> ApiResult<String> {
        let turn = self.turn(lane, Rank::TRUSTED).await?;
        turn.run(move |memory| password::hash(&password, memory))
            .await
    }

    fn take_memory(&self) -> Memory {
        self.lock().memories.pop().unwrap_or_default()
    }

    /// Keeps the memory for those who wait; a server where nobody signs in keeps none.
    fn give_back(&self, memory: Memory) {
        let mut state = self.lock();
        if state.queue.is_empty() {
            state.memories.clear();
        } else {
            state.memories.push(memory);
        }
    }

    /// Ends a turn: the next request in the queue gets it.
    fn release(&self) {
        let mut state = self.lock();
        state.running -= 1;
        while state.running < AT_ONCE
            && let Some(next) = state.queue.take()
        {
            // A request that has just been dropped does not take its turn.
            state.running += usize::from(next.send(()).is_ok());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        self.hasher.lock().queue.remove(self.lane, self.number);
        // The turn may have been granted before.
        if self.granted.try_recv().is_ok() {
            self.hasher.release();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl Turn {
    /// Runs the work on a thread that may block. The turn ends with the work, also where nobody
    /// waits for it any more.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Memory) -> anyhow::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        tokio::task::spawn_blocking(move || {
            let mut memory = self.0.take_memory();
            let result = work(&mut memory);
            self.0.give_back(memory);
            result
        })
        .await
        .map_err(ApiError::internal)?
        .map_err(ApiError::internal)
    }
}

#[cfg(test)]
mod tests;
