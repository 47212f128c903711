//! Pages in the middle of a long list, found from a nearby pivot key.

use crate::rng::random_below;
use rusqlite::types::Value;

use super::id_filter::IdFilter;
use super::key::{Key, compare};
use super::{Direction, ItemId, List, StoreResult};
use crate::db::id_set;
use crate::store::item::bind::{bind_key, placeholders, tuple};
use crate::store::item::sort::UNKNOWN;

/// Keys in the sample. Its quantiles are off by a few hundredths, which exact counts correct.
const SAMPLE: usize = 800;

/// A key and the number of items before it.
struct Pivot<'a> {
    key: &'a [Value],
    before: u64,
}

impl List<'_> {
    /// Returns a page deep in the list: counts up to a pivot near the offset and reads the rest.
    /// Returns `None` if no pivot is near enough, for example if nearly all keys are equal.
    pub(super) fn past_pivot(
        &self,
        direction: Direction,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Option<Vec<ItemId>>> {
        let mut sample = self.sample()?;
        if sample.len() < SAMPLE / 20 {
            return Ok(None);
        }
        sample.sort_by(|a, b| compare(a, b));
        if direction == Direction::Desc {
            sample.reverse();
        }
        match self.nearest(direction, &sample, total, offset)? {
            Some(Pivot { key, before }) if offset - before < total / 8 => self
                .merged(direction, Some(key), offset - before, limit)
                .map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the last sampled key that is not after the offset. The quantile gives a first guess.
    /// A binary search with exact counts refines it; each count continues from the previous one.
    fn nearest<'a>(
        &self,
        direction: Direction,
        sample: &'a [Key],
        total: u64,
        offset: u64,
    ) -> StoreResult<Option<Pivot<'a>>> {
        // Three standard deviations around the quantile, so that the pivot is rarely outside.
        let count = sample.len() as u64;
        let place = offset * count / total;
        let margin = 3 * (place * (count - place) / count).isqrt() + 1;
        let index = |place: u64| usize::try_from(place).unwrap_or(0).min(sample.len() - 1);
        let (low, high) = (index(place.saturating_sub(margin)), index(place + margin));
        let Some((first, later)) = sample.get(low..=high).and_then(<[_]>::split_first) else {
            return Ok(None);
        };
        let before = self.count(direction, self.start(direction).as_deref(), first)?;
        if before > offset {
            return Ok(None);
        }
        let mut pivot = Pivot { key: first, before };
        let mut candidates = later;
        while let Some(key) = candidates.get(candidates.len() / 2) {
            let (nearer, further) = candidates.split_at(candidates.len() / 2);
            let before = pivot.before + self.count(direction, Some(pivot.key), key)?;
            if before > offset {
                candidates = nearer;
            } else {
                pivot = Pivot { key, before };
                candidates = further.get(1..).unwrap_or_default();
            }
        }
        Ok(Some(pivot))
    }

    /// Returns keys of random items of the list.
    fn sample(&self) -> StoreResult<Vec<Key>> {
        if let Some(ids) = self.id_filter.and_then(IdFilter::ids) {
            let ids: Vec<ItemId> = ids.descending().collect();
            let any = || ids.get(usize::try_from(random_below(ids.len() as u64)).ok()?);
            return self.keys(std::iter::repeat_with(any).take(SAMPLE).flatten().copied());
        }
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let any = || i64::try_from(random_below(max) + 1).map(ItemId);
        self.keys(std::iter::repeat_with(any).take(SAMPLE).flatten())
    }

    /// Returns the keys of those items that may belong to the list.
    fn keys(&self, items: impl Iterator<Item = ItemId>) -> StoreResult<Vec<Key>> {
        let columns = self.key_columns();
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {}, library_id, kind, profile_id, subkind FROM item WHERE id = ?1",
            columns.join(", ")
        ))?;
        let mut keys = Vec::with_capacity(SAMPLE);
        for item in items {
            if self.id_filter.is_some_and(|filter| !filter.has(item)) {
                continue;
            }
            let mut rows = statement.query([item])?;
            let Some(row) = rows.next()? else { continue };
            let library = row.get(columns.len())?;
            let kind: String = row.get(columns.len() + 1)?;
            let profile = row.get(columns.len() + 2)?;
            let subkind: Option<String> = row.get(columns.len() + 3)?;
            let may_play = self
                .playable
                .is_none_or(|playable| playable.has(item, profile));
            if may_play && self.has_partition(library, &kind, subkind.as_deref()) {
                let key = (0..columns.len()).map(|n| row.get(n));
                let key: Key = key.collect::<Result<_, _>>()?;
                if !self.is_known || key.first() != Some(&UNKNOWN.into()) {
                    keys.push(key);
                }
            }
        }
        Ok(keys)
    }

    /// Returns the columns of the order and the id, which orders ties.
    pub(super) fn key_columns(&self) -> Vec<&'static str> {
        [self.order.sort.spec().columns, &["id"]].concat()
    }

    /// Counts the index entries before `end`, beginning at `start` if it is given.
    pub(super) fn count(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        end: &[Value],
    ) -> StoreResult<u64> {
        let mut total = 0;
        for partitions in self.partitions.chunks(1) {
            // One statement text serves all ranges.
            let list = List {
                partitions,
                ..*self
            };
            let sql = list.count_sql(direction, start.is_some());
            let mut statement = self.conn.prepare_cached(&sql)?;
            list.bind(&mut statement)?;
            bind_key(&mut statement, "key", start.unwrap_or_default())?;
            bind_key(&mut statement, "end", end)?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                total += match self.id_filter {
                    None => row.get(0)?,
                    Some(filter) if start.is_none() => filter.count(&id_set::of_row(row)?),
                    Some(filter) => u64::from(filter.has(row.get(0)?)),
                };
            }
        }
        Ok(total)
    }

    /// Returns SQL that counts in the first range. If each item must be checked, it returns ids
    /// instead. From a key on, these are single rows; otherwise an id set, which is faster than
    /// half a million rows.
    pub(super) fn count_sql(&self, direction: Direction, from_key: bool) -> String {
        let columns = self.key_columns();
        let sign = match direction {
            Direction::Asc => "<",
            Direction::Desc => ">",
        };
        let from = if from_key {
            self.behind_key(direction)
        } else {
            String::new()
        };
        let counted = match self.id_filter {
            None => "count(*)",
            Some(_) if from_key => "id",
            Some(_) => "id_set(id)",
        };
        format!(
            "{}{from} AND {} {sign} {}",
            self.partition_query(0, counted),
            tuple(&columns),
            placeholders("end", columns.len()),
        )
    }

    /// Returns the condition for rows at or after a key.
    pub(super) fn behind_key(&self, direction: Direction) -> String {
        let columns = self.key_columns();
        let sign = match direction {
            Direction::Asc => ">=",
            Direction::Desc => "<=",
        };
        format!(
            " AND {} {sign} {}",
            tuple(&columns),
            placeholders("key", columns.len())
        )
    }
}
