//! Reads of a few rows on the very thread that asks: waking another for them would take several
//! times as long as they do.
//!
//! Whoever asks is an async thread with other requests to see to, so nothing waits here. Where no
//! connection is free, where somebody else holds the database, where it turns out to be more than
//! a few rows, or where the disk is slow just now, a reader thread does it.
//!
//! That the disk is slow shows in the time that reads take, without what this thread has waited for
//! a core meanwhile: on a busy machine that is most of it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{id_set, open, readers};
use crate::background::wait_for_a_core;
use crate::cores;
use crate::store::{StoreError, StoreResult};

/// Connections at most; of more threads than that, some have to ask a reader now and then.
const MAX_CONNECTIONS: usize = 4;
/// Pages that each keeps, in KiB. To look up one item of a million takes eleven that the system
/// has instead; with twice the memory it would be nine.
const CACHE: i64 = 2048;
/// What takes longer waited for the disk.
const LONG: Duration = Duration::from_millis(2);
/// How much doubt a long read adds; a quick one takes one of it away.
const DOUBT: u32 = 16;
/// No doubt grows beyond two long reads, and that is what there is at first.
const MOST_DOUBT: u32 = 2 * DOUBT;
/// Steps of SQLite's machine between two looks at how many there were.
const STRIDE: i32 = 1000;
/// Looks that a read has before it counts as more than a few rows. A statement may be looked at
/// early, so that there are some to spare.
const LOOKS: u32 = 16;

/// The connections; clones share them.
#[derive(Clone)]
pub(super) struct Few {
    shared: Arc<Shared>,
}

struct Shared {
    desks: Vec<Mutex<Option<Desk>>>,
    /// Whether the disk is quick: with more than one long read of it, none is made here.
    doubt: AtomicU32,
}

struct Desk {
    connection: Connection,
    looks: Arc<AtomicU32>,
}

impl fmt::Debug for Few {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Few")
    }
}

impl Few {
    pub(super) fn of(path: &Path) -> StoreResult<Self> {
        let desk = |_| Ok(Mutex::new(Some(Desk::open(path)?)));
        let desks = (0..cores().min(MAX_CONNECTIONS)).map(desk);
        Ok(Self {
            shared: Arc::new(Shared {
                desks: desks.collect::<StoreResult<_>>()?,
                doubt: AtomicU32::new(MOST_DOUBT),
            }),
        })
    }

    /// Whether reads have been quick of late.
    pub(super) fn is_quick(&self) -> bool {
        self.shared.doubt.load(Ordering::Relaxed) <= DOUBT
    }

    /// Reads on this thread; `None` where a reader thread is to do it.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> Option<StoreResult<T>> {
        let desk = self.shared.desks.iter().find_map(free)?;
        let desk = desk.as_ref()?;
        desk.looks.store(0, Ordering::Relaxed);
        let result = self.timed(|| readers::in_transaction(&desk.connection, work));
        let is_for_a_reader = result.as_ref().is_err_and(is_for_a_reader);
        (!is_for_a_reader).then_some(result)
    }

    /// Takes notice of how long a read takes, wherever it is made.
    pub(super) fn timed<T>(&self, read: impl FnOnce() -> T) -> T {
        let doubt = &self.shared.doubt;
        let before = doubt.load(Ordering::Relaxed);
        // Only in doubt, as to ask takes some microseconds: of the first long read nobody knows.
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
        // Of two threads that count at once one may be forgotten, which does not matter.
        if after != before {
            doubt.store(after, Ordering::Relaxed);
        }
        result
    }

    pub(super) fn close(&self) {
        for desk in &self.shared.desks {
            drop(whole(desk.lock()).take());
        }
    }
}

impl Desk {
    fn open(path: &Path) -> StoreResult<Self> {
        let mut connection = open::unread(path)?;
        connection.busy_timeout(Duration::ZERO)?;
        connection.pragma_update(None, "cache_size", -CACHE)?;
        id_set::register(&connection)?;
        let looks = Arc::new(AtomicU32::new(0));
        let looked = looks.clone();
        let is_too_much = move || looked.fetch_add(1, Ordering::Relaxed) >= LOOKS;
        connection.progress_handler(STRIDE, Some(is_too_much))?;
        Ok(Self { connection, looks })
    }
}

fn free(desk: &Mutex<Option<Desk>>) -> Option<MutexGuard<'_, Option<Desk>>> {
    match desk.try_lock() {
        Ok(desk) => Some(desk),
        Err(TryLockError::Poisoned(desk)) => Some(desk.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A read catches its panics, so that none leaves a connection in the middle of anything.
fn whole<T>(guard: Result<T, PoisonError<T>>) -> T {
    guard.unwrap_or_else(PoisonError::into_inner)
}

/// Somebody else holds the database for a moment, or it was more than a few rows.
fn is_for_a_reader(error: &StoreError) -> bool {
    let is_cut_short = matches!(error, StoreError::Sqlite(error)
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted));
    is_cut_short || error.is_busy()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::SCHEDULED;

    fn few() -> (tempfile::TempDir, Few) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        open::writable(&path).expect("a database");
        let few = Few::of(&path).expect("connections");
        (folder, few)
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

    /// A read that takes as long as one that waits for the disk, and has its core all the while.
    fn read_long(few: &Few) {
        let end = own_time() + LONG * 2;
        few.timed(|| while own_time() < end {});
    }

    /// How long this thread has had a core.
    fn own_time() -> Duration {
        let text = std::fs::read_to_string(SCHEDULED).expect("figures of the thread");
        let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
        Duration::from_nanos(nanos.expect("a figure"))
    }

    #[test]
    fn reads_are_made_here_once_enough_of_them_were_quick_elsewhere() {
        let (_folder, few) = few();
        for _ in 0..DOUBT {
            assert!(!few.is_quick());
            few.timed(|| ());
        }
        assert!(few.is_quick());
    }

    #[test]
    fn one_long_read_tells_nothing_and_two_close_to_each_other_that_the_disk_is_slow() {
        let (_folder, few) = few();
        for _ in 0..3 {
            // On a busy machine one of these may be long as well.
            while few.shared.doubt.load(Ordering::Relaxed) > 0 {
                few.timed(|| ());
            }
            read_long(&few);
            assert!(few.is_quick());
        }
        few.timed(|| ());
        read_long(&few);
        assert!(!few.is_quick());
        // However many more there are, as many quick ones are enough as at first.
        (0..5).for_each(|_| read_long(&few));
        (0..DOUBT).for_each(|_| few.timed(|| ()));
        assert!(few.is_quick());
    }

    #[test]
    fn what_is_more_than_a_few_rows_is_left_to_others() {
        let (_folder, few) = few();
        // The same statement again and again: what it did before does not count.
        for _ in 0..1000 {
            let counted = few.read(|conn| count(conn, 50)).expect("an answer");
            assert_eq!(counted.expect("a count"), 50);
        }
        assert!(few.read(|conn| count(conn, 1_000_000)).is_none());
        assert!(few.read(|conn| count(conn, 50)).is_some());
    }

    #[test]
    fn nobody_waits_for_a_connection_or_a_lock() {
        let (_folder, few) = few();
        let held: Vec<_> = few
            .shared
            .desks
            .iter()
            .map(|desk| whole(desk.lock()))
            .collect();
        assert!(few.read(|conn| count(conn, 1)).is_none());
        drop(held);
        assert!(few.read(|_| Err::<(), _>(StoreError::Busy)).is_none());
        assert!(few.read(|conn| count(conn, 1)).is_some());
        few.close();
        assert!(few.read(|conn| count(conn, 1)).is_none());
    }
}
