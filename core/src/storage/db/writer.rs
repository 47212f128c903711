//! Writer thread. Durable writes go first and share commits, except for large ones. Bulk writes run
//! while no durable write waits.

pub(super) mod adaptive_batch;
mod checkpoint;
mod commit;
pub(super) mod rehearsal;
mod task;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError};
use rusqlite::{Connection, Transaction};

use self::checkpoint::Log;
use self::commit::Published;
use self::task::{Task, task, whole};
use super::item_index::{ItemIndex, Watch};
use crate::error::{StoreError, StoreResult};

/// Maximum number of durable writes in one commit, so that the first one does not wait too long.
const BATCH: usize = 128;
/// Maximum time that a commit waits for the clients of the previous commit.
const GATHER: Duration = Duration::from_millis(2);
/// Maximum number of waiting writes before callers get [`StoreError::Busy`].
const QUEUE: usize = 4096;

/// Time after the last bulk write or large write at which the page cache is released. Other writes
/// need little of it.
const KEEP_CACHE: Duration = Duration::from_secs(10);

/// Time after a durable write during which more are expected, because a user is reading or playing.
const IN_USE: Duration = Duration::from_secs(15);

/// Handle of the thread.
#[derive(Clone)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

struct Shared {
    write_activity: Arc<WriteActivity>,
    queues: Mutex<Option<Queues>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Activity of writes: the time of the last user-facing write, and the duration of the last bulk
/// write.
struct WriteActivity {
    start: Instant,
    /// Time of the last user-facing write in milliseconds after the start, or 0 if there was none.
    last: AtomicU64,
    /// Number of user-facing writes.
    count: AtomicU64,
    /// Duration of the last bulk write in microseconds.
    bulk: AtomicU64,
}

impl Default for WriteActivity {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            last: AtomicU64::new(0),
            count: AtomicU64::new(0),
            bulk: AtomicU64::new(0),
        }
    }
}

impl WriteActivity {
    fn now(&self) -> u64 {
        let millis = u64::try_from(self.start.elapsed().as_millis());
        millis.unwrap_or(u64::MAX).max(1)
    }

    fn note(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn note_bulk(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.bulk.store(micros, Ordering::Relaxed);
    }

    fn is_recent(&self) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        let ago = Duration::from_millis(self.now().saturating_sub(last));
        last > 0 && ago < IN_USE
    }
}

/// Durable write in the queue.
enum Durable {
    /// Shares a commit with others.
    Small(Task),
    /// Has a transaction of its own.
    Large(Task),
}

#[derive(Clone)]
struct Queues {
    durable: Sender<Durable>,
    bulk: Sender<Task>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    /// Starts the thread. It reports all changed items to `item_index`.
    pub(super) fn start(
        mut connection: Connection,
        path: &Path,
        item_index: ItemIndex,
    ) -> StoreResult<Self> {
        let watch = Watch::of(&mut connection)?;
        let log = Log::of(&mut connection, path)?;
        let (durable, durable_tasks) = crossbeam_channel::bounded(QUEUE);
        // Capacity 1: one chunk in progress and one waiting, so that a scan slows down to the speed
        // of the disk.
        let (bulk, bulk_tasks) = crossbeam_channel::bounded(1);
        let write_activity = Arc::new(WriteActivity::default());
        let activity = write_activity.clone();
        let path = path.to_owned();
        let thread = thread::Builder::new()
            .name("db-write".to_owned())
            .spawn(move || {
                let published = Published {
                    connection,
                    path,
                    watch,
                    item_index,
                    log,
                };
                let bulk = Bulk {
                    tasks: &bulk_tasks,
                    write_activity: &activity,
                };
                run(published, &durable_tasks, &bulk);
            })
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        Ok(Self {
            shared: Arc::new(Shared {
                write_activity,
                queues: Mutex::new(Some(Queues { durable, bulk })),
                thread: Mutex::new(Some(thread)),
            }),
        })
    }

    pub(super) fn submit_durable<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        self.queue(Durable::Small(task(work, answer)))
    }

    /// Queues a durable write of many rows.
    pub(super) fn submit_large<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        self.queue(Durable::Large(whole(work, answer)))
    }

    fn queue(&self, write: Durable) -> StoreResult<()> {
        // Kept until the end of this call, because the thread runs as long as a sender exists.
        let queues = self.queues()?;
        queues.durable.try_send(write).map_err(|error| match error {
            crossbeam_channel::TrySendError::Full(_) => StoreError::Busy,
            crossbeam_channel::TrySendError::Disconnected(_) => StoreError::Closed,
        })
    }

    /// Queues a bulk write.
    pub(super) fn submit_bulk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        let queues = self.queues()?;
        queues
            .bulk
            .send(whole(work, answer))
            .map_err(|_| StoreError::Closed)
    }

    /// Records a user-facing write.
    pub(super) fn note_use(&self) {
        self.shared.write_activity.note();
    }

    /// Returns `true` if there was a user-facing write recently.
    pub(super) fn is_in_use(&self) -> bool {
        self.shared.write_activity.is_recent()
    }

    /// Returns the number of user-facing writes since the start.
    pub(super) fn uses(&self) -> u64 {
        self.shared.write_activity.count.load(Ordering::Relaxed)
    }

    /// Returns the duration of the last bulk write.
    pub(super) fn last_bulk(&self) -> Duration {
        Duration::from_micros(self.shared.write_activity.bulk.load(Ordering::Relaxed))
    }

    fn queues(&self) -> StoreResult<Queues> {
        lock(&self.shared.queues).clone().ok_or(StoreError::Closed)
    }

    pub(super) fn close(&self) {
        drop(lock(&self.shared.queues).take());
        if let Some(thread) = lock(&self.shared.thread).take() {
            // The writer catches the panics of its tasks, so `join` returns no panic.
            let _ = thread.join();
        }
    }
}

