//! Hashing off the async threads: at most two at once, with memory that is used again while
//! others wait.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ledge_core::http::{ApiError, ApiResult};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::password::{self, Memory};

/// Hashes at once: each takes 19 MiB and a whole core.
const AT_ONCE: usize = 2;
/// Requests that may wait for their turn; beyond that a flood is turned away.
const QUEUE: usize = 512;

/// Where passwords are hashed and compared.
#[derive(Clone)]
pub(crate) struct Hasher {
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    memories: Arc<Mutex<Vec<Memory>>>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            queue: Arc::new(Semaphore::new(QUEUE)),
            memories: Arc::default(),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

/// The right to hash now; given back when it is dropped.
pub(crate) struct Turn {
    hasher: Hasher,
    _turn: OwnedSemaphorePermit,
}

impl Hasher {
    /// Waits for a turn.
    pub(crate) async fn turn(&self) -> ApiResult<Turn> {
        let _place = self
            .queue
            .try_acquire()
            .map_err(|_| ApiError::Unavailable)?;
        let turn = self.turns.clone().acquire_owned().await;
        Ok(Turn {
            hasher: self.clone(),
            _turn: turn.map_err(|_| ApiError::Unavailable)?,
        })
    }

    /// The hash of a password.
    pub(crate) async fn hash(&self, password: String) -> ApiResult<String> {
        let turn = self.turn().await?;
        turn.run(move |memory| password::hash(&password, memory))
            .await
    }

    fn take_memory(&self) -> Memory {
        self.pool().pop().unwrap_or_default()
    }

    /// Keeps the memory for those who wait; a server where nobody signs in keeps none.
    fn give_back(&self, memory: Memory) {
        let mut pool = self.pool();
        if self.queue.available_permits() < QUEUE {
            pool.push(memory);
        } else {
            pool.clear();
        }
    }

    fn pool(&self) -> std::sync::MutexGuard<'_, Vec<Memory>> {
        // A list of buffers: no panic can leave it half written.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
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
