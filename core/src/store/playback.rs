//! The file that is played of an item, and what is known of its content.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::file::first;
use crate::access::VisibleItem;
use crate::id::FileId;
use crate::playback::Codecs;
use crate::store::StoreResult;

/// A file that may be played.
#[derive(Debug, Clone)]
pub struct PlayedFile {
    /// Its id.
    pub id: FileId,
    /// Whether it is gone from the disk.
    pub missing: bool,
    /// What is in it.
    pub codecs: Codecs,
    /// Width of the picture in pixels.
    pub width: Option<i64>,
    /// Height of the picture in pixels.
    pub height: Option<i64>,
}

/// The kind of an item.
pub fn kind(conn: &Connection, item: VisibleItem) -> StoreResult<Option<String>> {
    let mut statement = conn.prepare_cached("SELECT kind FROM item WHERE id = :item")?;
    Ok(statement
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?)
}

/// A file of the item, if it is one.
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

/// The file to go on with, if it is there; else the first that is there, else the first of all.
/// `None` where the item has no files.
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
