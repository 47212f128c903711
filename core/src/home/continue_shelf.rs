//! Continue: what was begun and not finished, one card an item, the newest first.

use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::continue_file::ContinueFile;
use super::{OnShelf, SHELF, merge_newest};
use crate::access::Visible;
use crate::clock::Timestamp;
use crate::id::{FileId, ItemId, LibraryId};
use crate::registry::Registry;
use crate::store::StoreResult;
use crate::store::item::ItemCard;

/// An item to go on with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueCard {
    /// The item.
    pub item: ItemCard,
    /// The file to go on with: the newest place's, or the next unfinished part after it.
    pub file_id: FileId,
    /// The place in that file; null where the part before it was finished.
    pub progress: Option<ContinueProgress>,
    /// Which part of the item that file is, and what is left of it.
    pub file: ContinueFile,
}

/// Where the viewer is in the file to go on with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueProgress {
    /// The file.
    pub file_id: FileId,
    /// The place, in the file's unit.
    pub position: i64,
    /// The file's length in the same unit.
    pub extent: Option<i64>,
    /// 1 when finished, else place over length; null without a length.
    pub fraction: Option<f64>,
    /// Whether the file is finished.
    pub finished: bool,
    /// What the reader keeps beside the place.
    pub locator: Option<String>,
    /// When the place was reached.
    pub updated_at: Timestamp,
    /// How much of the item is done.
    pub item_fraction: Option<f64>,
    /// Whether the item is finished.
    pub item_finished: bool,
}

pub(super) struct Entry {
    pub(super) item: ItemId,
    file: ContinueFile,
    progress: Option<ContinueProgress>,
}

impl OnShelf for Entry {
    fn item(&self) -> ItemId {
        self.item
    }
}

impl Entry {
    pub(super) fn card(self, item: ItemCard) -> ContinueCard {
        ContinueCard {
            item,
            file_id: self.file.id,
            progress: self.progress,
            file: self.file,
        }
    }
}

/// One library's newest: most of them are older than what other libraries have, and nothing else of
/// them is read.
pub(super) const NEWEST: &str = "
    SELECT updated_at, item_id
      FROM item_progress INDEXED BY item_progress_on_shelf
     WHERE user_id = :viewer
       AND library_id = :library
       AND continue_file_id IS NOT NULL
       AND missing = 0
     ORDER BY updated_at DESC, item_id DESC
     LIMIT :limit";

/// Where the viewer is in one item. The place counts only where the newest row is of the file to go
/// on with: after a finished part, the next one begins.
pub(super) const STANDING: &str = "
    SELECT shelf.item_id, shelf.continue_file_id,
           place.file_id, place.position, place.finished, place.locator, place.updated_at,
           file.extent, shelf.fraction AS item_fraction, shelf.finished AS item_finished,
           item.kind
      FROM item_progress AS shelf
      LEFT JOIN progress AS place
        ON place.user_id = shelf.user_id
       AND place.file_id = shelf.continue_file_id
       AND place.file_id = shelf.file_id
      LEFT JOIN file ON file.id = place.file_id
      JOIN item ON item.id = shelf.item_id
     WHERE shelf.user_id = :viewer AND shelf.item_id = :item";

pub(super) fn find(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    libraries: &[LibraryId],
) -> StoreResult<Vec<Entry>> {
    let mut statement = conn.prepare_cached(STANDING)?;
    let standing = |item: ItemId| {
        let of = named_params! { ":viewer": visible.user(), ":item": item };
        let (id, kind, progress) = statement.query_row(of, |row| {
            let file: FileId = row.get("continue_file_id")?;
            Ok((file, row.get::<_, String>("kind")?, progress(row)?))
        })?;
        let position = progress.as_ref().map_or(0, |progress| progress.position);
        let file = ContinueFile::read(conn, registry, &kind, (item, id), position)?;
        Ok(Entry {
            item,
            file,
            progress,
        })
    };
    newest(conn, visible, libraries)?
        .into_iter()
        .map(standing)
        .collect()
}

fn newest(
    conn: &Connection,
    visible: Visible,
    libraries: &[LibraryId],
) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    let mut keys: Vec<(Timestamp, ItemId)> = Vec::new();
    for library in libraries {
        let rows = statement.query_map(
            named_params! { ":viewer": visible.user(), ":library": library, ":limit": SHELF },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        for row in rows {
            keys.push(row?);
        }
    }
    let newest = merge_newest(keys, |key| *key);
    Ok(newest.into_iter().map(|(_, item)| item).collect())
}

fn progress(row: &Row<'_>) -> rusqlite::Result<Option<ContinueProgress>> {
    let Some(file_id) = row.get("file_id")? else {
        return Ok(None);
    };
    let (position, extent) = (row.get("position")?, row.get("extent")?);
    let finished = row.get("finished")?;
    Ok(Some(ContinueProgress {
        file_id,
        position,
        extent,
        fraction: fraction(position, extent, finished),
        finished,
        locator: row.get("locator")?,
        updated_at: row.get("updated_at")?,
        item_fraction: row.get("item_fraction")?,
        item_finished: row.get("item_finished")?,
    }))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "pages and seconds stay far below 2^52"
)]
fn fraction(position: i64, extent: Option<i64>, finished: bool) -> Option<f64> {
    if finished {
        return Some(1.0);
    }
    let extent = extent.filter(|extent| *extent > 0)?;
    Some((position as f64 / extent as f64).clamp(0.0, 1.0))
}
