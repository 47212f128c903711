//! Reads of a few rows on the calling thread. Waking another thread would take several times as
//! long.
//!
//! The caller is an async thread that serves other requests, so nothing waits here. A reader thread
//! takes over if no connection is free, another connection holds the database, the read exceeds a
//! few rows, or the disk is slow.
//!
//! The duration of reads shows a slow disk. The time that this thread has waited for a core is
//! subtracted, because it dominates on a busy machine.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{id_set, open, readers};
use crate::error::{StoreError, StoreResult};
use crate::process::available_parallelism;

/// Maximum number of connections. With more threads, some reads go to a reader thread.
const MAX_CONNECTIONS: usize = 4;
/// Page cache of each connection, in KiB. A look-up of one item among a million then reads eleven
/// pages from the system; twice the memory would save two of them.
const CACHE: i64 = 2048;
/// Minimum duration of a read that has waited for the disk.
const LONG: Duration = Duration::from_millis(2);
/// Doubt that a long read adds. A quick read subtracts one.
const DOUBT: u32 = 16;
/// Upper limit of the doubt, equal to two long reads, and its initial value.
const MOST_DOUBT: u32 = 2 * DOUBT;
/// Virtual machine steps of SQLite between two calls of the progress handler.
const STRIDE: i32 = 1000;
/// Calls of the progress handler after which a read exceeds a few rows. SQLite may call the handler
/// early, so the limit has a reserve.
const MAX_CALLBACKS: u32 = 16;

/// File in which Linux reports the run time and the wait time of this thread, in nanoseconds.
const SCHEDULED: &str = "/proc/thread-self/schedstat";

/// Returns the time that this thread has waited for a core, or `None` on systems without
/// [`SCHEDULED`].
fn wait_for_a_core() -> Option<Duration> {
    let mut text = [0; 64];
    let length = File::open(SCHEDULED).ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let nanos = text.split(' ').nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// Connections for short reads; clones share them.
#[derive(Clone)]
pub(super) struct InlineReader {
    shared: Arc<Shared>,
}

struct Shared {
    slots: Vec<Mutex<Option<Slot>>>,
    /// Doubt about the speed of the disk. Above one long read, no read is made here.
    doubt: AtomicU32,
}

struct Slot {
    connection: Connection,
    callbacks: Arc<AtomicU32>,
}

impl fmt::Debug for InlineReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InlineReader")
    }
}

impl InlineReader {
    pub(super) fn of(path: &Path) -> StoreResult<Self> {
        let slot = |_| Ok(Mutex::new(Some(Slot::open(path)?)));
        let slots = (0..available_parallelism().min(MAX_CONNECTIONS)).map(slot);
        Ok(Self {
            shared: Arc::new(Shared {
                slots: slots.collect::<StoreResult<_>>()?,
                doubt: AtomicU32::new(MOST_DOUBT),
            }),
        })
    }

    /// Returns whether recent reads were quick.
    pub(super) fn is_quick(&self) -> bool {
        self.shared.doubt.load(Ordering::Relaxed) <= DOUBT
    }

    /// Reads on this thread. Returns `None` if a reader thread must do it.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> Option<StoreResult<T>> {
        let slot = self.shared.slots.iter().find_map(free)?;
        let slot = slot.as_ref()?;
        slot.callbacks.store(0, Ordering::Relaxed);
        let result = self.timed(|| readers::in_transaction(&slot.connection, work));
        let is_for_a_reader = result.as_ref().is_err_and(is_for_a_reader);
        (!is_for_a_reader).then_some(result)
    }

    /// Measures the duration of a read on any thread.
    pub(super) fn timed<T>(&self, read: impl FnOnce() -> T) -> T {
        let doubt = &self.shared.doubt;
        let before = doubt.load(Ordering::Relaxed);
        // Measured only in doubt, because the system call takes some microseconds. The first long
        // read is not corrected.
        let waited = (before > 0).then(wait_for_a_core).flatten();
        let begin = Instant::now();
        let result = read();
        let took = begin.elapsed();
        let was_long = took >= LONG && {
            let since = waited.and_then(|then| wait_for_a_core()?.checked_sub(then));
            took.saturating_sub(since.unwrap_or_default()) >= LONG
        };
        let after = if was_long {
            MOST_DOUBT.min(before + DOUBT)
        } else {
            before.saturating_sub(1)
        };
        // One of two concurrent updates may be lost, which is harmless.
        if after != before {
            doubt.store(after, Ordering::Relaxed);
        }
        result
    }

    pub(super) fn close(&self) {
        for slot in &self.shared.slots {
            drop(whole(slot.lock()).take());
        }
    }
}

