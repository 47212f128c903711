//! The writer thread: durable writes first, several to a commit; bulk writes when none waits.

mod commit;
mod task;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError};
use rusqlite::{Connection, Transaction};

use self::commit::{Manner, Published, Urgent};
use self::task::{Task, task, whole};
use super::checkpoint::Log;
use super::courtesy::{Company, Courtesy};
use super::presence::{Presence, Watch};
use crate::background::Stance;
use crate::store::{StoreError, StoreResult};

/// Durable writes that share one commit at most, so that the first does not wait for ever.
const BATCH: usize = 128;
/// How long a commit waits at most for those who shared the one before.
const GATHER: Duration = Duration::from_millis(2);
/// Writes that may wait before callers are told the database is busy.
const QUEUE: usize = 4096;

/// A durable write is followed by more, as somebody reads or plays: for so long.
const IN_USE: Duration = Duration::from_secs(15);

/// The handle on the thread.
#[derive(Clone)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

struct Shared {
    lately: Arc<Lately>,
    /// How the thread does bulk writes.
    stance: Arc<Stance>,
    /// Has the thread give back its pages.
    rests: Sender<()>,
    queues: Mutex<Option<Queues>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// When somebody asked for the last write, and how long the last bulk write took.
struct Lately {
    start: Instant,
    /// Milliseconds after the start; 0 where there was none.
    last: AtomicU64,
    /// How many there were.
    count: AtomicU64,
    /// How long the last bulk write took, in microseconds.
    bulk: AtomicU64,
}

impl Default for Lately {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            last: AtomicU64::new(0),
            count: AtomicU64::new(0),
            bulk: AtomicU64::new(0),
        }
    }
}

