//! What a scan's writes leave to those who read: the core, at once.
//!
//! Where every core is busy, a thread that wakes up to answer waits until the one that runs has
//! had its share of some milliseconds: several times as long as most answers take. The threads of
//! scans are interrupted at once, but the writer must not be one of those, as durable writes wait
//! for what it has in hand. So it takes its share in longer slices, which lets whoever wakes up
//! with a shorter one go first. Kernels before 6.12 know no such slices: there it offers its core of
//! its own accord, several times a millisecond, while somebody reads.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::store::StoreResult;

/// How long the writer runs at a stretch where nobody with a shorter slice wants its core: some
/// times as long as everybody's.
const SLICE: Duration = Duration::from_millis(20);
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

/// What the writer does for others, on its own thread.
pub(super) struct Means {
    /// Lets whoever waits for the core have it for a while.
    pub(super) offer: fn(),
    /// Sets how long the writer runs at a stretch, `None` for as long as others do; whether that
    /// took effect.
    pub(super) stretch: fn(Option<Duration>) -> bool,
}

/// What the kernel has for that.
pub(super) const NATIVE: Means = Means {
    offer: std::thread::yield_now,
    stretch,
};

fn stretch(slice: Option<Duration>) -> bool {
    let set = ledge_native::set_slice(slice);
    // Kernels that know no slices take them without complaint.
    let is_set = || ledge_native::slice().is_ok_and(|now| now == slice);
    set.is_ok() && (slice.is_none() || is_set())
}

/// The writer's side of it.
#[derive(Debug)]
pub(super) struct Courtesy {
    is_on: Arc<AtomicBool>,
    /// Whether the slice is a longer one right now.
    is_long: Arc<AtomicBool>,
    /// Whether there are longer slices, once that was tried.
    has_slices: Cell<Option<bool>>,
    stretch: fn(Option<Duration>) -> bool,
}

impl Courtesy {
    /// On the writer's connection. Nobody is let in while somebody waits for a write of their own,
    /// which what is in hand holds up.
    pub(super) fn of(
        connection: &mut Connection,
        company: Company,
        is_awaited: impl Fn() -> bool + Send + 'static,
        Means { offer, stretch }: Means,
    ) -> StoreResult<Self> {
        let (is_on, is_long) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        let (told, stretched) = (is_on.clone(), is_long.clone());
        let mut since = Instant::now();
        let mut seen: Option<Instant> = None;
        let look = move || {
            if !told.load(Ordering::Relaxed) || since.elapsed() < TURN {
                return false;
            }
            since = Instant::now();
            if company.take() {
                seen = Some(since);
            }
            if is_awaited() {
                if stretched.swap(false, Ordering::Relaxed) {
                    stretch(None);
                }
            // Whoever gives its core away gives away the rest of its slice, too.
            } else if !stretched.load(Ordering::Relaxed)
                && seen.is_some_and(|seen| seen.elapsed() < STAY)
            {
                offer();
                since = Instant::now();
            }
            false
        };
        connection.progress_handler(STRIDE, Some(look))?;
        Ok(Self {
            is_on,
            is_long,
            has_slices: Cell::new(None),
            stretch,
        })
    }

    /// Does what can wait, and lets others go first where there are any.
    pub(super) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.is_on.store(true, Ordering::Relaxed);
        self.lengthen();
        let result = work();
        if self.is_long.swap(false, Ordering::Relaxed) {
            (self.stretch)(None);
        }
        self.is_on.store(false, Ordering::Relaxed);
        result
    }

    /// What a kernel or a sandbox refuses once is not tried again.
    fn lengthen(&self) {
        if self.has_slices.get() == Some(false) {
            return;
        }
        let is_long = (self.stretch)(Some(SLICE));
        self.is_long.store(is_long, Ordering::Relaxed);
        self.has_slices.set(Some(is_long));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        /// How often the core was offered, and the slices that were set.
        static OFFERS: Cell<u32> = const { Cell::new(0) };
        static SLICES: RefCell<Vec<Option<Duration>>> = const { RefCell::new(Vec::new()) };
    }

    fn offer() {
        OFFERS.set(OFFERS.get() + 1);
    }

    fn stretch(slice: Option<Duration>) -> bool {
        SLICES.with_borrow_mut(|slices| slices.push(slice));
        true
    }

    struct Desk {
        connection: Connection,
        company: Company,
        is_awaited: Arc<AtomicBool>,
        courtesy: Courtesy,
    }

    impl Desk {
        fn new(stretch: fn(Option<Duration>) -> bool) -> Self {
            let mut connection = Connection::open_in_memory().expect("a database");
            let company = Company::default();
            let is_awaited = Arc::new(AtomicBool::new(false));
            let awaited = is_awaited.clone();
            let courtesy = Courtesy::of(
                &mut connection,
                company.clone(),
                move || awaited.load(Ordering::Relaxed),
                Means { offer, stretch },
            );
            Self {
                connection,
                company,
                is_awaited,
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
            OFFERS.take()
        }
    }

    #[test]
    fn without_slices_a_core_is_offered_while_somebody_reads_and_nobody_waits_for_a_write() {
        let desk = Desk::new(|_| false);
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
        let desk = Desk::new(|_| false);
        let offers = desk.courtesy.during(|| {
            assert_eq!(desk.work(), 0);
            desk.company.note();
            desk.work()
        });
        assert!(offers > 0);
    }

    #[test]
    fn in_a_longer_slice_nothing_is_offered_and_it_ends_with_the_work() {
        let desk = Desk::new(stretch);
        desk.company.note();
        assert_eq!(desk.courtesy.during(|| desk.work()), 0);
        assert_eq!(SLICES.take(), [Some(SLICE), None]);
        assert_eq!(desk.work(), 0);
        assert!(SLICES.take().is_empty());
    }

    #[test]
    fn a_longer_slice_ends_where_somebody_begins_to_wait_for_a_write() {
        let desk = Desk::new(stretch);
        desk.courtesy.during(|| {
            desk.work();
            assert_eq!(SLICES.take(), [Some(SLICE)]);
            desk.is_awaited.store(true, Ordering::Relaxed);
            desk.work();
            assert_eq!(SLICES.take(), [None]);
        });
        assert!(SLICES.take().is_empty());
    }

    #[test]
    fn what_is_refused_once_is_not_tried_again() {
        let desk = Desk::new(|slice| {
            stretch(slice);
            false
        });
        desk.courtesy.during(|| desk.work());
        desk.courtesy.during(|| desk.work());
        assert_eq!(SLICES.take(), [Some(SLICE)]);
    }

    #[test]
    fn the_kernel_is_told_and_asked() {
        // Some sandboxes forbid to ask, and kernels before 6.12 have no answer.
        let Ok(Some(usual)) = ledge_native::slice() else {
            return;
        };
        assert!(super::stretch(Some(SLICE)));
        assert_eq!(ledge_native::slice().ok().flatten(), Some(SLICE));
        assert!(super::stretch(None));
        assert_eq!(ledge_native::slice().ok().flatten(), Some(usual));
    }
}
