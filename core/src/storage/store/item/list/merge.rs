//! Pages near either end of a list. SQLite merges the index ranges; beyond its limit of ranges,
//! this module merges the parts.

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Rows};

use super::id_filter::IdFilter;
use super::key::{Key, compare};
use super::{Direction, ItemId, List, MAX_PARTITIONS, StoreResult};
use crate::store::item::bind::{bind, bind_key};

impl<'a> List<'a> {
    /// Merges the index ranges, beginning at the key `start` if it is given.
    pub(super) fn merged(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        if self.partitions.len() > MAX_PARTITIONS {
            return self.merged_parts(direction, start, offset, limit);
        }
        let mut sieve = Sieve::new(self.id_filter, offset, limit);
        let mut statement = match self.id_filter {
            None => self.merging(direction, start, offset, limit)?,
            Some(_) => self.merging(direction, start, 0, self.max_rows)?,
        };
        if self.id_filter.is_none() {
            // SQLite has already applied the offset.
            sieve.offset = 0;
        }
        let id_column = self.order.sort.spec().columns.len();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            if sieve.add(row.get(id_column)?) {
                break;
            }
        }
        Ok(sieve.ids)
    }

    fn merged_parts(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let most = self.id_filter.map_or(offset + limit, |_| self.max_rows);
        let mut statements = self
            .parts()
            .map(|part| part.merging(direction, start, 0, most))
            .collect::<StoreResult<Vec<_>>>()?;
        let mut cursors = Vec::with_capacity(statements.len());
        for statement in &mut statements {
            let mut cursor = Cursor {
                columns: self.order.sort.spec().columns.len() + 1,
                rows: statement.raw_query(),
                head: None,
            };
            cursor.step()?;
            cursors.push(cursor);
        }
        let mut sieve = Sieve::new(self.id_filter, offset, limit);
        loop {
            let ahead = cursors.iter_mut().filter(|cursor| cursor.head.is_some());
            let next = ahead.min_by(|a, b| {
                let order = compare(a.key(), b.key());
                match direction {
                    Direction::Asc => order,
                    Direction::Desc => order.reverse(),
                }
            });
            let Some(next) = next else { break };
            if next.step()?.is_some_and(|id| sieve.add(id)) {
                break;
            }
        }
        Ok(sieve.ids)
    }

    /// Returns the merging statement with bound parameters.
    fn merging(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<CachedStatement<'a>> {
        let sql = self.merged_sql(direction, start.is_some());
        let mut statement = self.conn.prepare_cached(&sql)?;
        self.bind(&mut statement)?;
        bind_key(&mut statement, "key", start.unwrap_or_default())?;
        bind(&mut statement, ":limit", &limit)?;
        bind(&mut statement, ":offset", &offset)?;
        Ok(statement)
    }

    pub(super) fn merged_sql(&self, direction: Direction, from_key: bool) -> String {
        let columns = self.order.sort.spec().columns;
        let from = if from_key {
            self.behind_key(direction)
        } else {
            String::new()
        };
        let selected = format!("{}, id", columns.join(", "));
        let ranges: Vec<String> = (0..self.partitions.len())
            .map(|n| format!("{}{from}", self.partition_query(n, &selected)))
            .collect();
        let terms: Vec<String> = (1..=columns.len() + 1)
            .map(|n| format!("{n} {}", direction.sql()))
            .collect();
        format!(
            "{} ORDER BY {} LIMIT :limit OFFSET :offset",
            ranges.join(" UNION ALL "),
            terms.join(", "),
        )
    }
}

/// Limit that exceeds every number of rows.
pub(super) const MOST: u64 = i64::MAX.unsigned_abs();

/// Filter that collects a page from a sequence of items.
struct Sieve<'a> {
    id_filter: Option<&'a IdFilter>,
    /// Number of items that remain to be skipped.
    offset: u64,
    limit: usize,
    ids: Vec<ItemId>,
}

impl<'a> Sieve<'a> {
    fn new(id_filter: Option<&'a IdFilter>, offset: u64, limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            id_filter,
            offset,
            limit,
            ids: Vec::new(),
        }
    }

    /// Processes the next item. Returns `true` if the page is full.
    fn add(&mut self, id: ItemId) -> bool {
        if self.id_filter.is_some_and(|filter| !filter.has(id)) {
            return false;
        }
        if self.offset > 0 {
            self.offset -= 1;
        } else {
            self.ids.push(id);
        }
        self.ids.len() >= self.limit
    }
}

/// Rows of one part, with the current row.
struct Cursor<'s> {
    /// Number of columns of the key, including the id.
    columns: usize,
    rows: Rows<'s>,
    head: Option<(Key, ItemId)>,
}

impl Cursor<'_> {
    fn key(&self) -> &[Value] {
        self.head.as_ref().map_or(&[], |(key, _)| key)
    }

    /// Advances to the next row and returns the item of the previous one.
    fn step(&mut self) -> StoreResult<Option<ItemId>> {
        let next = match self.rows.next()? {
            Some(row) => {
                let key = (0..self.columns).map(|n| row.get(n));
                let key = key.collect::<Result<_, _>>()?;
                Some((key, row.get(self.columns - 1)?))
            }
            None => None,
        };
        Ok(std::mem::replace(&mut self.head, next).map(|(_, id)| id))
    }
}
