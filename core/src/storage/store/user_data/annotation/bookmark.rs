//! Bookmarks of programs that have one bookmark per user and file.
//!
//! Such a bookmark is an annotation with the locator `app`, so that readers and players show it as
//! well. In long recordings, the bookmark of a program is the progress, and the annotation contains
//! only the comment.

use rusqlite::{Connection, Transaction, named_params};

use super::{AnnotationType, NewAnnotation, create};
use crate::access::{Visible, VisibleFile, VisibleItem};
use crate::error::StoreResult;
use crate::id::FileId;
use crate::time::Timestamp;

/// Locator of the bookmarks. The index `annotation_of_app` contains it.
const LOCATOR: &str = "app";

/// Limit of the bookmarks in a list.
const MAX_BOOKMARKS: u32 = 500;

/// Bookmark of a program, or progress, in a file with a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// Id of the file.
    pub file: FileId,
    /// Kind of the item.
    pub kind: String,
    /// Subkind of the item, if its kind assigns one.
    pub subkind: Option<String>,
    /// Position in milliseconds.
    pub millis: i64,
    /// Comment of the user.
    pub comment: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub changed_at: Timestamp,
}

/// Replaces the bookmark in a file with a timeline. The position is in milliseconds. The caller checks
/// the length of the comment.
///
/// # Errors
///
/// Returns `Invalid` for an unsuitable position, and `Conflict` beyond a limit of annotations.
pub fn set(
    tx: &Transaction<'_>,
    (item, file): (VisibleItem, VisibleFile),
    millis: i64,
    comment: Option<String>,
    now: Timestamp,
) -> StoreResult<()> {
    remove(tx, file)?;
    let new = NewAnnotation {
        file: Some(file.id()),
        position: millis / 1000,
        locator: Some(LOCATOR.to_owned()),
        kind: AnnotationType::Bookmark,
        text: None,
        note: comment,
        color: None,
    };
    if let Some(created) = create(tx, item, &new, now)? {
        tx.prepare_cached("UPDATE annotation SET millis = :millis WHERE id = :id")?
            .execute(named_params! { ":millis": millis % 1000, ":id": created.id })?;
    }
    Ok(())
}

/// Deletes the bookmark in a file. Returns `false` if there is none.
pub fn remove(tx: &Transaction<'_>, file: VisibleFile) -> StoreResult<bool> {
    let deleted = tx
        .prepare_cached(
            "DELETE FROM annotation INDEXED BY annotation_of_app
              WHERE user_id = :viewer AND file_id = :file
                AND type = 'bookmark' AND locator = 'app'",
        )?
        .execute(named_params! { ":viewer": file.viewer(), ":file": file.id() })?;
    Ok(deleted > 0)
}

/// Returns the bookmarks in present visible files of these kinds, the newest 500.
pub fn explicit(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
) -> StoreResult<Vec<Bookmark>> {
    let mut statement = conn.prepare_cached(
        "SELECT own.file_id, item.kind, item.subkind, own.position * 1000 + own.millis, own.note,
                own.created_at, own.created_at
           FROM annotation AS own INDEXED BY annotation_of_app
          CROSS JOIN file ON file.id = own.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE own.user_id = :viewer AND own.type = 'bookmark' AND own.locator = 'app'
            AND file.missing = 0 AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY own.created_at DESC, own.file_id
          LIMIT :limit",
    )?;
    read(&mut statement, visible, kinds)
}

/// Returns the progress in present visible files of these kinds as bookmarks, the newest 500.
/// Finished files and finished items are left out.
pub fn of_progress(
    conn: &Connection,
    visible: Visible,
    kinds: &[&'static str],
) -> StoreResult<Vec<Bookmark>> {
    let mut statement = conn.prepare_cached(
        "SELECT place.file_id, item.kind, item.subkind,
                place.position * 1000 + CAST(ifnull(place.within, 0) * 1000 + 0.5 AS INTEGER), own.note,
                ifnull(own.created_at, place.updated_at), place.updated_at
           FROM library_grant AS g
          CROSS JOIN item_progress AS started INDEXED BY item_progress_by_state
             ON started.user_id = :viewer AND started.finished = 0
            AND started.library_id = g.library_id
          CROSS JOIN item ON item.id = started.item_id
          CROSS JOIN progress AS place INDEXED BY progress_by_item
             ON place.item_id = item.id AND place.user_id = :viewer
          CROSS JOIN file ON file.id = place.file_id
           LEFT JOIN annotation AS own INDEXED BY annotation_of_app
             ON own.user_id = :viewer AND own.file_id = place.file_id
            AND own.type = 'bookmark' AND own.locator = 'app'
          WHERE g.user_id = :viewer AND place.finished = 0
            AND (place.position > 0 OR place.within > 0)
            AND file.missing = 0 AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY place.updated_at DESC, place.file_id
          LIMIT :limit",
    )?;
    read(&mut statement, visible, kinds)
}

fn read(
    statement: &mut rusqlite::Statement<'_>,
    visible: Visible,
    kinds: &[&'static str],
) -> StoreResult<Vec<Bookmark>> {
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let viewer = visible.user();
    let rows = statement.query_map(
        named_params! { ":viewer": viewer, ":kinds": kinds, ":limit": MAX_BOOKMARKS },
        |row| {
            Ok(Bookmark {
                file: row.get(0)?,
                kind: row.get(1)?,
                subkind: row.get(2)?,
                millis: row.get(3)?,
                comment: row.get(4)?,
                created_at: row.get(5)?,
                changed_at: row.get(6)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
