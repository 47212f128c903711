//! What is visible and present, as one arm per library and kind, grouped by kind.

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::id::{ItemId, LibraryId};
use crate::registry::{MediaKind, Registry};
use crate::store::StoreResult;

/// The present items of one kind in one visible library: one range of every browse index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arm {
    pub(super) library: LibraryId,
    pub(super) kind: &'static str,
    /// The smallest id.
    pub(super) first: ItemId,
    /// The largest id.
    pub(super) last: ItemId,
}

/// The arms of one kind, of which there is at least one.
#[derive(Debug)]
pub(super) struct KindArms {
    pub(super) kind: &'static MediaKind,
    pub(super) arms: Vec<Arm>,
}

/// Every arm, by kind in the registry's order.
#[derive(Debug)]
pub(super) struct Arms(pub(super) Vec<KindArms>);

/// Jumps from kind to kind in each library, and to both ends of each.
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
    /// The arms this viewer sees. Items of kinds that are not linked in have no shelf.
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

    /// The arms of a kind, if anything of it is visible.
    pub(super) fn kind(&self, id: &str) -> Option<&KindArms> {
        self.0.iter().find(|arms| arms.kind.id == id)
    }
}

/// Takes turns: the first of each list, then the second of each, and so on.
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
