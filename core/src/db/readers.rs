//! The reader threads: each owns one connection and takes work from a shared queue.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::Connection;

use crate::store::{StoreError, StoreResult};

/// Reads that may wait before callers are told the database is busy.
const QUEUE: usize = 4096;

/// How long a read waits behind others before another thread is woken for it.
pub(super) const PATIENCE: Duration = Duration::from_millis(1);

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
///
/// Waking a thread costs as much as most reads, too. While as many are awake as there are cores,
/// another is only called for what has waited a while behind long reads.
struct Queue {
    waiting: Mutex<Waiting>,
    called: Condvar,
    /// Threads that are kept awake side by side.
    enough: usize,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    is_closed: bool,
    /// Threads that are not asleep, or were called.
    awake: usize,
    /// Threads that sleep and were not called.
    asleep: usize,
    /// Calls that no thread has heard yet.
    calls: usize,
}

impl Waiting {
    fn call(&mut self, called: &Condvar) {
        self.asleep -= 1;
        self.awake += 1;
        self.calls += 1;
        called.notify_one();
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}

impl Queue {
    fn new(count: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            waiting: Mutex::new(Waiting {
                awake: count,
                ..Waiting::default()
            }),
            called: Condvar::new(),
            enough: cores,
        }
    }

    /// Whether the task may have to wait for those before it.
    fn add(&self, task: Task) -> StoreResult<bool> {
        let mut waiting = lock(&self.waiting);
        if waiting.is_closed {
            return Err(StoreError::Closed);
        }
        if waiting.tasks.len() >= QUEUE {
            return Err(StoreError::Busy);
        }
        waiting.tasks.push_back(task);
        let may_call = waiting.asleep > 0;
        if may_call && waiting.awake < self.enough {
            waiting.call(&self.called);
            return Ok(false);
        }
        Ok(may_call)
    }

    /// Calls one more thread, if there is something for it to do.
    fn hurry(&self) {
        let mut waiting = lock(&self.waiting);
        if waiting.asleep > 0 && !waiting.tasks.is_empty() {
            waiting.call(&self.called);
        }
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
            waiting.asleep += 1;
            waiting.awake -= 1;
            waiting = self
                .called
                .wait_while(waiting, |waiting| waiting.calls == 0 && !waiting.is_closed)
                .unwrap_or_else(PoisonError::into_inner);
            // A queue that is closed calls nobody any more.
            waiting.calls = waiting.calls.saturating_sub(1);
        }
    }

    fn close(&self) {
        lock(&self.waiting).is_closed = true;
        self.called.notify_all();
    }
}

impl Readers {
    pub(super) fn start(path: &Path, count: usize) -> StoreResult<Self> {
        let queue = Arc::new(Queue::new(count));
        let mut threads = Vec::with_capacity(count);
        for n in 0..count {
            let connection = super::open::unread(path)?;
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

    /// Whether the work may have to wait for what came before it: whoever has waited for
    /// [`PATIENCE`] then is to [hurry](Self::hurry) the threads.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<bool> {
        let task = move |connection: &Connection| answer(in_transaction(connection, work));
        self.shared.queue.add(Box::new(task))
    }

    /// Has one more thread look for work.
    pub(super) fn hurry(&self) {
        self.shared.queue.hurry();
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
    if let Err(error) = super::open::set_up_reader(connection) {
        tracing::warn!(%error, "a reader of the database has the cache that SQLite chooses");
    }
    while let Some(task) = queue.take() {
        task(connection);
    }
}

fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<T>,
) -> StoreResult<T> {
    // Kept statements: rusqlite's own transactions would have SQLite parse these for every read.
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = catch_unwind(AssertUnwindSafe(|| work(connection)));
    // There is nothing to roll back where SQLite has done so itself.
    if !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
    }
    result.unwrap_or(Err(StoreError::Panicked))
}

/// A poisoned mutex here guards plain handles that a panic cannot have left half written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
