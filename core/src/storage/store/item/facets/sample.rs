//! A sample of a list, in which values that need a look-up per item are counted.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::db::id_set::IdSet;
use crate::error::StoreResult;
use crate::id::{GenreId, ItemId};

const GENRES: &str = "
    SELECT link.genre_id
      FROM json_each(:ids) AS wanted
     CROSS JOIN item_genre AS link ON link.item_id = wanted.value";

const LANGUAGES_AND_YEARS: &str = "
    SELECT item.language, item.sort_year
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value";

/// Numbers of items by language and by the first year of the decade.
#[derive(Default)]
pub(super) struct LanguagesAndDecades {
    pub(super) languages: BTreeMap<String, u64>,
    pub(super) decades: BTreeMap<i64, u64>,
}

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
        let mut statement = conn.prepare_cached(GENRES)?;
        let mut rows = statement.query(named_params! { ":ids": self.ids })?;
        let mut counts = BTreeMap::new();
        while let Some(row) = rows.next()? {
            self.count(&mut counts, row.get(0)?);
        }
        Ok(counts)
    }

    pub(super) fn languages_and_decades(
        &self,
        conn: &Connection,
    ) -> StoreResult<LanguagesAndDecades> {
        let mut statement = conn.prepare_cached(LANGUAGES_AND_YEARS)?;
        let mut rows = statement.query(named_params! { ":ids": self.ids })?;
        let mut counts = LanguagesAndDecades::default();
        while let Some(row) = rows.next()? {
            if let Some(language) = row.get::<_, Option<String>>(0)? {
                self.count(&mut counts.languages, language);
            }
            let year: i64 = row.get(1)?;
            if year != 0 {
                self.count(&mut counts.decades, year.div_euclid(10) * 10);
            }
        }
        Ok(counts)
    }

    /// Counts one item of the sample. The last step can be shorter than the others, so that the sum
    /// is limited.
    fn count<K: Ord>(&self, counts: &mut BTreeMap<K, u64>, key: K) {
        let count = counts.entry(key).or_default();
        *count = (*count + self.step).min(self.total);
    }
}

/// Returns the name of a genre.
pub(super) fn genre_name(conn: &Connection, id: GenreId) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT name FROM genre WHERE id = :id")?;
    let name = statement.query_row(named_params! { ":id": id }, |row| row.get(0));
    Ok(name.optional()?)
}