impl Lately {
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

#[derive(Clone)]
struct Queues {
    durable: Sender<Task>,
    /// With each, whether it stands back.
    bulk: Sender<(Task, bool)>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

impl Writer {
    /// Starts the thread. It tells `presence` of every item that a transaction changed, and has
    /// regard for `company`.
    pub(super) fn start(
        mut connection: Connection,
        path: &Path,
        presence: Presence,
        company: Company,
    ) -> StoreResult<Self> {
        let watch = Watch::of(&mut connection)?;
        let log = Log::of(&mut connection, path)?;
        let (durable, durable_tasks) = crossbeam_channel::bounded(QUEUE);
        let waiting: Receiver<Task> = durable_tasks.clone();
        let is_awaited = move || !waiting.is_empty();
        let stance = Arc::new(Stance::default());
        let courtesy = Courtesy::of(&mut connection, company, is_awaited, thread::yield_now)?;
        // One chunk in hand and one waiting: a scan is slowed to the pace of the disk.
        let (bulk, bulk_tasks) = crossbeam_channel::bounded(1);
        let (rests, rest) = crossbeam_channel::bounded(1);
        let lately = Arc::new(Lately::default());
        let (told, own) = (lately.clone(), stance.clone());
        let path = path.to_owned();
        let thread = thread::Builder::new()
            .name("db-write".to_owned())
            .spawn(move || {
                let published = Published {
                    connection,
                    path,
                    watch,
                    presence,
                    log,
                };
                let bulk = Bulk {
                    tasks: &bulk_tasks,
                    rests: &rest,
                    lately: &told,
                    courtesy: &courtesy,
                    stance: &own,
                };
                run(published, &durable_tasks, &bulk);
            })
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        Ok(Self {
            shared: Arc::new(Shared {
                lately,
                stance,
                rests,
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
        // Held until the end: as long as it is there, so is the thread.
        let queues = self.queues()?;
        queues
            .durable
            .try_send(task(work, answer))
            .map_err(|error| match error {
                crossbeam_channel::TrySendError::Full(_) => StoreError::Busy,
                crossbeam_channel::TrySendError::Disconnected(_) => StoreError::Closed,
            })?;
        self.shared.stance.call_forward();
        Ok(())
    }

    /// Where it stands back, others go first, also those who only read.
    pub(super) fn submit_bulk<T: Send + 'static>(
        &self,
        stands_back: bool,
        work: impl FnOnce(&Transaction<'_>) -> StoreResult<T> + Send + 'static,
        answer: impl FnOnce(StoreResult<T>) + Send + 'static,
    ) -> StoreResult<()> {
        let queues = self.queues()?;
        queues
            .bulk
            .send((whole(work, answer), stands_back))
            .map_err(|_| StoreError::Closed)
    }

    /// Calls the thread forward if others have gone first for so long.
    pub(super) fn hurry_after(&self, patience: Duration) {
        self.shared.stance.call_forward_after(patience);
    }

    /// Has the thread give back its pages once nothing waits to be written.
    pub(super) fn rest(&self) {
        // It is told already where there is no room.
        let _ = self.shared.rests.try_send(());
    }

    /// Takes note of a write that somebody asks for.
    pub(super) fn note_use(&self) {
        self.shared.lately.note();
    }

    /// Whether somebody asked for a write lately.
    pub(super) fn is_in_use(&self) -> bool {
        self.shared.lately.is_recent()
    }

    /// How many writes somebody asked for since the start.
    pub(super) fn uses(&self) -> u64 {
        self.shared.lately.count.load(Ordering::Relaxed)
    }

    /// How long the last bulk write took.
    pub(super) fn last_bulk(&self) -> Duration {
        Duration::from_micros(self.shared.lately.bulk.load(Ordering::Relaxed))
    }

    fn queues(&self) -> StoreResult<Queues> {
        lock(&self.shared.queues).clone().ok_or(StoreError::Closed)
    }

    pub(super) fn close(&self) {
        self.shared.stance.stay_forward();
        drop(lock(&self.shared.queues).take());
        if let Some(thread) = lock(&self.shared.thread).take() {
            // The writer catches the panics of its tasks, so that there is none to pass on.
            let _ = thread.join();
        }
    }
}

/// The bulk writes, and what they have to do with others.
struct Bulk<'a> {
    tasks: &'a Receiver<(Task, bool)>,
    /// Comes while nobody asks for anything.
    rests: &'a Receiver<()>,
    lately: &'a Lately,
    courtesy: &'a Courtesy,
    stance: &'a Stance,
}

/// With regard for whoever reads.
struct Courteous<'a> {
    bulk: &'a Bulk<'a>,
    durable: &'a Receiver<Task>,
    /// Whether others go first, as nobody waits for it.
    stands_back: bool,
}

impl Manner for Courteous<'_> {
    fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let work = || self.bulk.courtesy.during(work);
        if self.stands_back {
            self.bulk.stance.during(|| !self.durable.is_empty(), work)
        } else {
            work()
        }
    }
}

fn run(mut published: Published, durable: &Receiver<Task>, bulk: &Bulk<'_>) {
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
                // Nothing is left that could wake the wait below.
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
        let rested = rest.map_or_else(crossbeam_channel::never, crossbeam_channel::at);
        crossbeam_channel::select! {
            recv(if durable_open { durable } else { &never }) -> task => match task {
                Ok(first) => pace.commit(&mut published, first, durable),
                Err(_) => durable_open = false,
            },
            recv(if may_bulk { bulk.tasks } else { &idle }) -> task => match task {
                Ok((task, stands_back)) => {
                    let manner = Courteous { bulk, durable, stands_back };
                    bulk.lately.note_bulk(pace.commit_bulk(&mut published, task, &manner));
                }
                Err(_) => bulk_open = false,
            },
            recv(rested) -> _ => {}
            recv(bulk.rests) -> rest => if rest.is_ok() {
                super::give_back_pages(&published.connection);
            },
            recv(passes) -> pass => if let Ok(pass) = pass {
                published.log.passed(&pass);
            },
        }
    }
    let Published {
        connection, log, ..
    } = published;
    // Its thread would be in the way.
    drop(log);
    fold_log(&connection);
}

/// How many durable writes come at a time. Clients who write again as soon as they are answered
/// would else end up in two halves, each of which waits for the other's commit.
#[derive(Default)]
struct Pace {
    /// How many shared the last commit.
    together: usize,
    /// How long that took.
    took: Duration,
    /// Whether there were any since the last bulk write.
    since_bulk: bool,
    /// When the next bulk write may begin.
    bulk_at: Option<Instant>,
}

/// How many times as long as a bulk write took the next one stays away, where durable writes come
/// one after another: those have most of the time for themselves.
const REST: u32 = 3;

impl Pace {
    /// Commits a write together with those that wait, and with as many as came last time if they
    /// come soon: within half of what a commit takes.
    fn commit(&mut self, published: &mut Published, first: Task, durable: &Receiver<Task>) {
        let deadline = Instant::now() + GATHER.min(self.took / 2);
        let mut batch = vec![first];
        batch.extend(durable.try_iter().take(BATCH - 1));
        while batch.len() < self.together
            && let Ok(task) = durable.recv_deadline(deadline)
        {
            batch.push(task);
        }
        self.together = batch.len();
        let begin = Instant::now();
        published.commit("FULL", batch, &Urgent);
        self.took = begin.elapsed();
        self.since_bulk = true;
    }