impl Slot {
    fn open(path: &Path) -> StoreResult<Self> {
        let mut connection = open::unread(path)?;
        connection.busy_timeout(Duration::ZERO)?;
        connection.pragma_update(None, "cache_size", -CACHE)?;
        id_set::register(&connection)?;
        let callbacks = Arc::new(AtomicU32::new(0));
        let counter = callbacks.clone();
        let is_too_much = move || counter.fetch_add(1, Ordering::Relaxed) >= MAX_CALLBACKS;
        connection.progress_handler(STRIDE, Some(is_too_much))?;
        Ok(Self {
            connection,
            callbacks,
        })
    }
}

fn free(slot: &Mutex<Option<Slot>>) -> Option<MutexGuard<'_, Option<Slot>>> {
    match slot.try_lock() {
        Ok(slot) => Some(slot),
        Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Reads catch panics, so a panic never leaves a connection in the middle of a transaction.
fn whole<T>(guard: Result<T, PoisonError<T>>) -> T {
    guard.unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether another connection held the database or the read exceeded a few rows.
fn is_for_a_reader(error: &StoreError) -> bool {
    let is_cut_short = matches!(error, StoreError::Sqlite(error)
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted));
    is_cut_short || error.is_busy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline_reader() -> (tempfile::TempDir, InlineReader) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        open::writable(&path).expect("a database");
        let inline_reader = InlineReader::of(&path).expect("connections");
        (folder, inline_reader)
    }

    /// Counts to `n`.
    fn count(conn: &Connection, n: i64) -> StoreResult<i64> {
        let sql = "WITH RECURSIVE number (n) AS (
                       SELECT 1
                        UNION ALL
                       SELECT n + 1 FROM number WHERE n < ?1)
                   SELECT max(n) FROM number";
        Ok(conn.prepare_cached(sql)?.query_row([n], |row| row.get(0))?)
    }

    /// Simulates a read that waits for the disk and keeps its core.
    fn read_long(inline_reader: &InlineReader) {
        let end = own_time() + LONG * 2;
        inline_reader.timed(|| while own_time() < end {});
    }

    /// Returns the time that this thread has had a core.
    fn own_time() -> Duration {
        let text = std::fs::read_to_string(SCHEDULED).expect("figures of the thread");
        let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
        Duration::from_nanos(nanos.expect("a figure"))
    }

    #[test]
    fn reads_are_made_here_once_enough_of_them_were_quick_elsewhere() {
        let (_folder, inline_reader) = inline_reader();
        for _ in 0..DOUBT {
            assert!(!inline_reader.is_quick());
            inline_reader.timed(|| ());
        }
        assert!(inline_reader.is_quick());
    }

    #[test]
    fn one_long_read_tells_nothing_and_two_close_to_each_other_that_the_disk_is_slow() {
        let (_folder, inline_reader) = inline_reader();
        for _ in 0..3 {
            // On a busy machine, one of these can be long as well.
            while inline_reader.shared.doubt.load(Ordering::Relaxed) > 0 {
                inline_reader.timed(|| ());
            }
            read_long(&inline_reader);
            assert!(inline_reader.is_quick());
        }
        inline_reader.timed(|| ());
        read_long(&inline_reader);
        assert!(!inline_reader.is_quick());
        // However many long reads follow, the same number of quick reads is enough.
        (0..5).for_each(|_| read_long(&inline_reader));
        (0..DOUBT).for_each(|_| inline_reader.timed(|| ()));
        assert!(inline_reader.is_quick());
    }

    #[test]
    fn what_is_more_than_a_few_rows_is_left_to_others() {
        let (_folder, inline_reader) = inline_reader();
        // The same statement runs several times. Its earlier steps do not count.
        for _ in 0..1000 {
            let counted = inline_reader
                .read(|conn| count(conn, 50))
                .expect("an answer");
            assert_eq!(counted.expect("a count"), 50);
        }
        assert!(inline_reader.read(|conn| count(conn, 1_000_000)).is_none());
        assert!(inline_reader.read(|conn| count(conn, 50)).is_some());
    }

    #[test]
    fn nobody_waits_for_a_connection_or_a_lock() {
        let (_folder, inline_reader) = inline_reader();
        let held: Vec<_> = inline_reader
            .shared
            .slots
            .iter()
            .map(|slot| whole(slot.lock()))
            .collect();
        assert!(inline_reader.read(|conn| count(conn, 1)).is_none());
        drop(held);
        assert!(
            inline_reader
                .read(|_| Err::<(), _>(StoreError::Busy))
                .is_none()
        );
        assert!(inline_reader.read(|conn| count(conn, 1)).is_some());
        inline_reader.close();
        assert!(inline_reader.read(|conn| count(conn, 1)).is_none());
    }
}