/// Channel of bulk writes with the state they share with other threads.
struct Bulk<'a> {
    tasks: &'a Receiver<Task>,
    write_activity: &'a WriteActivity,
}

fn run(mut published: Published, durable: &Receiver<Durable>, bulk: &Bulk<'_>) {
    let mut durable_open = true;
    let mut bulk_open = true;
    let mut pace = Pace::default();
    while durable_open || bulk_open {
        match durable.try_recv() {
            Ok(first) => {
                pace.commit(&mut published, first, durable);
                continue;
            }
            Err(TryRecvError::Disconnected) => {
                durable_open = false;
                // No sender is left that could end the wait below.
                if !bulk_open {
                    break;
                }
            }
            Err(TryRecvError::Empty) => {}
        }
        let never = crossbeam_channel::never();
        let (idle, passes) = (crossbeam_channel::never(), published.log.passes().clone());
        let rest = pace.rest();
        let may_bulk = bulk_open && !published.log.is_full() && rest.is_none();
        let at = |time: Option<Instant>| {
            time.map_or_else(crossbeam_channel::never, crossbeam_channel::at)
        };
        let (rested, released) = (at(rest), at(pace.release_at));
        crossbeam_channel::select! {
            recv(if durable_open { durable } else { &never }) -> task => match task {
                Ok(first) => pace.commit(&mut published, first, durable),
                Err(_) => durable_open = false,
            },
            recv(if may_bulk { bulk.tasks } else { &idle }) -> task => match task {
                Ok(task) => bulk.write_activity.note_bulk(pace.commit_bulk(&mut published, task)),
                Err(_) => bulk_open = false,
            },
            recv(rested) -> _ => {}
            recv(released) -> _ => {
                pace.release_at = None;
                published.release_cache();
            }
            recv(passes) -> pass => if let Ok(pass) = pass {
                published.log.passed(&pass);
            },
        }
    }
    let Published {
        connection, log, ..
    } = published;
    // The checkpoint thread would block the final checkpoint.
    drop(log);
    fold_log(&connection);
}

/// Grouping of durable writes. Otherwise, clients that write again after each response would form
/// two halves, each of which waits for the other's commit.
#[derive(Default)]
struct Pace {
    /// Number of writes in the last commit.
    together: usize,
    /// Duration of the last commit.
    took: Duration,
    /// `true` if there was a durable write since the last bulk write.
    since_bulk: bool,
    /// Earliest start of the next bulk write.
    bulk_at: Option<Instant>,
    /// Time at which the page cache is released.
    release_at: Option<Instant>,
}

/// Pause after a bulk write, as a multiple of its duration, while durable writes follow each other.
/// They get most of the time.
const REST: u32 = 3;

impl Pace {
    /// Commits a write together with the waiting ones. If the last commit had more writes, it waits
    /// for as many again, but at most half of the last commit's duration. A large write is committed
    /// alone, after the ones before it.
    fn commit(&mut self, published: &mut Published, first: Durable, durable: &Receiver<Durable>) {
        let deadline = Instant::now() + GATHER.min(self.took / 2);
        let (mut batch, mut large) = (Vec::new(), None);
        let mut next = Some(first);
        while let Some(write) = next {
            match write {
                Durable::Small(task) => batch.push(task),
                Durable::Large(task) => {
                    large = Some(task);
                    break;
                }
            }
            next = if batch.len() >= BATCH {
                None
            } else if batch.len() < self.together {
                durable.recv_deadline(deadline).ok()
            } else {
                durable.try_recv().ok()
            };
        }
        if !batch.is_empty() {
            self.together = batch.len();
            let begin = Instant::now();
            published.commit("FULL", batch);
            self.took = begin.elapsed();
        }
        if let Some(task) = large {
            published.commit("FULL", vec![task]);
            self.release_at = Some(Instant::now() + KEEP_CACHE);
        }
        self.since_bulk = true;
    }

    /// Commits a bulk write and returns its duration.
    fn commit_bulk(&mut self, published: &mut Published, task: Task) -> Duration {
        let begin = Instant::now();
        published.commit("NORMAL", vec![task]);
        let took = begin.elapsed();
        self.bulk_at = self.since_bulk.then(|| begin + took + took * REST);
        self.since_bulk = false;
        self.release_at = Some(Instant::now() + KEEP_CACHE);
        took
    }

    /// Returns the end of the pause for bulk writes, or `None` if there is no pause.
    fn rest(&mut self) -> Option<Instant> {
        self.bulk_at = self.bulk_at.filter(|at| Instant::now() < *at);
        self.bulk_at
    }
}

/// Checkpoints the log, so that a stopped server leaves one complete file.
fn fold_log(connection: &Connection) {
    let result = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = result {
        tracing::warn!(%error, "the final checkpoint of the write-ahead log failed; the next start repeats it");
    }
}

/// Locks a mutex and ignores poisoning: a panic cannot leave its data inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
