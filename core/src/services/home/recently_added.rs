//! *Recently added*: one shelf per kind, the newest items first.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::arms::{Arm, Arms};
use super::{Cards, SHELF, merge_newest};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::store::item::ItemCard;

/// The newest items of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddedShelf {
    /// Id of the kind.
    pub kind: &'static str,
    /// Newest items of the kind, the newest first.
    pub items: Vec<ItemCard>,
}

pub(super) struct Shelf {
    kind: &'static str,
    pub(super) items: Vec<ItemId>,
}

impl Shelf {
    pub(super) fn card(self, cards: &Cards) -> AddedShelf {
        AddedShelf {
            kind: self.kind,
            items: cards.of(&self.items),
        }
    }
}

/// Newest items of one range.
pub(super) const NEWEST: &str = "
    SELECT added_at, id
      FROM item INDEXED BY item_by_added
     WHERE library_id = :library AND kind = :kind AND missing = 0
     ORDER BY added_at DESC, id DESC
     LIMIT :limit";

pub(super) fn find(conn: &Connection, arms: &Arms) -> StoreResult<Vec<Shelf>> {
    let shelf = |kind: &super::arms::KindArms| {
        Ok(Shelf {
            kind: kind.kind.id,
            items: newest(conn, &kind.arms)?,
        })
    };
    arms.0.iter().map(shelf).collect()
}

fn newest(conn: &Connection, arms: &[Arm]) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    let mut entries: Vec<(String, ItemId)> = Vec::new();
    for arm in arms {
        let rows = statement.query_map(
            named_params! { ":library": arm.library, ":kind": arm.kind, ":limit": SHELF },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for row in rows {
            entries.push(row?);
        }
    }
    let newest = merge_newest(entries, Clone::clone);
    Ok(newest.into_iter().map(|(_, id)| id).collect())
}
