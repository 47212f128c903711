//! The levels of the orders that were asked for of late, made when they are wanted on a thread that
//! lets everybody else go first.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use super::levels::{Levels, Order};
use super::touched::Touched;
use crate::background;
use crate::db::open;
use crate::store::StoreResult;

/// Bytes of all levels together: those of three or four orders of a million items. Those of the
/// order asked for last stay in any case.
const MAX_BYTES: usize = 4 << 20;
/// As long as nobody else gets on with the machine, neither do levels: while they are read, the log
/// cannot be begun anew.
const PATIENCE: Duration = Duration::from_secs(20);
/// Levels of an order that are outdated, or could not be made, are made anew after so long at the
/// earliest.
const PAUSE: Duration = Duration::from_secs(10);

/// The levels; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Orders {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The database; without it, nothing is made.
    path: Option<PathBuf>,
    table: Mutex<Table>,
    stop: AtomicBool,
    /// What the thread has made. It takes no lock itself: others would wait for a thread that gets
    /// on only where nobody else does.
    sender: Sender<Outcome>,
    outcomes: Receiver<Outcome>,
    /// Whether there is one, whole: a receiver waits for a message that is being sent.
    is_sent: AtomicBool,
}

/// What came of making the levels of an order.
#[derive(Debug)]
struct Outcome {
    order: Order,
    levels: Option<Levels>,
}

#[derive(Debug, Default)]
struct Table {
    /// The last asked for come last.
    made: Vec<Made>,
    /// What was touched while levels are being made: those may have missed it.
    meanwhile: Option<Vec<Touched>>,
    /// When those of an order may be begun again.
    rests: Vec<(Order, Instant)>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Made {
    levels: Arc<Levels>,
    is_outdated: bool,
}

impl Orders {
    /// Those of the database at `path`, if there is to be any.
    pub(super) fn of(path: Option<&Path>) -> Self {
        let (sender, outcomes) = crossbeam_channel::unbounded();
        Self {
            shared: Arc::new(Shared {
                path: path.map(Path::to_owned),
                table: Mutex::default(),
                stop: AtomicBool::new(false),
                sender,
                outcomes,
                is_sent: AtomicBool::new(false),
            }),
        }
    }

    /// The levels of an order; `None` while they are not there. To ask has them made.
    pub(super) fn levels(&self, order: Order) -> Option<Arc<Levels>> {
        let mut table = self.table();
        let at = table.position(order);
        let known = at.map(|at| {
            let made = table.made.remove(at);
            let levels = Arc::clone(&made.levels);
            let is_outdated = made.is_outdated;
            table.made.push(made);
            (levels, is_outdated)
        });
        if known.as_ref().is_none_or(|(_, is_outdated)| *is_outdated) {
            self.begin(&mut table, order);
        }
        known.map(|(levels, _)| levels)
    }

    /// Too many items have changed since these were made.
    pub(super) fn outdate(&self, levels: &Arc<Levels>) {
        for made in &mut self.table().made {
            made.is_outdated |= Arc::ptr_eq(&made.levels, levels);
        }
    }

    /// These items are about to be committed, or were just now: once before a reader may see them as
    /// they are, and once more before whoever changed them is answered.
    pub(super) fn touch(&self, touched: Touched) {
        if touched.ranges().next().is_none() {
            return;
        }
        let mut table = self.table();
        for made in &table.made {
            made.levels.forget(&touched);
        }
        if let Some(meanwhile) = &mut table.meanwhile {
            meanwhile.push(touched);
        }
    }

    /// Levels that a test has made.
    #[cfg(test)]
    pub(super) fn put(&self, levels: Levels) {
        self.table().add(levels);
    }

    /// Stops making any.
    pub(super) fn close(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let thread = self.table().thread.take();
        if let Some(thread) = thread {
            // A panic was told by the thread itself.
            let _ = thread.join();
        }
    }

