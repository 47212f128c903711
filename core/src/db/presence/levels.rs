//! About how deep in an order each item lies, in a byte for each: which of some 250 levels, each of
//! about as many items.
//!
//! How many of a list's items lie before a page is then counted in memory, where the order's index
//! would be walked up to the page. An order has levels once a page deep in it was asked for. They
//! are made beside everything else: from the keys of some random items, and from the index that such
//! a page walks anyway. An item that has
//! changed since is on no level that is known; who counts looks it up.

use std::sync::atomic::{AtomicU8, Ordering};

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};

use super::super::id_set::WORDS;
use super::touched::Touched;
use crate::clock::random_below;
use crate::id::ItemId;
use crate::store::StoreResult;

/// An order of all items by columns of theirs, then by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The index that begins with library and kind and then has the order.
    pub index: &'static str,
    /// The columns, which hold numbers, or texts in binary order.
    pub columns: &'static [&'static str],
}

/// Values of an order's columns and the id.
pub type Key = Vec<Value>;

/// Boundaries between levels, so that every level has a number and one is left for the unknown.
const BOUNDARIES: usize = 254;
const UNKNOWN: u8 = u8::MAX;
/// Random items whose keys the boundaries are taken from.
const SAMPLE: usize = 16 * BOUNDARIES;
/// Ids in a segment: as many as a chunk of a set.
const SEGMENT: usize = 64 * WORDS;
/// Rows between two looks at whether to go on.
const STRIDE: usize = 4096;

type Segment = Box<[AtomicU8]>;

/// The levels of one order.
#[derive(Debug)]
pub struct Levels {
    order: Order,
    /// The lowest key of each level but the first, ascending.
    boundaries: Vec<Key>,
    by_item: Vec<Option<Segment>>,
}

impl Levels {
    /// Makes them from the index, all of one moment; `None` where `goes_on` says no or there is
    /// next to nothing.
    pub(super) fn make(
        connection: &Connection,
        order: Order,
        goes_on: impl Fn() -> bool,
    ) -> StoreResult<Option<Self>> {
        let boundaries = boundaries(connection, order, &goes_on)?;
        if boundaries.is_empty() {
            return Ok(None);
        }
        let mut levels = Self {
            order,
            boundaries,
            by_item: Vec::new(),
        };
        let mut statement = connection.prepare(&every_item_sql(order))?;
        let mut rows = statement.query([])?;
        let mut level = 0;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += 1;
            if count % STRIDE == 0 && !goes_on() {
                return Ok(None);
            }
            // Rows of one library and kind ascend, so that the level is mostly that of the row
            // before.
            level = levels.level_near(level, |n| Ok(row.get_ref(n)?))?;
            levels.set(row.get(order.columns.len())?, level);
        }
        Ok(Some(levels))
    }

    /// How many levels there are.
    pub fn count(&self) -> usize {
        self.boundaries.len() + 1
    }

    /// The lowest key that may be on a level; `None` on the first.
    pub fn lowest(&self, level: usize) -> Option<&[Value]> {
        Some(self.boundaries.get(level.checked_sub(1)?)?)
    }

    /// The level of an item; `None` if that is not known.
    pub fn of(&self, item: ItemId) -> Option<usize> {
        let (segment, at) = position(item.0)?;
        let segment = self.by_item.get(segment)?.as_ref()?;
        let level = segment.get(at)?.load(Ordering::Relaxed);
        (level != UNKNOWN).then_some(usize::from(level))
    }

    /// The level of a key.
    pub fn of_key(&self, key: &[Value]) -> usize {
        self.boundaries
            .partition_point(|boundary| compare(boundary, key).is_le())
    }

    /// Bytes that the items take.
    pub(super) fn bytes(&self) -> usize {
        self.by_item.iter().flatten().count() * SEGMENT
    }

    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// These items are on no level that is known.
    pub(super) fn forget(&self, touched: &Touched) {
        for (first, last) in touched.ranges() {
            let last_known = i64::try_from(self.by_item.len() * SEGMENT).unwrap_or(i64::MAX);
            for id in first..=last.min(last_known) {
                let entry = position(id)
                    .and_then(|(segment, at)| self.by_item.get(segment)?.as_ref()?.get(at));
                if let Some(entry) = entry {
                    entry.store(UNKNOWN, Ordering::Relaxed);
                }
            }
        }
    }

    /// The level of a row, looked for from another on.
    fn level_near<'r>(
        &self,
        from: usize,
        column: impl Fn(usize) -> StoreResult<ValueRef<'r>>,
    ) -> StoreResult<usize> {
        let reaches = |boundary: &Key| -> StoreResult<bool> {
            for (n, value) in boundary.iter().enumerate() {
                let ordering = compare_value(column(n)?, ValueRef::from(value));
                if ordering.is_ne() {
                    return Ok(ordering.is_gt());
                }
            }
            Ok(true)
        };
        let mut level = from;
        if let Some(lowest) = level.checked_sub(1).and_then(|n| self.boundaries.get(n))
            && !reaches(lowest)?
        {
            level = 0;
        }
        // A new library or kind begins anew; from there each row is at most a few levels further.
        while let Some(next) = self.boundaries.get(level)
            && reaches(next)?
        {
            level += 1;
        }
        Ok(level)
    }

    /// Of an item in each of so many segments.
    #[cfg(test)]
    pub(super) fn of_segments(order: Order, count: usize) -> Self {
        let mut levels = Self {
            order,
            boundaries: Vec::new(),
            by_item: Vec::new(),
        };
        let firsts = (0..count).map(|segment| i64::try_from(segment * SEGMENT));
        firsts.for_each(|id| levels.set(id.expect("a small number"), 0));
        levels
    }

    fn set(&mut self, id: i64, level: usize) {
        let (Some((segment, at)), Ok(level)) = (position(id), u8::try_from(level)) else {
            return;
        };
        if self.by_item.len() <= segment {
            self.by_item.resize_with(segment + 1, || None);
        }
        if let Some(slot) = self.by_item.get_mut(segment) {
            let new = || (0..SEGMENT).map(|_| AtomicU8::new(UNKNOWN)).collect();
            if let Some(entry) = slot.get_or_insert_with(new).get_mut(at) {
                *entry.get_mut() = level;
            }
        }
    }
}

