//! Reader threads. Each has one connection and takes work from a shared queue.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use rusqlite::Connection;

use crate::error::{StoreError, StoreResult};
use crate::process::available_parallelism;

/// Maximum number of waiting reads before callers get [`StoreError::Busy`].
const QUEUE: usize = 4096;

/// Total page cache of the threads that do most of the work, in KiB. The operating system caches
/// all pages, but a copy from there takes a microsecond. An item page or the home shelves need
/// about three hundred pages.
const CACHE: usize = 4096;
/// Maximum page cache of each of those threads, in KiB.
const MOST_CACHE: usize = 2048;
/// Page cache of each other thread, in KiB.
const LEAST_CACHE: usize = 512;
/// Number of cached statements per thread. A statement takes twenty kilobytes.
const STATEMENTS: usize = 64;

/// Time that a read waits behind others before another thread is woken.
pub(super) const MAX_WAIT: Duration = Duration::from_millis(1);

type Task = Box<dyn FnOnce(&Connection) + Send>;

/// Handle of the threads.
#[derive(Debug, Clone)]
pub(super) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Queue of reads. An idle thread sleeps at once. The channels of `crossbeam-channel` spin first,
/// which with several threads costs more than the reads of most requests.
///
/// Waking a thread costs as much as most reads, too. While as many threads are awake as there are
/// cores, another one is woken only for a read that has waited behind long ones. Threads with lower
/// numbers are woken first, because their connections have frequently used pages in their caches.
struct Queue {
    waiting: Mutex<Waiting>,
    /// Number of threads that are kept awake at the same time.
    enough: usize,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    is_closed: bool,
    /// Sleeping threads that were not woken yet, by their number.
    asleep: BTreeMap<usize, Thread>,
    /// Number of threads that are not in `asleep`.
    awake: usize,
}

impl Waiting {
    fn call(&mut self) {
        if let Some((_, thread)) = self.asleep.pop_first() {
            self.awake += 1;
            thread.unpark();
        }
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
            enough: available_parallelism().min(count),
        }
    }

    /// Adds a task. Returns `true` if it may have to wait behind other tasks.
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

    /// Wakes one more thread if a task is waiting.
    fn wake_one(&self) {
        let mut waiting = lock(&self.waiting);
        if !waiting.tasks.is_empty() {
            waiting.call();
        }
    }

    /// Returns the next task for the thread with this number, or `None` once the queue is closed
    /// and empty.
    fn take(&self, number: usize) -> Option<Task> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                return Some(task);
            }
            if waiting.is_closed {
                return None;
            }
            waiting.asleep.insert(number, thread::current());
            waiting.awake -= 1;
            // `park` may return spuriously.
            while waiting.asleep.contains_key(&number) {
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
                .spawn(move || run(n, &connection, &tasks))
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

    /// Queues the work. Returns `true` if it may have to wait: after [`MAX_WAIT`], the caller must
    /// call [`wake_one`](Self::wake_one).
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<bool> {
        let task = move |connection: &Connection| answer(in_transaction(connection, work));
        self.shared.queue.add(Box::new(task))
    }

    /// Wakes one more thread if a task is waiting.
    pub(super) fn wake_one(&self) {
        self.shared.queue.wake_one();
    }

    pub(super) fn close(&self) {
        self.shared.queue.close();
        for thread in lock(&self.shared.threads).drain(..) {
            // A reader catches the panics of its tasks, so `join` returns no panic.
            let _ = thread.join();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.queue.close();
    }
}

fn run(number: usize, connection: &Connection, queue: &Queue) {
    // The connection is set up on first use: the schema alone takes a quarter of a megabyte, and
    // the last threads rarely run.
    let Some(first) = queue.take(number) else {
        return;
    };
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let cache = i64::try_from(cache(number, queue.enough)).unwrap_or(0);
    if let Err(error) = connection.pragma_update(None, "cache_size", -cache) {
        tracing::warn!(%error, "cannot set the cache size of a database reader; it uses the default of SQLite");
    }
    first(connection);
    while let Some(task) = queue.take(number) {
        task(connection);
    }
}

/// Returns the page cache of a thread in KiB. The first `first` threads share the larger part.
fn cache(number: usize, first: usize) -> usize {
    if number < first {
        (CACHE / first).clamp(LEAST_CACHE, MOST_CACHE)
    } else {
        LEAST_CACHE
    }
}

/// Runs `work` in one read transaction.
pub(super) fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<T>,
) -> StoreResult<T> {
    // The statements are cached, because rusqlite's transactions would make SQLite parse them for
    // every read.
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = catch_unwind(AssertUnwindSafe(|| work(connection)));
    // SQLite may have rolled back already.
    if !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
    }
    let result = result.unwrap_or(Err(StoreError::Panicked));
    result.map_err(|error| super::space::explain(connection, error))
}

