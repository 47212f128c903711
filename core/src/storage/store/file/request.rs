//! Descriptions of file requests for administrators, and of the files that a user plays.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::store::account::user;

/// User and item of a file request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRequest {
    /// Name of the user.
    pub username: String,
    /// Item of the file with its title; `None` if the administrator may not see it.
    pub item: Option<(ItemId, String)>,
}

const ITEM: &str = "
    SELECT item.id, item.title
      FROM file
      JOIN item ON item.id = file.item_id
      JOIN library_grant AS g ON g.library_id = item.library_id
     WHERE file.id = :file AND g.user_id = :viewer";

/// Describes the request of a user for a file. Returns `None` if the user was deleted.
pub fn describe(
    conn: &Connection,
    visible: Visible,
    (user, file): (UserId, FileId),
) -> StoreResult<Option<FileRequest>> {
    let Some(user) = user::get(conn, user)? else {
        return Ok(None);
    };
    let item = conn.prepare_cached(ITEM)?.query_row(
        named_params! { ":file": file, ":viewer": visible.user() },
        |row| Ok((row.get(0)?, row.get(1)?)),
    );
    Ok(Some(FileRequest {
        username: user.username,
        item: item.optional()?,
    }))
}

/// File that a user plays.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedFile {
    /// Id of the item that contains the file.
    pub item: ItemId,
    /// Kind of the item.
    pub kind: String,
    /// Title of the part, otherwise of the item.
    pub title: String,
    /// Title of the item.
    pub item_title: String,
    /// Length in seconds.
    pub duration: Option<f64>,
}

impl PlayedFile {
    /// Returns the length in milliseconds.
    pub fn duration_millis(&self) -> Option<i64> {
        self.duration.map(millis)
    }
}

/// Converts seconds to milliseconds.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a conversion of a float is limited to the range of the integer"
)]
pub fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

/// Describes a file for its user. Returns `None` if it is absent or not visible.
pub fn played(
    conn: &Connection,
    visible: Visible,
    file: FileId,
) -> StoreResult<Option<PlayedFile>> {
    let mut statement = conn.prepare_cached(
        "SELECT item.id, item.kind, ifnull(file.title, item.title), item.title, file.duration
           FROM file
           JOIN item ON item.id = file.item_id
           JOIN library_grant AS g ON g.library_id = item.library_id
          WHERE file.id = :file AND g.user_id = :viewer",
    )?;
    let played = statement.query_row(
        named_params! { ":file": file, ":viewer": visible.user() },
        |row| {
            Ok(PlayedFile {
                item: row.get(0)?,
                kind: row.get(1)?,
                title: row.get(2)?,
                item_title: row.get(3)?,
                duration: row.get(4)?,
            })
        },
    );
    Ok(played.optional()?)
}
