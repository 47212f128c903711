//! Descending pages of orders in which items without a value come last.
//!
//! The index is ascending: values, then items without a value, each by title and id. A descending
//! list is the values from highest to lowest, with ties by title and id, and then the items without
//! a value, exactly as in the ascending list. Read backwards, the index gives the right values, but
//! each group of equal values in reverse. So this module reads a page backwards and then reads its
//! first and its last group again in ascending order; the groups between are complete.

use rusqlite::types::Value;

use super::key::Key;
use super::{Direction, ItemId, List, STEPS, StoreResult};
use crate::store::item::bind::bind;
use crate::store::item::sort::UNKNOWN;

impl List<'_> {
    /// Returns a page in descending order.
    pub(super) fn descending(
        &self,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        // A page near the beginning mostly consists of known values, so nothing is counted.
        let list = List {
            is_known: true,
            ..*self
        };
        let mut counted = None;
        if self.steps(total, offset + limit) <= STEPS {
            let list = List {
                max_rows: STEPS * 4,
                ..list
            };
            let start = list.start(Direction::Desc);
            let ids = list.merged(Direction::Desc, start.as_deref(), offset, limit)?;
            let found = ids.len() as u64;
            if found == limit {
                return self.with_ascending_ties(&ids);
            }
            // A short page contains the last known value, unless the walk was cut or skipped it.
            let is_whole = self.id_filter.is_none() && (offset == 0 || found > 0);
            counted = is_whole.then_some(offset + found);
        }
        let known = match counted {
            Some(known) => known,
            None => total.saturating_sub(self.unknown()?),
        };
        let from_known = known.saturating_sub(offset).min(limit);
        let mut ids = Vec::new();
        if from_known > 0 {
            let page = list.page_from_nearer_end(Direction::Desc, known, offset, from_known)?;
            ids = self.with_ascending_ties(&page)?;
        }
        if from_known < limit {
            let offset = offset.max(known);
            ids.extend(self.page_from_nearer_end(
                Direction::Asc,
                total,
                offset,
                limit - from_known,
            )?);
        }
        Ok(ids)
    }

    /// Returns the key at which a walk in this direction begins, or `None` for the end of the index.
    pub(super) fn start(&self, direction: Direction) -> Option<Key> {
        (self.is_known && direction == Direction::Desc).then(|| lowest(UNKNOWN.into()))
    }

    /// Counts the items without a value.
    fn unknown(&self) -> StoreResult<u64> {
        self.ranges().map(|range| range.unknown_of_range()).sum()
    }

    /// Counts the items without a value in the only range. Mostly, nearly all items of a range have a
    /// value, or nearly none, so the smaller part is counted.
    fn unknown_of_range(&self) -> StoreResult<u64> {
        let (None, [partition]) = (self.id_filter, self.partitions) else {
            return self.counted(&self.unknown_sql(), |_| Ok(()));
        };
        let half = partition.count / 2 + 1;
        let known = self.counted(&self.known_sql(), |sql| bind(sql, ":most", &half))?;
        if known < half {
            return Ok(partition.count - known);
        }
        self.counted(&self.unknown_sql(), |_| Ok(()))
    }

    /// Returns SQL that counts the items with a value in the first range, up to `:most`.
    pub(super) fn known_sql(&self) -> String {
        let range = self.partition_query(0, "1");
        let value = self.value_column();
        format!("SELECT count(*) FROM ({range} AND {value} < {UNKNOWN} LIMIT :most)")
    }

    pub(super) fn unknown_sql(&self) -> String {
        let counted = self.id_filter.map_or("count(*)", |_| "id_set(id)");
        let range = self.partition_query(0, counted);
        format!("{range} AND {} = {UNKNOWN}", self.value_column())
    }

    fn value_column(&self) -> &'static str {
        self.order.sort.spec().columns.first().expect("a column")
    }

    /// Puts the groups of a page of known values into ascending order. The page was read backwards,
    /// so its first and last group may contain the wrong items of these groups.
    fn with_ascending_ties(&self, ids: &[ItemId]) -> StoreResult<Vec<ItemId>> {
        let keys = self.keys_of(ids)?;
        let groups: Vec<&[(Key, ItemId)]> = keys
            .chunk_by(|(a, _), (b, _)| a.first() == b.first())
            .collect();
        let mut page = Vec::with_capacity(ids.len());
        for (n, group) in groups.iter().enumerate() {
            let length = group.len() as u64;
            let Some(((key, _), value)) = group.first().map(|row| (row, value(&row.0))) else {
                continue;
            };
            let is_last = n + 1 == groups.len();
            if n == 0 && is_last {
                let before = self.count(Direction::Desc, Some(&highest(value.clone())), key)?;
                let start = lowest(value);
                page.extend(self.merged(Direction::Asc, Some(&start), before, length)?);
            } else if n == 0 {
                let end = highest(value);
                let group = self.merged(Direction::Desc, Some(&end), 0, length)?;
                page.extend(group.into_iter().rev());
            } else if is_last {
                page.extend(self.merged(Direction::Asc, Some(&lowest(value)), 0, length)?);
            } else {
                page.extend(group.iter().rev().map(|(_, id)| *id));
            }
        }
        Ok(page)
    }

    /// Returns the keys of these items, in the same order.
    fn keys_of(&self, ids: &[ItemId]) -> StoreResult<Vec<(Key, ItemId)>> {
        let columns = self.key_columns();
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {} FROM item WHERE id = ?1",
            columns.join(", ")
        ))?;
        let mut keys = Vec::with_capacity(ids.len());
        for id in ids {
            let read = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|n| row.get(n)).collect();
            keys.push((statement.query_row([id], read)?, *id));
        }
        Ok(keys)
    }
}

fn value(key: &[Value]) -> Value {
    key.first().cloned().expect("a key has a value")
}

/// Returns a key before all keys of a value.
fn lowest(value: Value) -> Key {
    vec![value, Value::Text(String::new()), Value::Integer(0)]
}

/// Returns a key after all keys of a value: SQLite sorts every text before a blob.
fn highest(value: Value) -> Key {
    vec![value, Value::Blob(Vec::new()), Value::Integer(0)]
}
