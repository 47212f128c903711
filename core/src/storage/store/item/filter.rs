//! Filters of item lists, and the partitions of the visible items that they select.

use crate::error::StoreResult;
use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::db::item_index::ItemBucket;
use crate::id::{LibraryId, PersonId, SeriesId};
use crate::playback::Offer;

/// Criteria of a list. The default selects every visible item.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this kind.
    pub kind: Option<String>,
    /// Only this subkind.
    pub subkind: Option<String>,
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
    /// Only items that one of these engines plays.
    pub engines: Option<Offer>,
}

/// Progress state of an item for a viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Never started.
    Unstarted,
    /// Started and not finished.
    Started,
    /// Finished.
    Finished,
}

/// Items of one library and kind. They form one range of every browse index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Partition {
    pub(super) library: LibraryId,
    pub(super) kind: String,
    /// Number of its items under the filter's `missing` and subkind.
    pub(super) size: u64,
    /// Number of these items that also match the filter's engines.
    pub(super) count: u64,
}

impl Filter {
    /// Returns the visible partitions that are not empty, sorted by library and kind.
    pub(super) fn partitions(
        &self,
        conn: &Connection,
        visible: Visible,
    ) -> StoreResult<Vec<Partition>> {
        let mut statement = conn.prepare_cached(
            "SELECT c.library_id, c.kind, sum(c.n)
               FROM library_grant AS g
               JOIN item_count AS c ON c.library_id = g.library_id
              WHERE g.user_id = :viewer
                AND (:library IS NULL OR c.library_id = :library)
                AND (:kind IS NULL OR c.kind = :kind)
                AND (:subkind IS NULL OR c.subkind = :subkind)
                AND (:missing IS NULL OR c.missing = :missing)
              GROUP BY c.library_id, c.kind
             HAVING sum(c.n) > 0
              ORDER BY c.library_id, c.kind",
        )?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": visible.user(),
                ":library": self.library,
                ":kind": self.kind,
                ":subkind": self.subkind,
                ":missing": self.missing,
            },
            |row| {
                let size = row.get(2)?;
                Ok(Partition {
                    library: row.get(0)?,
                    kind: row.get(1)?,
                    size,
                    count: size,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the condition on `item` for the subkind and the `missing` flag.
    pub(super) fn bucket_condition(&self) -> String {
        let subkind = match self.subkind {
            Some(_) => " AND subkind = :subkind",
            None => "",
        };
        let missing = match self.missing {
            Some(true) => " AND missing = 1",
            Some(false) => " AND missing = 0",
            None => "",
        };
        format!("{subkind}{missing}")
    }

    /// Returns `true` if items of this bucket belong to the partitions.
    pub(super) fn has_bucket(&self, bucket: &ItemBucket) -> bool {
        self.library.is_none_or(|library| library == bucket.library)
            && self
                .kind
                .as_deref()
                .is_none_or(|kind| kind == &*bucket.kind)
            && self.has_subkind(bucket.subkind.as_deref())
            && self.missing.is_none_or(|missing| missing == bucket.missing)
    }

    /// Returns `true` if items of this subkind belong to the list.
    pub(super) fn has_subkind(&self, subkind: Option<&str>) -> bool {
        self.subkind.is_none() || self.subkind.as_deref() == subkind
    }
}