    /// Has levels made, unless some are or were just now.
    fn begin(&self, table: &mut Table, order: Order) {
        let Some(path) = &self.shared.path else {
            return;
        };
        if table.meanwhile.is_some()
            || table.rests(order)
            || self.shared.stop.load(Ordering::Relaxed)
        {
            return;
        }
        // From now on, whatever is touched is noted: what is read is read later.
        table.meanwhile = Some(Vec::new());
        let (own, path) = (self.clone(), path.clone());
        let thread = thread::Builder::new()
            .name("db-levels".to_owned())
            .spawn(move || own.make(&path, order));
        match thread {
            Ok(thread) => table.thread = Some(thread),
            Err(error) => {
                table.end(order, None);
                tracing::warn!(%error, "pages deep in a list stay slow: no thread");
            }
        }
    }

    fn make(&self, path: &Path, order: Order) {
        background::stand_back();
        let mut end = End {
            shared: &self.shared,
            order,
            levels: None,
        };
        match self.read(path, order) {
            Ok(levels) => end.levels = levels,
            Err(error) => tracing::warn!(%error, "pages deep in a list stay slow"),
        }
    }

    fn read(&self, path: &Path, order: Order) -> StoreResult<Option<Levels>> {
        let begin = Instant::now();
        let connection = open::unread(path)?;
        // All of one moment.
        let transaction = connection.unchecked_transaction()?;
        let goes_on = || !self.shared.stop.load(Ordering::Relaxed) && begin.elapsed() < PATIENCE;
        Levels::make(&transaction, order, goes_on)
    }

    /// The table, with what was made meanwhile.
    fn table(&self) -> MutexGuard<'_, Table> {
        let table = self.shared.table.lock();
        let mut table = table.unwrap_or_else(PoisonError::into_inner);
        if self.shared.is_sent.swap(false, Ordering::Acquire) {
            for outcome in self.shared.outcomes.try_iter() {
                table.end(outcome.order, outcome.levels);
            }
        }
        table
    }
}

impl Table {
    fn position(&self, order: Order) -> Option<usize> {
        self.made
            .iter()
            .position(|made| made.levels.order() == order)
    }

    fn add(&mut self, levels: Levels) {
        for touched in self.meanwhile.iter().flatten() {
            levels.forget(touched);
        }
        let order = levels.order();
        self.made.retain(|made| made.levels.order() != order);
        self.made.push(Made {
            levels: Arc::new(levels),
            is_outdated: false,
        });
        let mut bytes = 0;
        let fits = self.made.iter().rev().take_while(|made| {
            bytes += made.levels.bytes();
            bytes <= MAX_BYTES
        });
        let surplus = self.made.len() - fits.count().max(1);
        self.made.drain(..surplus);
    }

    fn rests(&self, order: Order) -> bool {
        let mut rests = self.rests.iter();
        rests.any(|(other, until)| *other == order && Instant::now() < *until)
    }

    /// The making of levels has ended.
    fn end(&mut self, order: Order, levels: Option<Levels>) {
        if let Some(levels) = levels {
            self.add(levels);
        }
        self.meanwhile = None;
        let until = Instant::now() + PAUSE;
        self.rests.retain(|(other, _)| *other != order);
        self.rests.push((order, until));
    }
}

