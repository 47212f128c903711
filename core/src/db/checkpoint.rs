//! Folding the write-ahead log into the database, on a thread of its own: the writer, and whoever
//! waits for it, is not held up by the disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError};
use rusqlite::Connection;

use super::open;
use crate::background::Stance;
use crate::store::{StoreError, StoreResult};

/// The log is folded in each time it has grown by so many pages.
const STEP: u64 = 4_000;
/// Scans wait for the log to be folded in when it has so many pages: while they go on writing, it
/// never begins anew.
const MAX: u64 = 16_000;

/// How long a pass goes after others while something is written.
const PATIENCE: Duration = Duration::from_millis(500);

/// The log, as the writer sees it.
pub(super) struct Log {
    /// Pages in it after the last commit.
    pages: Arc<AtomicU64>,
    /// How many there are to be before it is folded in next.
    due: u64,
    /// How many there may be before scans wait.
    limit: u64,
    wake: Option<Sender<()>>,
    passes: Receiver<Pass>,
    /// Held so that the passes never look closed.
    _sender: Sender<Pass>,
    /// How the thread does a pass.
    stance: Arc<Stance>,
    thread: Option<JoinHandle<()>>,
}

/// What one pass found: how many pages the log had.
pub(super) struct Pass(u64);

impl Log {
    /// Watches the commits of the writer's connection to the database at `path`.
    pub(super) fn of(writer: &mut Connection, path: &Path) -> StoreResult<Self> {
        let pages = Arc::new(AtomicU64::new(0));
        let own = pages.clone();
        // It takes the place of the hook by which SQLite folds the log in after a commit.
        writer.wal_hook(Some(move |_: &mut _, count| {
            own.store(u64::try_from(count).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let connection = open::writable(path)?;
        let (wake, wakes) = crossbeam_channel::bounded(1);
        let (sender, passes) = crossbeam_channel::unbounded();
        let stance = Arc::new(Stance::default());
        let folding = Folding {
            connection,
            stance: stance.clone(),
            pages: pages.clone(),
        };
        let told = sender.clone();
        let thread = thread::Builder::new()
            .name("db-checkpoint".to_owned())
            .spawn(move || run(&folding, &wakes, &told))
            .map_err(|error| StoreError::Refused(format!("No thread: {error}.")))?;
        Ok(Self {
            pages,
            due: STEP,
            limit: MAX,
            wake: Some(wake),
            passes,
            _sender: sender,
            stance,
            thread: Some(thread),
        })
    }

    fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    /// After a commit: wakes the thread when it is time.
    pub(super) fn committed(&mut self) {
        self.stance.call_forward_after(PATIENCE);
        let pages = self.pages();
        if pages + STEP < self.due {
            // It was folded in and begun anew.
            (self.due, self.limit) = (STEP, MAX);
        }
        if pages >= self.due || self.is_full() {
            self.due = pages + STEP;
            self.wake();
        }
    }

    fn wake(&mut self) {
        if self.pages() >= MAX {
            self.stance.stay_forward();
        }
        // Where the queue is full, the thread is about to look anyway.
        if let Some(Err(TrySendError::Disconnected(()))) =
            self.wake.as_ref().map(|wake| wake.try_send(()))
        {
            // Without the thread nobody is to wait for it; the next start folds the log in.
            self.limit = u64::MAX;
        }
    }

    /// Whether scans are to wait for a pass.
    pub(super) fn is_full(&self) -> bool {
        self.pages() >= self.limit
    }

    /// Tells of the passes.
    pub(super) fn passes(&self) -> &Receiver<Pass> {
        &self.passes
    }

    /// A pass has ended. One that saw the whole log lets scans go on, even if readers kept it from
    /// folding in everything: they may stay for long.
    pub(super) fn passed(&mut self, Pass(seen): &Pass) {
        if !self.is_full() {
            return;
        }
        if *seen >= self.pages() {
            self.limit = self.pages() + MAX;
        } else {
            self.wake();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Nor does a pass that is still due stand back.
        self.stance.stay_forward();
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // A panic was told by the thread itself.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Folding {
    connection: Connection,
    stance: Arc<Stance>,
    /// Pages in the log after the last commit.
    pages: Arc<AtomicU64>,
}

impl Folding {
    /// Others go first while the log is short.
    fn pass(&self) -> StoreResult<u64> {
        let is_awaited = || self.pages.load(Ordering::Relaxed) >= MAX;
        self.stance.during(is_awaited, || fold(&self.connection))
    }
}

fn run(folding: &Folding, wakes: &Receiver<()>, passed: &Sender<Pass>) {
    for () in wakes {
        let pages = folding.pass().unwrap_or_else(|error| {
            tracing::warn!(%error, "the write-ahead log could not be folded in; it grows");
            // Scans need not wait for what does not work.
            u64::MAX
        });
        // The writer has gone, then.
        let _ = passed.send(Pass(pages));
    }
}

/// Folds in what no reader still needs from before; the log's pages.
fn fold(connection: &Connection) -> StoreResult<u64> {
    let pages: i64 =
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))?;
    Ok(u64::try_from(pages).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::db::courtesy::Company;
    use crate::db::presence::Presence;
    use crate::db::writer::Writer;

    /// Were the log never begun anew, it would grow to what all writes have written together.
    #[test]
    fn a_scan_that_writes_on_and_on_keeps_the_log_short() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let connection = open::writable(&path).expect("a database");
        connection
            .execute_batch("CREATE TABLE heap (id INTEGER PRIMARY KEY, stuff BLOB)")
            .expect("a table");
        let writer = Writer::start(connection, &path, Presence::new(), Company::default())
            .expect("a writer");
        for id in 0..60 {
            let (answer, result) = mpsc::sync_channel(1);
            writer
                .submit_bulk(
                    false,
                    move |tx| {
                        tx.execute("REPLACE INTO heap VALUES (?1, zeroblob(4000000))", [id % 3])?;
                        Ok(())
                    },
                    move |value| drop(answer.send(value)),
                )
                .expect("a place in the queue");
            result.recv().expect("an answer").expect("a commit");
        }
        let log = std::fs::metadata(folder.path().join("ledge.db-wal")).expect("a log");
        let most = (MAX + STEP) * 4120;
        assert!(log.len() < most, "{} of at most {most}", log.len());
        writer.close();
    }
}
