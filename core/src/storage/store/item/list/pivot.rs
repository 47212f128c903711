//! Pages in the middle of a long list, found from a nearby pivot key.

use rusqlite::Statement;
use rusqlite::types::Value;

use super::id_filter::IdFilter;
use super::key::{Key, compare};
use super::{Direction, ItemId, List, StoreResult};
use crate::rng::random_below;
use crate::store::item::bind::{bind, bind_key, placeholders, tuple};
use crate::store::item::sort::UNKNOWN;

/// Keys in the sample. Its quantiles are off by a few hundredths, which exact counts correct.
const SAMPLE: usize = 800;

/// A key and the number of items before it.
struct Pivot<'a> {
    key: &'a [Value],
    before: u64,
}

/// Part of the keys between two keys: the first columns have the same values, and the next column is
/// between two values. SQLite finds it by the index alone. It would compare a row value of all columns
/// again for each entry, which takes about twice the time.
pub(super) struct Segment<'a> {
    /// Values of the first columns.
    pub(super) same: &'a [Value],
    /// Lower bound of the next column. The last column may be equal to it, the others are greater.
    pub(super) from: Option<&'a Value>,
    /// Upper bound of the next column, which is smaller.
    pub(super) to: Option<&'a Value>,
}

impl Segment<'_> {
    fn bind(&self, statement: &mut Statement<'_>) -> StoreResult<()> {
        bind_key(statement, "same", self.same)?;
        for (name, value) in [(":from", self.from), (":to", self.to)] {
            if let Some(value) = value {
                bind(statement, name, value)?;
            }
        }
        Ok(())
    }
}

/// Returns the segments of the keys before `end`, beginning at `start` if it is given. In a
/// descending list, *before* means greater, and lower and upper bounds are exchanged.
pub(super) fn segments<'a>(start: Option<&'a [Value]>, end: &'a [Value]) -> Vec<Segment<'a>> {
    let pairs = start.unwrap_or_default().iter().zip(end);
    let common = pairs.take_while(|(start, end)| start == end).count();
    let segment = |key: &'a [Value], column| Segment {
        same: key.get(..column).unwrap_or_default(),
        from: None,
        to: None,
    };
    let mut segments = Vec::new();
    for column in common..end.len() {
        let of_start = start.and_then(|start| start.get(column));
        let is_first = column == common;
        segments.push(Segment {
            from: of_start.filter(|_| is_first),
            to: end.get(column),
            ..segment(end, column)
        });
        if let Some(start) = start.filter(|_| !is_first) {
            segments.push(Segment {
                from: of_start,
                ..segment(start, column)
            });
        }
    }
    segments
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

    /// Counts the items before `end`, beginning at `start` if it is given.
    pub(super) fn count(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        end: &[Value],
    ) -> StoreResult<u64> {
        let mut total = 0;
        for segment in segments(start, end) {
            // One statement text serves all ranges.
            for range in self.ranges() {
                let sql = range.count_sql(direction, &segment);
                total += range.counted(&sql, |statement| segment.bind(statement))?;
            }
        }
        Ok(total)
    }

    /// Returns SQL that counts the entries of a segment in the first range. With an id filter, it
    /// returns an id set, which is faster than half a million rows.
    pub(super) fn count_sql(&self, direction: Direction, segment: &Segment<'_>) -> String {
        let columns = self.key_columns();
        let same = columns.iter().take(segment.same.len()).enumerate();
        let mut conditions: Vec<String> = same
            .map(|(n, column)| format!(" AND {column} = :same{n}"))
            .collect();
        let (before, after) = match direction {
            Direction::Asc => ("<", ">"),
            Direction::Desc => (">", "<"),
        };
        if let Some(column) = columns.get(segment.same.len()) {
            // No other item has the id of the start, which is the last column.
            let is_last = segment.same.len() + 1 == columns.len();
            let or_same = if is_last { "=" } else { "" };
            let from = segment
                .from
                .map(|_| format!(" AND {column} {after}{or_same} :from"));
            let to = segment.to.map(|_| format!(" AND {column} {before} :to"));
            conditions.extend(from.into_iter().chain(to));
        }
        let counted = self.id_filter.map_or("count(*)", |_| "id_set(id)");
        format!(
            "{}{}",
            self.partition_query(0, counted),
            conditions.concat()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `true` if a segment contains a key. The ids are the last numbers.
    fn contains(segment: &Segment<'_>, key: &[Value]) -> bool {
        let number = |value: &Value| match value {
            Value::Integer(number) => *number,
            other => panic!("{other:?}"),
        };
        let Some((column, same)) = key
            .split_at_checked(segment.same.len())
            .and_then(|(same, rest)| Some((rest.first()?, same)))
        else {
            return false;
        };
        let is_last = segment.same.len() + 1 == key.len();
        let value = number(column);
        same == segment.same
            && segment.to.is_none_or(|to| value < number(to))
            && segment
                .from
                .map(number)
                .is_none_or(|from| if is_last { value >= from } else { value > from })
    }

    #[test]
    fn segments_contain_each_key_between_two_keys_once() {
        let numbers = || 0..3_i64;
        let keys: Vec<Key> = numbers()
            .flat_map(|a| numbers().flat_map(move |b| numbers().map(move |c| [a, b, c])))
            .map(|key| key.map(Value::Integer).to_vec())
            .collect();
        let starts = || std::iter::once(None).chain(keys.iter().map(Some));
        for (start, end) in starts().flat_map(|start| keys.iter().map(move |end| (start, end))) {
            if start.is_some_and(|start| compare(start, end).is_gt()) {
                continue;
            }
            let segments = segments(start.map(Vec::as_slice), end);
            for key in &keys {
                let found = segments.iter().filter(|segment| contains(segment, key));
                let is_behind = start.is_none_or(|start| compare(key, start).is_ge());
                let is_between = is_behind && compare(key, end).is_lt();
                let count = found.count();
                assert_eq!(count, usize::from(is_between), "{start:?} {key:?} {end:?}");
            }
        }
    }
}
