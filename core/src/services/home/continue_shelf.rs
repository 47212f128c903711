//! *Continue*: items in progress, one card per item, the most recent first.

use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::continue_file::ContinueFile;
use super::{OnShelf, SHELF, merge_newest};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::registry::Registry;
use crate::store::catalogue::work::{self, OtherForm};
use crate::store::item::ItemCard;
use crate::time::Timestamp;

/// An item to continue.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueCard {
    /// Card of the item.
    pub item: ItemCard,
    /// Id of the file to continue with: the file of the latest progress, or the next unfinished
    /// part after it.
    pub file_id: FileId,
    /// Progress in that file; null if the viewer has just finished the part before it.
    pub progress: Option<ContinueProgress>,
    /// Part number and remaining extent of that file.
    pub file: ContinueFile,
    /// Other visible forms of the same title.
    pub forms: Vec<OtherForm>,
}

/// Progress of the viewer in the file to continue with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContinueProgress {
    /// Id of the file.
    pub file_id: FileId,
    /// Position in the file's unit.
    pub position: i64,
    /// Length of the file in the same unit.
    pub extent: Option<i64>,
    /// 1 if the file is finished, otherwise position divided by length; null if the length is
    /// unknown.
    pub fraction: Option<f64>,
    /// `true` if the file is finished.
    pub finished: bool,
    /// Opaque text that the reader stores with the position.
    pub locator: Option<String>,
    /// Relative position inside the section or page of `position`, from 0 to 1; null if it is unknown.
    pub within: Option<f64>,
    /// Time at which the position was reached.
    pub updated_at: Timestamp,
    /// Fraction of the item that is done, from 0 to 1.
    pub item_fraction: Option<f64>,
    /// `true` if the item is finished.
    pub item_finished: bool,
}

pub(super) struct Entry {
    pub(super) item: ItemId,
    file: ContinueFile,
    progress: Option<ContinueProgress>,
    forms: Vec<OtherForm>,
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
            forms: self.forms,
        }
    }
}

/// Newest progress of one library, without items whose work has a newer form on the shelf. Only keys
/// are read here, because most of these rows are older than the rows of other libraries.
pub(super) const NEWEST: &str = "
    SELECT shelf.updated_at, shelf.item_id
      FROM item_progress AS shelf INDEXED BY item_progress_on_shelf
     WHERE shelf.user_id = :viewer
       AND shelf.library_id = :library
       AND shelf.continue_file_id IS NOT NULL
       AND shelf.missing = 0
       AND NOT EXISTS (
           SELECT 1
             FROM work_item AS own
             CROSS JOIN work_item AS other ON other.work_id = own.work_id
             CROSS JOIN item_progress AS newer
                ON newer.user_id = :viewer AND newer.item_id = other.item_id
             JOIN library_grant AS g
               ON g.user_id = :viewer AND g.library_id = newer.library_id
            WHERE own.item_id = shelf.item_id
              AND newer.continue_file_id IS NOT NULL
              AND newer.missing = 0
              AND (newer.updated_at, newer.item_id) > (shelf.updated_at, shelf.item_id))
     ORDER BY shelf.updated_at DESC, shelf.item_id DESC
     LIMIT :limit";

/// Progress in one item. The position counts only if the newest row belongs to the file to continue
/// with: after a finished part, the next part starts at its beginning.
pub(super) const PROGRESS: &str = "
    SELECT shelf.item_id, shelf.continue_file_id,
           place.file_id, place.position, place.finished, place.locator, place.updated_at,
           place.within,
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
    let mut statement = conn.prepare_cached(PROGRESS)?;
    let entry = |item: ItemId| {
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
            forms: work::other_forms(conn, visible, item)?,
        })
    };
    newest(conn, visible, libraries)?
        .into_iter()
        .map(entry)
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
        within: row.get("within")?,
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