fn position(id: i64) -> Option<(usize, usize)> {
    // As far as ids have numbers elsewhere.
    let id = usize::try_from(id).ok().filter(|id| *id < 1 << 32)?;
    Some((id / SEGMENT, id % SEGMENT))
}

/// The order's columns and the id, as selected.
fn columns(order: Order) -> String {
    format!("{}, id", order.columns.join(", "))
}

fn every_item_sql(order: Order) -> String {
    let columns = columns(order);
    format!(
        "SELECT {columns} FROM item INDEXED BY {} ORDER BY library_id, kind, {columns}",
        order.index
    )
}

/// Keys of random items, at equal distances; none where `goes_on` says no.
fn boundaries(
    connection: &Connection,
    order: Order,
    goes_on: &impl Fn() -> bool,
) -> StoreResult<Vec<Key>> {
    let max: u64 =
        connection.query_row("SELECT ifnull(max(id), 0) FROM item", [], |row| row.get(0))?;
    if max == 0 {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT {} FROM item WHERE id = ?1", columns(order));
    let mut statement = connection.prepare(&sql)?;
    let mut sample: Vec<Key> = Vec::with_capacity(SAMPLE);
    for n in 0..SAMPLE {
        // On a cold disk each takes a while.
        if n % 64 == 0 && !goes_on() {
            return Ok(Vec::new());
        }
        let mut rows = statement.query([random_below(max) + 1])?;
        let Some(row) = rows.next()? else { continue };
        let key = (0..=order.columns.len()).map(|n| row.get(n));
        sample.push(key.collect::<Result<_, _>>()?);
    }
    sample.sort_by(|a, b| compare(a, b));
    sample.dedup();
    // From the middle of each stretch, so that the first level is no larger than the others.
    let step = sample.len().div_ceil(BOUNDARIES).max(1);
    Ok(sample
        .into_iter()
        .skip(step - 1)
        .step_by(step)
        .take(BOUNDARIES)
        .collect())
}

/// Keys as SQLite compares them.
pub fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let pairs = a.iter().zip(b);
    let mut orderings = pairs.map(|(a, b)| compare_value(a.into(), b.into()));
    orderings
        .find(|ordering| ordering.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn compare_value(a: ValueRef<'_>, b: ValueRef<'_>) -> std::cmp::Ordering {
    match (a, b) {
        (ValueRef::Integer(a), ValueRef::Integer(b)) => a.cmp(&b),
        (ValueRef::Real(a), ValueRef::Real(b)) => a.total_cmp(&b),
        (ValueRef::Text(a), ValueRef::Text(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;

    const SERIES: Order = Order {
        index: "item_by_series",
        columns: &["sort_series", "sort_series_index", "sort_title"],
    };
    const ADDED: Order = Order {
        index: "item_by_added",
        columns: &["added_at"],
    };

    /// Three libraries of two kinds, with keys of which many are the same.
    fn world() -> Connection {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut conn).expect("a schema");
        conn.execute_batch(
            "PRAGMA foreign_keys = OFF;
             WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 9999)
             INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                               added_at, authors, sort_series, series_index, missing)
             SELECT 3 * n + 1, n % 3, iif(n % 5, 'paper', 'reel'), n, n,
                    printf('%04d', n * 7919 % 4001), 'A', 'then', '',
                    iif(n % 2, '', n % 19), iif(n % 3, NULL, n % 5 / 2.0), n % 11 = 0
               FROM n",
        )
        .expect("items");
        conn
    }

    fn made(conn: &Connection, order: Order) -> Levels {
        let levels = Levels::make(conn, order, || true).expect("an index");
        levels.expect("items")
    }

    #[test]
    fn every_item_is_on_the_level_of_its_key_and_levels_are_about_equal() {
        let conn = world();
        for order in [SERIES, ADDED] {
            let levels = made(&conn, order);
            let sql = format!("SELECT {} FROM item", columns(order));
            let mut statement = conn.prepare(&sql).expect("a statement");
            let mut rows = statement.query([]).expect("rows");
            let mut counts = vec![0; levels.count()];
            while let Some(row) = rows.next().expect("a row") {
                let key = (0..=order.columns.len()).map(|n| row.get(n).expect("a value"));
                let level = levels.of_key(&key.collect::<Key>());
                let id = row.get(order.columns.len()).expect("an id");
                assert_eq!(levels.of(id), Some(level), "{id:?}");
                counts[level] += 1;
            }
            assert!(levels.count() > 200, "{}", levels.count());
            let most = counts.iter().max().expect("levels");
            assert!(*most < 10_000 / 20, "{counts:?}");
        }
    }

    #[test]
    fn what_has_changed_or_is_new_is_on_no_level() {
        let conn = world();
        let levels = made(&conn, ADDED);
        assert!(levels.of(ItemId(4)).is_some());
        levels.forget(&Touched::of([ItemId(4), ItemId(1 << 40)].into_iter()));
        for id in [4, 2, 30_001, 1 << 20, 1 << 40, -1, i64::MAX, i64::MIN] {
            assert_eq!(levels.of(ItemId(id)), None, "{id}");
        }
        assert!(levels.of(ItemId(7)).is_some());
    }

    #[test]
    fn nothing_is_made_of_nothing_nor_where_there_is_no_time() {
        let conn = world();
        let broken_off = Levels::make(&conn, ADDED, || false).expect("an index");
        assert!(broken_off.is_none());
        conn.execute_batch("DELETE FROM item").expect("no items");
        let empty = Levels::make(&conn, ADDED, || true).expect("an index");
        assert!(empty.is_none());
    }

    #[test]
    fn the_index_is_read_as_it_stands() {
        let conn = world();
        for order in [SERIES, ADDED] {
            let sql = format!("EXPLAIN QUERY PLAN {}", every_item_sql(order));
            let mut statement = conn.prepare(&sql).expect("a statement");
            let rows = statement.query_map([], |row| row.get::<_, String>(3));
            let plan = rows.expect("a plan").collect::<Result<Vec<_>, _>>();
            let expected = format!("SCAN item USING COVERING INDEX {}", order.index);
            assert_eq!(plan.expect("a plan"), [expected]);
        }
    }
}
