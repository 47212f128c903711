//! *Most viewed*: ordered by the viewer's own counts; other users' counts have no influence.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::{OnShelf, SHELF, merge_newest};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::store::item::ItemCard;

/// An item and the viewer's count of views.
#[derive(Debug, Serialize, ToSchema)]
pub struct ViewedCard {
    /// Card of the item.
    pub item: ItemCard,
    /// Times that the viewer opened the item.
    pub views: i64,
}

pub(super) struct Entry {
    pub(super) item: ItemId,
    views: i64,
    viewed_at: String,
}

impl OnShelf for Entry {
    fn item(&self) -> ItemId {
        self.item
    }
}

impl Entry {
    pub(super) fn card(self, item: ItemCard) -> ViewedCard {
        ViewedCard {
            item,
            views: self.views,
        }
    }
}

/// Most viewed items of one library. Among equal counts, the most recently opened item is first.
pub(super) const MOST: &str = "
    SELECT item_id, n, viewed_at
      FROM item_view INDEXED BY item_view_by_count
     WHERE user_id = :viewer AND library_id = :library AND missing = 0
     ORDER BY n DESC, viewed_at DESC, item_id DESC
     LIMIT :limit";

pub(super) fn find(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
) -> StoreResult<Vec<Entry>> {
    let mut statement = conn.prepare_cached(MOST)?;
    let mut entries = Vec::new();
    for library in libraries {
        let rows = statement.query_map(
            named_params! { ":viewer": visible.user(), ":library": library, ":limit": SHELF },
            |row| {
                Ok(Entry {
                    item: row.get(0)?,
                    views: row.get(1)?,
                    viewed_at: row.get(2)?,
                })
            },
        )?;
        for row in rows {
            entries.push(row?);
        }
    }
    Ok(merge_newest(entries, |entry| {
        (entry.views, entry.viewed_at.clone(), entry.item)
    }))
}
