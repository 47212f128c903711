//! Visible and present items, as one index range per library and kind, grouped by kind.

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::registry::{MediaKind, Registry};

/// The present items of one kind in one visible library. They form one range of every browse index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arm {
    pub(super) library: LibraryId,
    pub(super) kind: &'static str,
    /// Smallest id of the range.
    pub(super) first: ItemId,
    /// Largest id of the range.
    pub(super) last: ItemId,
}

/// Index ranges of one kind; never empty.
#[derive(Debug)]
pub(super) struct KindArms {
    pub(super) kind: &'static MediaKind,
    pub(super) arms: Vec<Arm>,
}

/// All index ranges, by kind in the registry's order.
#[derive(Debug)]
pub(super) struct Arms(pub(super) Vec<KindArms>);

/// Skip scan: jumps from kind to kind in each library and reads both ends of each range.
pub(super) const ARMS: &str = "
    WITH RECURSIVE arm (library_id, kind) AS (
        SELECT g.library_id,
               (SELECT min(kind)
                  FROM item INDEXED BY item_present
                 WHERE library_id = g.library_id AND missing = 0)
          FROM library_grant AS g
         WHERE g.user_id = :viewer
         UNION ALL
        SELECT arm.library_id,
               (SELECT min(kind)
                  FROM item INDEXED BY item_present
                 WHERE library_id = arm.library_id AND missing = 0 AND kind > arm.kind)
          FROM arm
         WHERE arm.kind IS NOT NULL
    )
    SELECT library_id, kind,
           (SELECT min(id)
              FROM item INDEXED BY item_present
             WHERE library_id = arm.library_id AND kind = arm.kind AND missing = 0),
           (SELECT max(id)
              FROM item INDEXED BY item_present
             WHERE library_id = arm.library_id AND kind = arm.kind AND missing = 0)
      FROM arm
     WHERE kind IS NOT NULL";

impl Arms {
    /// Reads the ranges of a viewer. Items of kinds that this build does not contain are on no
    /// shelf.
    pub(super) fn of(
        conn: &Connection,
        visible: Visible,
        registry: &Registry,
    ) -> StoreResult<Self> {
        let mut statement = conn.prepare_cached(ARMS)?;
        let mut rows = statement.query(named_params! { ":viewer": visible.user() })?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let Some(kind) = registry.kind(&row.get::<_, String>(1)?) else {
                continue;
            };
            all.push(Arm {
                library: row.get(0)?,
                kind: kind.id,
                first: row.get(2)?,
                last: row.get(3)?,
            });
        }
        let by_kind = registry.kinds().iter().map(|kind| KindArms {
            kind,
            arms: all
                .iter()
                .filter(|arm| arm.kind == kind.id)
                .copied()
                .collect(),
        });
        Ok(Self(by_kind.filter(|kind| !kind.arms.is_empty()).collect()))
    }

    /// Returns the ranges of a kind, or `None` if the viewer sees no item of it.
    pub(super) fn kind(&self, id: &str) -> Option<&KindArms> {
        self.0.iter().find(|arms| arms.kind.id == id)
    }
}

/// Interleaves the lists: the first entry of each list, then the second of each, and so on.
pub(super) fn interleave<T>(lists: Vec<Vec<T>>) -> impl Iterator<Item = T> {
    let mut lists: std::collections::VecDeque<_> = lists.into_iter().map(Vec::into_iter).collect();
    std::iter::from_fn(move || {
        while let Some(mut list) = lists.pop_front() {
            if let Some(entry) = list.next() {
                lists.push_back(list);
                return Some(entry);
            }
        }
        None
    })
}