/// Locks a mutex and ignores poisoning: a panic cannot leave its data inconsistent.
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
    fn read_behind_long_reads_wakes_another_thread() {
        let (_folder, readers) = readers(8);
        let (release, gate) = crossbeam_channel::bounded::<()>(0);
        let (answer, answers) = mpsc::channel();
        // Seven reads block their threads, and one read must be done meanwhile.
        for _ in 0..7 {
            let (gate, answer) = (gate.clone(), answer.clone());
            let wait = move |_: &Connection| {
                let _ = gate.recv();
                Ok(())
            };
            readers
                .submit(wait, move |_| answer.send("held").expect("a listener"))
                .expect("space in the queue");
        }
        let tx = answer.clone();
        readers
            .submit(|_| Ok(()), move |_| tx.send("done").expect("a listener"))
            .expect("space in the queue");
        let begin = Instant::now();
        let first = loop {
            readers.wake_one();
            if let Ok(first) = answers.recv_timeout(MAX_WAIT) {
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
    fn short_reads_from_many_threads_complete_without_wake_up() {
        let (_folder, readers) = readers(4);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for n in 0..500 {
                        let (answer, answers) = mpsc::sync_channel(1);
                        readers
                            .submit(move |_| Ok(n), move |value| drop(answer.send(value)))
                            .expect("space in the queue");
                        let answered = answers.recv_timeout(Duration::from_secs(30));
                        assert_eq!(answered.expect("an answer").expect("a read"), n);
                    }
                });
            }
        });
        readers.close();
    }

    #[test]
    fn sleeping_thread_with_lowest_number_is_woken_first() {
        let mut waiting = Waiting::default();
        for number in [2, 0, 1] {
            waiting.asleep.insert(number, thread::current());
        }
        for left in [vec![1, 2], vec![2], vec![]] {
            waiting.call();
            assert!(waiting.asleep.keys().eq(&left), "{left:?}");
        }
        waiting.call();
        assert_eq!(waiting.awake, 3);
    }

    #[test]
    fn first_threads_have_largest_page_caches() {
        let of = |cores: usize| [0, 1, 2, 3].map(|number| cache(number, cores.min(4)));
        assert_eq!(of(1), [2048, 512, 512, 512]);
        assert_eq!(of(2), [2048, 2048, 512, 512]);
        assert_eq!(of(8), [1024; 4]);
    }

    #[test]
    fn queued_reads_complete_before_threads_end() {
        let (_folder, readers) = readers(2);
        let (answer, answers) = mpsc::channel();
        for _ in 0..100 {
            let answer = answer.clone();
            readers
                .submit(|_| Ok(()), move |_| answer.send(()).expect("a listener"))
                .expect("space in the queue");
        }
        readers.close();
        drop(answer);
        assert_eq!(answers.iter().count(), 100);
        let late = readers.submit(|_| Ok(()), |_: StoreResult<()>| {});
        assert!(matches!(late, Err(StoreError::Closed)));
    }
}