/// Tells of the end, also where a panic is what came of it.
struct End<'a> {
    shared: &'a Shared,
    order: Order,
    levels: Option<Levels>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        // There is a receiver for as long as there is a sender.
        let _ = self.shared.sender.send(Outcome {
            order: self.order,
            levels: self.levels.take(),
        });
        self.shared.is_sent.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;
    use crate::id::ItemId;

    const TITLE: Order = Order {
        index: "item_by_title",
        columns: &["sort_title"],
    };
    const ADDED: Order = Order {
        index: "item_by_added",
        columns: &["added_at"],
    };

    fn database() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let mut connection = open::writable(&path).expect("a database");
        migrate::migrate(&mut connection).expect("a schema");
        connection
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
                 INSERT INTO item (library_id, kind, group_key, title, sort_title, initial,
                                   added_at)
                 SELECT 1, 'paper', n, n, n * 7919 % 997, 'A', n / 100 FROM n",
            )
            .expect("items");
        (folder, path)
    }

    fn levels(orders: &Orders, order: Order) -> Arc<Levels> {
        let begin = Instant::now();
        loop {
            if let Some(levels) = orders.levels(order) {
                return levels;
            }
            assert!(begin.elapsed() < Duration::from_mins(1), "no levels");
            thread::park_timeout(Duration::from_millis(1));
        }
    }

    fn touched(ids: std::ops::RangeInclusive<i64>) -> Touched {
        Touched::of(ids.map(ItemId))
    }

    #[test]
    fn levels_are_made_for_whoever_asks_and_those_at_hand_stay() {
        let (_folder, path) = database();
        let orders = Orders::of(Some(&path));
        assert!(orders.levels(TITLE).is_none());
        let made = levels(&orders, TITLE);
        assert!(made.of(ItemId(500)).is_some());
        // Outdated ones tell of what has not changed, until there are others.
        orders.touch(touched(500..=500));
        orders.outdate(&made);
        let same = orders.levels(TITLE).expect("what there is");
        assert!(Arc::ptr_eq(&made, &same));
        assert!(same.of(ItemId(500)).is_none() && same.of(ItemId(501)).is_some());
        orders.close();
    }

    #[test]
    fn they_are_made_one_at_a_time_and_not_over_and_over() {
        let (_folder, path) = database();
        let orders = Orders::of(Some(&path));
        assert!(orders.levels(TITLE).is_none() && orders.levels(ADDED).is_none());
        let made = levels(&orders, TITLE);
        let again = || {
            orders.outdate(&made);
            orders.levels(TITLE).expect("what there is");
            orders.table().meanwhile.is_some()
        };
        assert!(!again(), "within the pause");
        levels(&orders, ADDED);
        orders.table().rests.clear();
        assert!(again(), "after the pause");
        orders.close();
        orders.table().rests.clear();
        assert!(!again(), "after the end");
    }

    #[test]
    fn what_changes_while_levels_are_made_is_not_known_afterwards() {
        let (_folder, path) = database();
        let orders = Orders::of(None);
        orders.table().meanwhile = Some(Vec::new());
        let connection = open::unread(&path).expect("a reader");
        let made = Levels::make(&connection, TITLE, || true).expect("levels");
        orders.touch(touched(7..=9));
        drop(End {
            shared: &orders.shared,
            order: TITLE,
            levels: made,
        });
        let levels = orders.levels(TITLE).expect("levels");
        let known = (5..12).filter(|id| levels.of(ItemId(*id)).is_some());
        assert_eq!(known.collect::<Vec<_>>(), [5, 6, 10, 11]);
        assert!(orders.table().meanwhile.is_none());
    }

    #[test]
    fn a_database_that_cannot_be_read_ends_the_making() {
        let folder = tempfile::tempdir().expect("a folder");
        let orders = Orders::of(Some(&folder.path().join("none.db")));
        assert!(orders.levels(TITLE).is_none());
        let begin = Instant::now();
        while orders.table().meanwhile.is_some() {
            assert!(begin.elapsed() < Duration::from_mins(1), "no end");
        }
        assert!(orders.levels(TITLE).is_none());
    }

    #[test]
    fn memory_is_bounded_and_the_order_asked_for_last_stays() {
        let orders = Orders::of(None);
        for order in [TITLE, ADDED] {
            orders.put(Levels::of_segments(order, 40));
        }
        assert!(orders.levels(TITLE).is_none() && orders.levels(ADDED).is_some());
        orders.put(Levels::of_segments(TITLE, 300));
        assert!(orders.levels(TITLE).is_some() && orders.levels(ADDED).is_none());
    }
}
