//! A page near either end: the arms' index ranges merged by SQLite, and where there are more of them
//! than one statement bears, the parts' merged here.

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Rows};

use super::chosen::Chosen;
use super::{Direction, ItemId, List, MAX_ARMS, StoreResult};
use crate::db::presence::levels::{Key, compare};
use crate::store::item::bind::{bind, bind_key};

impl<'a> List<'a> {
    /// Merges the arms' index ranges, from `start` on where there is one.
    pub(super) fn merged(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        if self.arms.len() > MAX_ARMS {
            return self.merged_parts(direction, start, offset, limit);
        }
        let mut sieve = Sieve::new(self.chosen, offset, limit);
        let mut statement = match self.chosen {
            None => self.merging(direction, start, offset, limit)?,
            Some(_) => self.merging(direction, start, 0, MOST)?,
        };
        if self.chosen.is_none() {
            // SQLite has passed over them.
            sieve.offset = 0;
        }
        let id_column = self.sort.columns().len();
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
        let most = self.chosen.map_or(offset + limit, |_| MOST);
        let mut statements = self
            .parts()
            .map(|part| part.merging(direction, start, 0, most))
            .collect::<StoreResult<Vec<_>>>()?;
        let mut cursors = Vec::with_capacity(statements.len());
        for statement in &mut statements {
            let mut cursor = Cursor {
                columns: self.sort.columns().len() + 1,
                rows: statement.raw_query(),
                head: None,
            };
            cursor.step()?;
            cursors.push(cursor);
        }
        let mut sieve = Sieve::new(self.chosen, offset, limit);
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

    /// The statement that merges, ready to run.
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
        let columns = self.sort.columns();
        let from = if from_key {
            self.behind_key(direction)
        } else {
            String::new()
        };
        let selected = format!("{}, id", columns.join(", "));
        let arms: Vec<String> = (0..self.arms.len())
            .map(|n| format!("{}{from}", self.arm_query(n, &selected)))
            .collect();
        let terms: Vec<String> = (1..=columns.len() + 1)
            .map(|n| format!("{n} {}", direction.sql()))
            .collect();
        format!(
            "{} ORDER BY {} LIMIT :limit OFFSET :offset",
            arms.join(" UNION ALL "),
            terms.join(", "),
        )
    }
}

/// More rows than there are.
const MOST: u64 = i64::MAX.unsigned_abs();

/// The page that comes out of a row of items.
struct Sieve<'a> {
    chosen: Option<&'a Chosen>,
    /// How many are still to be passed over.
    offset: u64,
    limit: usize,
    ids: Vec<ItemId>,
}

impl<'a> Sieve<'a> {
    fn new(chosen: Option<&'a Chosen>, offset: u64, limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            chosen,
            offset,
            limit,
            ids: Vec::new(),
        }
    }

    /// The next item; whether the page is full.
    fn add(&mut self, id: ItemId) -> bool {
        if self.chosen.is_some_and(|chosen| !chosen.has(id)) {
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

/// A part's rows and the next of them.
struct Cursor<'s> {
    /// The key's columns and the id.
    columns: usize,
    rows: Rows<'s>,
    head: Option<(Key, ItemId)>,
}

impl Cursor<'_> {
    fn key(&self) -> &[Value] {
        self.head.as_ref().map_or(&[], |(key, _)| key)
    }

    /// Goes on to the next row; the item of the one before.
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
