//! Reads of a few rows on the very thread that asks: waking another for them would take several
//! times as long as they do.
//!
//! Whoever asks is an async thread with other requests to see to, so nothing waits here. Where no
//! connection is free, where somebody else holds the database, where it turns out to be more than
//! a few rows, or where the disk is slow just now, a reader thread does it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{id_set, open, readers};
use crate::store::{StoreError, StoreResult};

/// Connections at most; of more threads than that, some have to ask a reader now and then.
const MAX_CONNECTIONS: usize = 4;
/// Pages that each keeps, in KiB: of a million items, those that lead to all others.
const CACHE: i64 = 4096;
/// What takes longer waited for the disk.
const LONG: Duration = Duration::from_millis(2);
/// So many reads in a row must have taken less before any is made here again.
const PROOF: u32 = 16;
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
    /// Reads that still have to prove that the disk is quick.
    unproven: AtomicU32,
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
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let desk = |_| Ok(Mutex::new(Some(Desk::open(path)?)));
        let desks = (0..cores.min(MAX_CONNECTIONS)).map(desk);
        Ok(Self {
            shared: Arc::new(Shared {
                desks: desks.collect::<StoreResult<_>>()?,
                unproven: AtomicU32::new(PROOF),
            }),
        })
    }

    /// Whether reads have been quick of late.
    pub(super) fn is_quick(&self) -> bool {
        self.shared.unproven.load(Ordering::Relaxed) == 0
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
        let begin = Instant::now();
        let result = read();
        let unproven = &self.shared.unproven;
        if begin.elapsed() >= LONG {
            unproven.store(PROOF, Ordering::Relaxed);
        } else if !self.is_quick() {
            let less = |left: u32| left.checked_sub(1);
            let _ = unproven.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
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

    #[test]
    fn reads_are_made_here_once_enough_of_them_were_quick_elsewhere() {
        let (_folder, few) = few();
        for _ in 0..PROOF {
            assert!(!few.is_quick());
            few.timed(|| ());
        }
        assert!(few.is_quick());
        let begin = Instant::now();
        few.timed(|| while begin.elapsed() < LONG {});
        assert!(!few.is_quick());
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
