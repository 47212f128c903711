//! A page in the middle of a long list, found from a pivot near it.

use rusqlite::types::Value;

use super::bind::{bind_key, placeholders, tuple};
use super::{Direction, ItemId, List, StoreResult};
use crate::clock::random_below;

/// Keys in the sample: its quantiles are off by about a hundredth.
const SAMPLE: usize = 2_000;

impl List<'_> {
    /// A page deep in the list: counts up to a pivot near it and walks the rest. `None` where no
    /// pivot is near enough, as with keys that are nearly all the same.
    pub(super) fn past_pivot(
        &self,
        total: u64,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Option<Vec<ItemId>>> {
        let mut sample = self.sample()?;
        if sample.len() < SAMPLE / 20 {
            return Ok(None);
        }
        sample.sort_by(|a, b| compare(a, b));
        if self.direction == Direction::Desc {
            sample.reverse();
        }
        // Three standard deviations before the quantile, so that the pivot seldom lies behind it.
        let count = sample.len() as u64;
        let place = offset * count / total;
        let margin = 3 * (place * (count - place) / count).isqrt();
        let Some(pivot) = sample.get(usize::try_from(place.saturating_sub(margin)).unwrap_or(0))
        else {
            return Ok(None);
        };
        let before = self.count_before(pivot)?;
        match offset.checked_sub(before) {
            Some(rest) if rest < total / 8 => self
                .merged(self.direction, Some(pivot), rest, limit)
                .map(Some),
            _ => Ok(None),
        }
    }

    /// Keys of random items among the arms.
    fn sample(&self) -> StoreResult<Vec<Vec<Value>>> {
        let max: u64 = self
            .conn
            .prepare_cached("SELECT ifnull(max(id), 0) FROM item")?
            .query_row([], |row| row.get(0))?;
        let columns = self.sort.columns();
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT {}, library_id, kind, profile_id, id FROM item WHERE id = ?1",
            columns.join(", ")
        ))?;
        let mut keys = Vec::with_capacity(SAMPLE);
        for _ in 0..SAMPLE {
            let mut rows = statement.query([random_below(max) + 1])?;
            let Some(row) = rows.next()? else { continue };
            let library = row.get(columns.len())?;
            let kind: String = row.get(columns.len() + 1)?;
            let (profile, id) = (row.get(columns.len() + 2)?, row.get(columns.len() + 3)?);
            let may_play = self.playing.is_none_or(|playing| playing.has(id, profile));
            if may_play
                && self
                    .arms
                    .iter()
                    .any(|arm| arm.library == library && arm.kind == kind)
            {
                keys.push(
                    (0..columns.len())
                        .map(|n| row.get(n))
                        .collect::<Result<_, _>>()?,
                );
            }
        }
        Ok(keys)
    }

    /// How many items stand before `pivot`, counted in the index.
    fn count_before(&self, pivot: &[Value]) -> StoreResult<u64> {
        let mut total = 0;
        for n in 0..self.arms.len() {
            let mut statement = self.conn.prepare_cached(&self.count_sql(n))?;
            self.bind(&mut statement)?;
            bind_key(&mut statement, pivot)?;
            let mut rows = statement.raw_query();
            if let Some(row) = rows.next()? {
                total += row.get::<_, u64>(0)?;
            }
        }
        Ok(total)
    }

    pub(super) fn count_sql(&self, arm: usize) -> String {
        let columns = self.sort.columns();
        let sign = match self.direction {
            Direction::Asc => "<",
            Direction::Desc => ">",
        };
        format!(
            "{} AND {} {sign} {}",
            self.arm_query(arm, "count(*)"),
            tuple(columns),
            placeholders(columns.len()),
        )
    }
}

/// Keys as SQLite compares them: these columns hold numbers, or texts in binary order.
fn compare(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    a.iter()
        .zip(b)
        .map(|pair| match pair {
            (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
            (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            _ => Ordering::Equal,
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}
