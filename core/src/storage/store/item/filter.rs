//! Filters of item lists, and the partitions of the visible items that they select.

use std::ops::RangeInclusive;

use crate::error::StoreResult;
use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::db::item_index::ItemBucket;
use crate::id::{GenreId, LibraryId, PersonId, SeriesId, TagId};
use crate::playback::Offer;

/// Criteria of a list. The default selects every visible item.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this kind.
    pub kind: Option<String>,
    /// Only these kinds; empty for all.
    pub kinds: Vec<&'static str>,
    /// Only these subkinds; empty for all.
    pub subkinds: Vec<String>,
    /// Only this library.
    pub library: Option<LibraryId>,
    /// Only items this person is credited with.
    pub author: Option<PersonId>,
    /// Only items of this series.
    pub series: Option<SeriesId>,
    /// Only favourites of the viewer, or only other items.
    pub favourite: Option<bool>,
    /// Only missing items, or only present ones.
    pub missing: Option<bool>,
    /// Only items in this progress state of the viewer.
    pub state: Option<State>,
    /// Only items with one of these genres; empty for all.
    pub genres: Vec<GenreId>,
    /// Only items with one of these tags; empty for all.
    pub tags: Vec<TagId>,
    /// Only items in one of these languages, as primary subtags; empty for all.
    pub languages: Vec<String>,
    /// Only items of these years.
    pub years: Option<RangeInclusive<i64>>,
    /// Only items of the ten years that begin with this one.
    pub decade: Option<i64>,
    /// Only items that the viewer rated at least this high.
    pub rating_min: Option<u8>,
    /// Only items that one of these engines plays.
    pub engines: Option<Offer>,
}

/// Progress state of an item for a viewer.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Never started.
    Unstarted,
    /// Started and not finished.
    Started,
    /// Finished.
    Finished,
}

/// Items of one library and kind, and of one subkind if the filter names subkinds. They are in one
/// range of every browse index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) library: LibraryId,
    pub(super) kind: String,
    /// Subkind, if the filter names subkinds.
    pub(super) subkind: Option<String>,
    /// Number of index entries in its range, under the filter's `missing`.
    pub(super) size: u64,
    /// Number of items in the partition that also match the filter's engines.
    pub(super) count: u64,
}

impl Filter {
    /// Returns the visible partitions that are not empty, sorted by library, kind and subkind.
    pub(super) fn partitions(
        &self,
        conn: &Connection,
        visible: Visible,
    ) -> StoreResult<Vec<Partition>> {
        let mut statement = conn.prepare_cached(
            "SELECT c.library_id, c.kind, iif(:subkinds IS NULL, NULL, c.subkind) AS subkind,
                    sum(c.n)
               FROM library_grant AS g
               JOIN item_count AS c ON c.library_id = g.library_id
              WHERE g.user_id = :viewer
                AND (:library IS NULL OR c.library_id = :library)
                AND (:kind IS NULL OR c.kind = :kind)
                AND (:kinds IS NULL OR c.kind IN (SELECT value FROM json_each(:kinds)))
                AND (:subkinds IS NULL
                     OR c.subkind IN (SELECT value FROM json_each(:subkinds)))
                AND (:missing IS NULL OR c.missing = :missing)
              GROUP BY 1, 2, 3
             HAVING sum(c.n) > 0
              ORDER BY 1, 2, 3",
        )?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": visible.user(),
                ":library": self.library,
                ":kind": self.kind,
                ":kinds": self.kind_list(),
                ":subkinds": self.subkind_list(),
                ":missing": self.missing,
            },
            |row| {
                let size = row.get(3)?;
                Ok(Partition {
                    library: row.get(0)?,
                    kind: row.get(1)?,
                    subkind: row.get(2)?,
                    size,
                    count: size,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the kinds as a JSON array, or `None` for all.
    pub(super) fn kind_list(&self) -> Option<String> {
        let list = || serde_json::to_string(&self.kinds).expect("texts are JSON");
        (!self.kinds.is_empty()).then(list)
    }

    /// Returns the subkinds as a JSON array, or `None` for all.
    pub(super) fn subkind_list(&self) -> Option<String> {
        let list = || serde_json::to_string(&self.subkinds).expect("texts are JSON");
        (!self.subkinds.is_empty()).then(list)
    }

    /// Returns the condition on `item` for the `missing` flag.
    pub(super) fn missing_condition(&self) -> &'static str {
        match self.missing {
            Some(true) => " AND missing = 1",
            Some(false) => " AND missing = 0",
            None => "",
        }
    }

    /// Returns `true` if items of this bucket belong to the partitions.
    pub(super) fn has_bucket(&self, bucket: &ItemBucket) -> bool {
        self.library.is_none_or(|library| library == bucket.library)
            && self
                .kind
                .as_deref()
                .is_none_or(|kind| kind == &*bucket.kind)
            && (self.kinds.is_empty() || self.kinds.contains(&&*bucket.kind))
            && self.has_subkind(bucket.subkind.as_deref())
            && self.missing.is_none_or(|missing| missing == bucket.missing)
    }

    /// Returns `true` if items of this subkind belong to the list.
    fn has_subkind(&self, subkind: Option<&str>) -> bool {
        self.subkinds.is_empty()
            || subkind.is_some_and(|subkind| self.subkinds.iter().any(|own| own == subkind))
    }
}
