//! Reading and playback progress: the position of a user in each file, and the derived state of the
//! item.

pub mod history;
pub(crate) mod import;
mod item_progress;
pub mod log;
pub mod mark;
mod save;
mod summary;

use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{VisibleFile, VisibleItem};
use crate::error::StoreResult;
use crate::id::FileId;
use crate::time::Timestamp;

pub(crate) use item_progress::is_same_episode;
pub use save::{FileProgress, NewProgress, clear, clear_file, save};
pub use summary::{recompute, recompute_some};

/// Progress of a user in a file.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FilePlace {
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
}

/// Columns of [`FilePlace`], over the rows `place` and `file`.
const COLUMNS: &str = "place.file_id, place.position, file.extent, place.finished, place.locator,
    place.updated_at, place.within";

fn place(row: &Row<'_>) -> rusqlite::Result<FilePlace> {
    let (position, extent, finished) = (row.get(1)?, row.get(2)?, row.get(3)?);
    Ok(FilePlace {
        file_id: row.get(0)?,
        position,
        extent,
        fraction: fraction(position, extent, finished),
        finished,
        locator: row.get(4)?,
        updated_at: row.get(5)?,
        within: row.get(6)?,
    })
}

/// Returns the finished fraction of a file: 1 if finished, otherwise position divided by length.
/// The result is at most 1, because a file may have become shorter.
pub(crate) fn fraction(position: i64, extent: Option<i64>, finished: bool) -> Option<f64> {
    if finished {
        return Some(1.0);
    }
    let extent = extent.filter(|extent| *extent > 0)?;
    Some(ratio(position.min(extent), extent))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lengths are far below 2^52, and a fraction is for showing"
)]
fn ratio(part: i64, whole: i64) -> f64 {
    part as f64 / whole as f64
}

/// Returns the user's progress in the files of an item, the newest first.
pub fn of_item(conn: &Connection, item: VisibleItem) -> StoreResult<Vec<FilePlace>> {
    let mut statement = conn.prepare_cached(&of_item_sql())?;
    let rows = statement.query_map(
        named_params! { ":item": item.id(), ":viewer": item.viewer() },
        place,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the user's progress in a file.
pub fn of_file(conn: &Connection, file: VisibleFile) -> StoreResult<Option<FilePlace>> {
    save::stored(conn, file.viewer(), file.id())
}

fn of_item_sql() -> String {
    format!(
        "SELECT {COLUMNS}
           FROM progress AS place
           JOIN file ON file.id = place.file_id
          WHERE place.item_id = :item AND place.user_id = :viewer
          ORDER BY place.updated_at DESC, place.file_id DESC"
    )
}

#[cfg(test)]
pub(crate) mod tests;
