//! Password hashing on blocking threads: two hashes at once, and a fair queue for further ones.

mod queue;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ledge_core::http::{ApiError, ApiResult};
use tokio::sync::oneshot;

use super::password::{self, Memory};
use queue::{Full, Queue};

pub(crate) use queue::{HashRequest, Lane, Rank};

/// Limit of simultaneous hashes: each takes 19 MiB and a whole core.
const AT_ONCE: usize = 2;
/// Retry time in seconds for a client whose lane is full.
const RETRY_AFTER: u64 = 2;

/// Queue for hashing and verifying passwords, shared by clones.
#[derive(Clone, Default)]
pub(crate) struct Hasher(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Lanes of the running hashes.
    running: Vec<Lane>,
    queue: Queue,
    /// Memory of earlier hashes, reused while requests wait.
    memories: Vec<Memory>,
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

/// Permit to hash now; dropping it releases the permit.
pub(crate) struct HashPermit {
    hasher: Hasher,
    lane: Lane,
}

/// A waiting request; dropping it leaves the queue.
struct Waiting {
    hasher: Hasher,
    lane: Lane,
    number: u64,
    granted: oneshot::Receiver<()>,
    is_over: bool,
}

impl Hasher {
    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// 429 if the lane is full, 503 if lanes of better rank need the whole queue.
    pub(crate) async fn turn(&self, request: HashRequest) -> ApiResult<HashPermit> {
        let lane = request.lane;
        let turn = || HashPermit {
            hasher: self.clone(),
            lane,
        };
        let mut waiting = {
            let mut state = self.lock();
            if state.running.len() < AT_ONCE {
                state.running.push(lane);
                return Ok(turn());
            }
            let (number, granted) = state.queue.add(request).map_err(|full| match full {
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
            Ok(()) => Ok(turn()),
            Err(_) => Err(ApiError::Unavailable),
        }
    }

    /// Returns the hash of a password.
    pub(crate) async fn hash(&self, password: String, lane: Lane) -> ApiResult<String> {
        let request = HashRequest {
            lane,
            rank: Rank::TRUSTED,
            network: None,
        };
        let turn = self.turn(request).await?;
        turn.run(move |memory| password::hash(&password, memory))
            .await
    }

    fn take_memory(&self) -> Memory {
        self.lock().memories.pop().unwrap_or_default()
    }

    /// Keeps the memory while requests wait; an idle server keeps none.
    fn give_back(&self, memory: Memory) {
        let mut state = self.lock();
        if state.queue.is_empty() {
            state.memories.clear();
        } else {
            state.memories.push(memory);
        }
    }

    /// Releases a permit: the next request of the queue receives it.
    fn release(&self, lane: Lane) {
        let mut state = self.lock();
        let State { running, queue, .. } = &mut *state;
        if let Some(index) = running.iter().position(|other| *other == lane) {
            running.swap_remove(index);
        }
        while running.len() < AT_ONCE
            && let Some((next, grant)) = queue.take(running)
        {
            // A request that was just dropped does not use the permit.
            if grant.send(()).is_ok() {
                running.push(next);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is complete before a panic is possible.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        self.hasher.lock().queue.remove(self.lane, self.number);
        // The permit may have been granted before the drop.
        if self.granted.try_recv().is_ok() {
            self.hasher.release(self.lane);
        }
    }
}

impl Drop for HashPermit {
    fn drop(&mut self) {
        self.hasher.release(self.lane);
    }
}

impl HashPermit {
    /// Runs the work on a blocking thread. The permit ends with the work, even if the caller was
    /// dropped.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Memory) -> anyhow::Result<T> + Send + 'static,
    ) -> ApiResult<T> {
        tokio::task::spawn_blocking(move || {
            let mut memory = self.hasher.take_memory();
            let result = work(&mut memory);
            self.hasher.give_back(memory);
            result
        })
        .await
        .map_err(ApiError::internal)?
        .map_err(ApiError::internal)
    }
}

#[cfg(test)]
mod tests;
