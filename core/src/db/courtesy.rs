//! What a scan's writes leave to those who read: the core, several times a millisecond.
//!
//! Where every core is busy, a thread that wakes up to answer waits until the one that runs has
//! had its share of some milliseconds: several times as long as most answers take. The threads of
//! scans are interrupted at once, but the writer can be one of those only where it can be called
//! forward again, as durable writes wait for what it has in hand. Everywhere else it offers its core
//! of its own accord while somebody reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::store::StoreResult;

/// Steps of SQLite's machine between two looks at the clock.
const STRIDE: i32 = 500;
/// How long the core is kept.
const TURN: Duration = Duration::from_micros(200);
/// Who reads goes on reading: for so long.
const STAY: Duration = Duration::from_secs(2);

/// Whether somebody reads; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Company(Arc<AtomicBool>);

impl Company {
    /// Somebody reads.
    pub(super) fn note(&self) {
        // Looked at first: written each time, it would travel between the cores.
        if !self.0.load(Ordering::Relaxed) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody has read since the last time this was asked.
    pub(super) fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// The writer's side of it.
#[derive(Debug)]
pub(super) struct Courtesy {
    is_on: Arc<AtomicBool>,
}

impl Courtesy {
    /// On the writer's connection. Nothing is offered while somebody waits for a write of their
    /// own, which what is in hand holds up.
    pub(super) fn of(
        connection: &mut Connection,
        company: Company,
        is_awaited: impl Fn() -> bool + Send + 'static,
        offer: impl Fn() + Send + 'static,
    ) -> StoreResult<Self> {
        let is_on = Arc::new(AtomicBool::new(false));
        let told = is_on.clone();
        let mut since = Instant::now();
        let mut seen: Option<Instant> = None;
        let look = move || {
            if told.load(Ordering::Relaxed) && since.elapsed() >= TURN {
                since = Instant::now();
                if company.take() {
                    seen = Some(since);
                }
                if seen.is_some_and(|seen| seen.elapsed() < STAY) && !is_awaited() {
                    offer();
                    since = Instant::now();
                }
            }
            false
        };
        connection.progress_handler(STRIDE, Some(look))?;
        Ok(Self { is_on })
    }

    /// Does what can wait, and lets others go first where there are any.
    pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.is_on.store(true, Ordering::Relaxed);
        let result = work();
        self.is_on.store(false, Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    struct Desk {
        connection: Connection,
        company: Company,
        is_awaited: Arc<AtomicBool>,
        offers: Arc<AtomicU32>,
        courtesy: Courtesy,
    }

    impl Desk {
        fn new() -> Self {
            let mut connection = Connection::open_in_memory().expect("a database");
            let company = Company::default();
            let is_awaited = Arc::new(AtomicBool::new(false));
            let offers = Arc::new(AtomicU32::new(0));
            let (awaited, counted) = (is_awaited.clone(), offers.clone());
            let courtesy = Courtesy::of(
                &mut connection,
                company.clone(),
                move || awaited.load(Ordering::Relaxed),
                move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                },
            );
            Self {
                connection,
                company,
                is_awaited,
                offers,
                courtesy: courtesy.expect("a handler"),
            }
        }

        /// Counts for several turns; how often the core was offered meanwhile.
        fn work(&self) -> u32 {
            let sql = "WITH RECURSIVE number (n) AS (
                           SELECT 1
                            UNION ALL
                           SELECT n + 1 FROM number WHERE n < 200000)
                       SELECT count(*) FROM number";
            let count: i64 = self
                .connection
                .query_row(sql, [], |row| row.get(0))
                .expect("a count that is not cut short");
            assert_eq!(count, 200_000);
            self.offers.swap(0, Ordering::Relaxed)
        }
    }

    #[test]
    fn a_core_is_offered_while_somebody_reads_and_nobody_waits_for_a_write() {
        let desk = Desk::new();
        assert_eq!(desk.courtesy.during(|| desk.work()), 0);
        desk.company.note();
        assert!(desk.courtesy.during(|| desk.work()) > 0);
        // Not only in the write that first hears of it.
        assert!(desk.courtesy.during(|| desk.work()) > 0);
        // What people write offers nothing.
        assert_eq!(desk.work(), 0);
        desk.is_awaited.store(true, Ordering::Relaxed);
        assert_eq!(desk.courtesy.during(|| desk.work()), 0);
    }

    #[test]
    fn who_comes_after_a_long_write_began_is_offered_the_core_too() {
        let desk = Desk::new();
        let offers = desk.courtesy.during(|| {
            assert_eq!(desk.work(), 0);
            desk.company.note();
            desk.work()
        });
        assert!(offers > 0);
    }
}
