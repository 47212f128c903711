//! The reader threads: each owns one connection and takes work from a shared queue.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use rusqlite::Connection;

use crate::cores;
use crate::store::{StoreError, StoreResult};

/// Reads that may wait before callers are told the database is busy.
const QUEUE: usize = 4096;

/// Pages that each thread keeps, in KiB. There are several, and the system keeps all pages that
/// there is room for: to fetch one from there takes a microsecond.
const CACHE: i64 = 1024;
/// Statements that each keeps prepared: one takes twenty kilobytes.
const STATEMENTS: usize = 64;

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
/// another is only called for what has waited a while behind long reads. The one that fell asleep
/// last is called first: its connection has most of what is read often in its cache.
struct Queue {
    waiting: Mutex<Waiting>,
    /// Threads that are kept awake side by side.
    enough: usize,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    is_closed: bool,
    /// Threads that sleep and were not called.
    asleep: Vec<Thread>,
    /// How many are not among those.
    awake: usize,
}

impl Waiting {
    fn call(&mut self) {
        if let Some(thread) = self.asleep.pop() {
            self.awake += 1;
            thread.unpark();
        }
    }

    fn is_asleep(&self, thread: &Thread) -> bool {
        self.asleep.iter().any(|other| other.id() == thread.id())
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}

impl Queue {
    fn new(count: usize) -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                awake: count,
                ..Waiting::default()
            }),
            enough: cores(),
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
        if waiting.awake < self.enough {
            waiting.call();
            return Ok(false);
        }
        Ok(!waiting.asleep.is_empty())
    }

    /// Calls one more thread, if there is something for it to do.
    fn hurry(&self) {
        let mut waiting = lock(&self.waiting);
        if !waiting.tasks.is_empty() {
            waiting.call();
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
            let this = thread::current();
            waiting.asleep.push(this.clone());
            waiting.awake -= 1;
            // A thread may wake up without having been called.
            while waiting.is_asleep(&this) {
                drop(waiting);
                thread::park();
                waiting = lock(&self.waiting);
            }
        }
    }

    fn close(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.is_closed = true;
        while !waiting.asleep.is_empty() {
            waiting.call();
        }
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
    // Not before there is something to read: the schema alone takes a quarter of a megabyte, and
    // the last threads are rarely called.
    let Some(first) = queue.take() else { return };
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    if let Err(error) = connection.pragma_update(None, "cache_size", -CACHE) {
        tracing::warn!(%error, "a reader of the database has the cache that SQLite chooses");
    }
    first(connection);
    while let Some(task) = queue.take() {
        task(connection);
    }
}

/// Runs `work` in one read transaction.
pub(super) fn in_transaction<T>(
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Instant;

    use super::*;

    fn readers(count: usize) -> (tempfile::TempDir, Readers) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        super::super::open::writable(&path).expect("a database");
        let readers = Readers::start(&path, count).expect("readers");
        (folder, readers)
    }

    #[test]
    fn a_read_that_waits_behind_long_ones_is_hurried() {
        let (_folder, readers) = readers(8);
        let (release, gate) = crossbeam_channel::bounded::<()>(0);
        let (answer, answers) = mpsc::channel();
        // Seven that hold their threads, and one that is to be done meanwhile.
        for _ in 0..7 {
            let (gate, answer) = (gate.clone(), answer.clone());
            let wait = move |_: &Connection| {
                let _ = gate.recv();
                Ok(())
            };
            readers
                .submit(wait, move |_| answer.send("held").expect("a listener"))
                .expect("room");
        }
        let told = answer.clone();
        readers
            .submit(|_| Ok(()), move |_| told.send("done").expect("a listener"))
            .expect("room");
        let begin = Instant::now();
        let first = loop {
            readers.hurry();
            if let Ok(first) = answers.recv_timeout(PATIENCE) {
                break first;
            }
            assert!(begin.elapsed() < Duration::from_secs(30), "nobody came");
        };
        assert_eq!(first, "done");
        drop(release);
        assert_eq!(answers.iter().take(7).collect::<Vec<_>>(), ["held"; 7]);
        readers.close();
    }

    #[test]
    fn short_reads_from_many_threads_need_no_hurry() {
        let (_folder, readers) = readers(4);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for n in 0..500 {
                        let (answer, answers) = mpsc::sync_channel(1);
                        readers
                            .submit(move |_| Ok(n), move |value| drop(answer.send(value)))
                            .expect("room");
                        let answered = answers.recv_timeout(Duration::from_secs(30));
                        assert_eq!(answered.expect("an answer").expect("a read"), n);
                    }
                });
            }
        });
        readers.close();
    }

    #[test]
    fn what_is_queued_is_done_before_the_threads_end() {
        let (_folder, readers) = readers(2);
        let (answer, answers) = mpsc::channel();
        for _ in 0..100 {
            let answer = answer.clone();
            readers
                .submit(|_| Ok(()), move |_| answer.send(()).expect("a listener"))
                .expect("room");
        }
        readers.close();
        drop(answer);
        assert_eq!(answers.iter().count(), 100);
        let late = readers.submit(|_| Ok(()), |_: StoreResult<()>| {});
        assert!(matches!(late, Err(StoreError::Closed)));
    }
}
