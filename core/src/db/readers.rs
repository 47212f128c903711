//! The reader threads: each owns one connection and takes work from a shared queue.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::store::{StoreError, StoreResult};

/// Reads that may wait before callers are told the database is busy.
const QUEUE: usize = 4096;

type Task = Box<dyn FnOnce(&Connection) + Send>;

/// The handle on the threads.
#[derive(Debug, Clone)]
pub(super) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What waits to be read. A thread with nothing to do sleeps at once: the channels of
/// `crossbeam-channel` look out for more first, which with several threads costs more than the
/// reads of most requests.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    added: Condvar,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    is_closed: bool,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}

impl Queue {
    fn add(&self, task: Task) -> StoreResult<()> {
        let mut waiting = lock(&self.waiting);
        if waiting.is_closed {
            return Err(StoreError::Closed);
        }
        if waiting.tasks.len() >= QUEUE {
            return Err(StoreError::Busy);
        }
        waiting.tasks.push_back(task);
        drop(waiting);
        self.added.notify_one();
        Ok(())
    }

    /// The next task; `None` once the queue is closed and empty.
    fn take(&self) -> Option<Task> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                return Some(task);
            }
            if waiting.is_closed {
                return None;
            }
            waiting = self
                .added
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.added.notify_all();
    }
}

impl Readers {
    pub(super) fn start(path: &Path, count: usize) -> StoreResult<Self> {
        let queue = Arc::new(Queue::default());
        let mut threads = Vec::with_capacity(count);
        for n in 0..count {
            let connection = super::open::read_only(path)?;
            super::id_set::register(&connection)?;
            let tasks = queue.clone();
            let thread = thread::Builder::new()
                .name(format!("db-read-{n}"))
                .spawn(move || run(&connection, &tasks))
                .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
            threads.push(thread);
        }
        Ok(Self {
            shared: Arc::new(Shared {
                queue,
                threads: Mutex::new(threads),
            }),
        })
    }

    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        let task = move |connection: &Connection| answer(in_transaction(connection, work));
        self.shared.queue.add(Box::new(task))
    }

    pub(super) fn close(&self) {
        self.shared.queue.close();
        for thread in lock(&self.shared.threads).drain(..) {
            // A reader catches the panics of its tasks, so that there is none to pass on.
            let _ = thread.join();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
    }
}

fn run(connection: &Connection, queue: &Queue) {
    while let Some(task) = queue.take() {
        task(connection);
    }
}

fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<T>,
) -> StoreResult<T> {
    let tx = connection.unchecked_transaction()?;
    // The transaction only reads and is rolled back when dropped: a panic leaves nothing half done.
    catch_unwind(AssertUnwindSafe(|| work(&tx))).unwrap_or(Err(StoreError::Panicked))
}

/// A poisoned mutex here guards plain handles that a panic cannot have left half written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
