//! File of an item to play, with its codecs.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::FileId;
use crate::playback::Codecs;
use crate::store::file::first;

/// A file for playback.
#[derive(Debug, Clone)]
pub struct PlayedFile {
    /// Id of the file.
    pub id: FileId,
    /// `true` if the file is missing on the disk.
    pub missing: bool,
    /// Container and codecs.
    pub codecs: Codecs,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
}

/// Returns the kind of an item.
pub fn kind(conn: &Connection, item: VisibleItem) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT kind FROM item WHERE id = :item")?;
    Ok(statement
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?)
}

/// Returns a file of the item, or `None` if the id belongs to another item.
pub fn file(conn: &Connection, item: VisibleItem, id: FileId) -> StoreResult<Option<PlayedFile>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, missing, container, vcodec, acodec, width, height
           FROM file
          WHERE id = :file AND item_id = :item",
    )?;
    Ok(statement
        .query_row(named_params! { ":file": id, ":item": item.id() }, played)
        .optional()?)
}

/// Returns the file to continue with if it is present, otherwise the first present file, otherwise
/// the first file. Returns `None` if the item has no files.
pub fn next_file(conn: &Connection, item: VisibleItem) -> StoreResult<Option<PlayedFile>> {
    let id = match continued(conn, item)? {
        Some(id) => Some(id),
        None => first::present_unscoped(conn, item.id())?,
    };
    let id = match id {
        Some(id) => Some(id),
        None => first::missing_unscoped(conn, item.id())?,
    };
    id.map_or(Ok(None), |id| file(conn, item, id))
}

fn continued(conn: &Connection, item: VisibleItem) -> StoreResult<Option<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT file.id
           FROM item_progress AS p
           JOIN file ON file.id = p.continue_file_id AND file.item_id = p.item_id
          WHERE p.user_id = :viewer AND p.item_id = :item AND file.missing = 0",
    )?;
    Ok(statement
        .query_row(
            named_params! { ":viewer": item.viewer(), ":item": item.id() },
            |row| row.get(0),
        )
        .optional()?)
}

fn played(row: &Row<'_>) -> rusqlite::Result<PlayedFile> {
    Ok(PlayedFile {
        id: row.get("id")?,
        missing: row.get("missing")?,
        codecs: Codecs {
            container: row.get("container")?,
            vcodec: row.get("vcodec")?,
            acodec: row.get("acodec")?,
        },
        width: row.get("width")?,
        height: row.get("height")?,
    })
}