    /// Commits a bulk write; how long that took.
    fn commit_bulk(
        &mut self,
        published: &mut Published,
        task: Task,
        manner: &impl Manner,
    ) -> Duration {
        let begin = Instant::now();
        published.commit("NORMAL", vec![task], manner);
        let took = begin.elapsed();
        self.bulk_at = self.since_bulk.then(|| begin + took + took * REST);
        self.since_bulk = false;
        took
    }

    /// Until when bulk writes stay away; `None` where they need not.
    fn rest(&mut self) -> Option<Instant> {
        self.bulk_at = self.bulk_at.filter(|at| Instant::now() < *at);
        self.bulk_at
    }
}

/// A server that stops leaves one whole file behind.
fn fold_log(connection: &Connection) {
    let result = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = result {
        tracing::warn!(%error, "the write-ahead log could not be folded in; the next start does it");
    }
}

/// A poisoned mutex here guards plain handles that a panic cannot have left half written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the two queues is seen closed first is up to chance.
    #[test]
    fn the_writer_ends_in_whatever_order_its_queues_close() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        for _ in 0..64 {
            let connection = crate::db::open::writable(&path).expect("a database");
            Writer::start(connection, &path, Presence::new(), Company::default())
                .expect("a writer")
                .close();
        }
    }

    /// Closed would tell workers and clients that the server is stopping.
    #[test]
    fn a_write_that_cannot_begin_is_busy_and_the_next_one_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let open = || crate::db::open::writable(&path).expect("a database");
        let other = open();
        let connection = open();
        connection
            .busy_timeout(std::time::Duration::ZERO)
            .expect("no patience");
        let writer = Writer::start(connection, &path, Presence::new(), Company::default())
            .expect("a writer");
        let write = |is_bulk: bool| {
            let (answer, result) = std::sync::mpsc::sync_channel(1);
            let answer = move |value: StoreResult<()>| drop(answer.send(value));
            if is_bulk {
                writer.submit_bulk(true, |_| Ok(()), answer)
            } else {
                writer.submit_durable(|_| Ok(()), answer)
            }
            .expect("a place in the queue");
            result.recv().expect("an answer")
        };
        other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        assert!(matches!(write(false), Err(StoreError::Busy)));
        assert!(matches!(write(true), Err(StoreError::Busy)));
        other.execute_batch("ROLLBACK").expect("no lock");
        assert!(write(false).is_ok() && write(true).is_ok());
        writer.close();
    }

    /// On a machine that is busy with other things, it might else hardly go on.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_bulk_write_that_stands_back_comes_forward_for_a_durable_one() {
        use crate::background::tests::{OTHER, back, policy};
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let connection = crate::db::open::writable(&path).expect("a database");
        let writer = Writer::start(connection, &path, Presence::new(), Company::default())
            .expect("a writer");
        let (begun, has_begun) = std::sync::mpsc::sync_channel(1);
        let (forward, is_forward) = std::sync::mpsc::sync_channel(1);
        let (answer, result) = std::sync::mpsc::sync_channel(1);
        let work = move |_: &Transaction<'_>| {
            begun.send(policy()).expect("who waits for it");
            let deadline = Instant::now() + Duration::from_secs(20);
            while policy() != OTHER && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            forward.send(policy()).expect("who waits for it");
            Ok(())
        };
        writer.submit_bulk(true, work, |_| {}).expect("a place");
        assert_eq!(has_begun.recv().expect("a policy"), back());
        let told = move |value: StoreResult<String>| drop(answer.send(value));
        writer
            .submit_durable(|_| Ok(policy()), told)
            .expect("a place");
        assert_eq!(is_forward.recv().expect("a policy"), OTHER);
        let durable = result.recv().expect("an answer").expect("a commit");
        assert_eq!(durable, OTHER);
        writer.close();
    }
}
