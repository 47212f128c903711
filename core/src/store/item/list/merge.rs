//! A page near either end: the arms' index ranges merged by SQLite.

use rusqlite::types::Value;

use super::bind::{bind, bind_key};
use super::{Direction, ItemId, List, StoreResult};

impl List<'_> {
    /// Merges the arms' index ranges, from `start` on where there is one.
    pub(super) fn merged(
        &self,
        direction: Direction,
        start: Option<&[Value]>,
        offset: u64,
        limit: u64,
    ) -> StoreResult<Vec<ItemId>> {
        let sql = self.merged_sql(direction, start.is_some());
        let mut statement = self.conn.prepare_cached(&sql)?;
        self.bind(&mut statement)?;
        bind_key(&mut statement, "key", start.unwrap_or_default())?;
        bind(&mut statement, ":limit", &limit)?;
        bind(&mut statement, ":offset", &offset)?;
        let id_column = self.sort.columns().len();
        let mut rows = statement.raw_query();
        let mut ids = Vec::with_capacity(usize::try_from(limit).unwrap_or(0));
        while let Some(row) = rows.next()? {
            ids.push(row.get(id_column)?);
        }
        Ok(ids)
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
