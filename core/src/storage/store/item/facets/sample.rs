//! A sample of a list, in which values that need a look-up per item are counted.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::db::id_set::IdSet;
use crate::error::StoreResult;
use crate::id::{GenreId, ItemId};

const GENRES: &str = "
    SELECT link.genre_id
      FROM json_each(:ids) AS wanted
     CROSS JOIN item_genre AS link ON link.item_id = wanted.value";

const LANGUAGES: &str = "
    SELECT item.language
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
     WHERE item.language IS NOT NULL";

const YEARS: &str = "
    SELECT item.sort_year
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value
     WHERE item.sort_year <> 0";

/// Every `step`th item of a list.
pub(super) struct Sample {
    /// Ids as a JSON array.
    ids: String,
    step: u64,
    /// Number of items of the list.
    total: u64,
}

impl Sample {
    /// Takes at most `max_items` items of a list.
    pub(super) fn new(list: &IdSet, max_items: u64) -> Self {
        let step = list.len().div_ceil(max_items).max(1);
        let ids = list.descending();
        let ids: Vec<ItemId> = ids
            .step_by(usize::try_from(step).unwrap_or(usize::MAX))
            .collect();
        Self {
            ids: serde_json::to_string(&ids).expect("integers are JSON"),
            step,
            total: list.len(),
        }
    }

    /// Returns `true` if the sample is not the whole list.
    pub(super) fn is_estimate(&self) -> bool {
        self.step > 1
    }

    pub(super) fn genres(&self, conn: &Connection) -> StoreResult<BTreeMap<GenreId, u64>> {
        self.count(conn, GENRES, |row| row.get(0))
    }

    pub(super) fn languages(&self, conn: &Connection) -> StoreResult<BTreeMap<String, u64>> {
        self.count(conn, LANGUAGES, |row| row.get(0))
    }

    /// Counts by the first year of the decade.
    pub(super) fn decades(&self, conn: &Connection) -> StoreResult<BTreeMap<i64, u64>> {
        self.count(conn, YEARS, |row| {
            let year: i64 = row.get(0)?;
            Ok(year.div_euclid(10) * 10)
        })
    }

    fn count<K: Ord>(
        &self,
        conn: &Connection,
        sql: &str,
        key: impl Fn(&Row<'_>) -> rusqlite::Result<K>,
    ) -> StoreResult<BTreeMap<K, u64>> {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query(named_params! { ":ids": self.ids })?;
        let mut counts: BTreeMap<K, u64> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            *counts.entry(key(row)?).or_default() += self.step;
        }
        // The last step can be shorter than the others.
        for count in counts.values_mut() {
            *count = (*count).min(self.total);
        }
        Ok(counts)
    }
}

/// Returns the name of a genre.
pub(super) fn genre_name(conn: &Connection, id: GenreId) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT name FROM genre WHERE id = :id")?;
    let name = statement.query_row(named_params! { ":id": id }, |row| row.get(0));
    Ok(name.optional()?)
}
