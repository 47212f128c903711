//! The reader threads: each owns one connection and takes work from a shared queue.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
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

/// Pages that those threads keep together which do most of the work, in KiB. The system keeps all
/// pages that there is room for, but to fetch one from there takes a microsecond, and a page of
/// items or the shelves of home need some three hundred.
const CACHE: usize = 4096;
/// Pages that each of those keeps at most, in KiB.
const MOST_CACHE: usize = 2048;
/// Pages that each of the others keeps, in KiB.
const LEAST_CACHE: usize = 512;
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
/// another is only called for what has waited a while behind long reads. The first ones are called
/// first: their connections have what is read often in their caches.
struct Queue {
    waiting: Mutex<Waiting>,
    /// Threads that are kept awake side by side.
    enough: usize,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    is_closed: bool,
    /// Threads that sleep and were not called, by their numbers.
    asleep: BTreeMap<usize, Thread>,
    /// Threads that are to rest before they sleep.
    to_rest: BTreeSet<usize>,
    /// How many are not among those.
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
            enough: cores().min(count),
        }
    }

    /// Has every thread that sleeps rest before it sleeps on.
    fn rest(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.to_rest = waiting.asleep.keys().copied().collect();
        for _ in 0..waiting.asleep.len() {
            waiting.call();
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

    /// The next task for the thread of this number; `None` once the queue is closed and empty.
    /// Calls `rest` when it is to rest.
    fn take(&self, number: usize, rest: impl Fn()) -> Option<Task> {
        let mut waiting = lock(&self.waiting);
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                return Some(task);
            }
            if waiting.is_closed {
                return None;
            }
            if waiting.to_rest.remove(&number) {
                drop(waiting);
                rest();
                waiting = lock(&self.waiting);
                continue;
            }
            waiting.asleep.insert(number, thread::current());
            waiting.awake -= 1;
            // A thread may wake up without having been called.
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

    /// Has the threads that sleep give back their pages.
    pub(super) fn rest(&self) {
        self.shared.queue.rest();
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

fn run(number: usize, connection: &Connection, queue: &Queue) {
    // Not before there is something to read: the schema alone takes a quarter of a megabyte, and
    // the last threads are rarely called.
    let Some(first) = queue.take(number, || {}) else {
        return;
    };
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let cache = i64::try_from(cache(number, queue.enough)).unwrap_or(0);
    if let Err(error) = connection.pragma_update(None, "cache_size", -cache) {
        tracing::warn!(%error, "a reader of the database has the cache that SQLite chooses");
    }
    first(connection);
    while let Some(task) = queue.take(number, || super::give_back_pages(connection)) {
        task(connection);
    }
}

/// Pages that a thread keeps, in KiB, where so many are called first.
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
    // Kept statements: rusqlite's own transactions would have SQLite parse these for every read.
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = catch_unwind(AssertUnwindSafe(|| work(connection)));
    // There is nothing to roll back where SQLite has done so itself.
    if !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
    }
    let result = result.unwrap_or(Err(StoreError::Panicked));
    result.map_err(|error| super::space::explain(connection, error))
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
    fn threads_that_sleep_rest_once_and_work_on() {
        let queue = Queue::new(2);
        let (told, events) = mpsc::channel();
        let deadline = Instant::now() + Duration::from_secs(30);
        let asleep = |number: usize| {
            while lock(&queue.waiting).asleep.len() < number && Instant::now() < deadline {
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            for number in 0..2 {
                let (queue, rested) = (&queue, told.clone());
                scope.spawn(move || {
                    let connection = Connection::open_in_memory().expect("a database");
                    let rest = || rested.send(("rest", number)).expect("a listener");
                    while let Some(task) = queue.take(number, rest) {
                        task(&connection);
                    }
                });
            }
            for _ in 0..2 {
                asleep(2);
                queue.rest();
                asleep(2);
                let done = told.clone();
                let work = move |_: &Connection| done.send(("work", 0)).expect("a listener");
                // Whatever comes of it is seen below.
                drop(queue.add(Box::new(work)));
            }
            asleep(2);
            queue.close();
        });
        drop(told);
        let mut events: Vec<_> = events.iter().collect();
        assert_eq!(events.iter().filter(|event| event.0 == "work").count(), 2);
        events.retain(|event| event.0 == "rest");
        events.sort_unstable();
        let twice = [("rest", 0), ("rest", 0), ("rest", 1), ("rest", 1)];
        assert_eq!(events, twice);
    }

    #[test]
    fn the_first_thread_that_sleeps_is_called() {
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
    fn those_that_are_called_first_keep_most_pages() {
        let of = |cores: usize| [0, 1, 2, 3].map(|number| cache(number, cores.min(4)));
        assert_eq!(of(1), [2048, 512, 512, 512]);
        assert_eq!(of(2), [2048, 2048, 512, 512]);
        assert_eq!(of(8), [1024; 4]);
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
