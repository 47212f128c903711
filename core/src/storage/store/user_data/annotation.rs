//! Bookmarks and highlights of a user in the files of an item.

pub mod bookmark;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::VisibleItem;
use crate::error::{StoreError, StoreResult};
use crate::id::{AnnotationId, FileId};
use crate::store::file;
use crate::time::Timestamp;

/// Limit of annotations per user and item.
const MOST: i64 = 10_000;
/// Limit of the annotations' text per user and item, in bytes: one request lists them all.
const MOST_BYTES: i64 = 4 << 20;

/// A bookmark or a highlight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Annotation {
    /// Id of the annotation.
    pub id: AnnotationId,
    /// Id of the annotated file.
    pub file_id: FileId,
    /// Position in the file's unit.
    pub position: i64,
    /// Opaque text that the reader stores with the position.
    pub locator: Option<String>,
    /// Type of the annotation.
    pub r#type: AnnotationType,
    /// Marked text.
    pub text: Option<String>,
    /// Note of the user.
    pub note: Option<String>,
    /// Colour: a name, or `#rrggbb`.
    pub color: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Type of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationType {
    /// A position.
    Bookmark,
    /// A text that begins at the position.
    Highlight,
}

impl AnnotationType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Bookmark => "bookmark",
            Self::Highlight => "highlight",
        }
    }

    fn of(text: &str) -> Self {
        if text == Self::Highlight.as_str() {
            Self::Highlight
        } else {
            Self::Bookmark
        }
    }
}

/// Values of a new annotation; the caller has validated its texts.
#[derive(Debug, Clone)]
pub struct NewAnnotation {
    /// Id of the file; optional if the item has only one.
    pub file: Option<FileId>,
    /// Position in the file's unit.
    pub position: i64,
    /// Opaque text that the reader stores with the position.
    pub locator: Option<String>,
    /// Type of the annotation.
    pub kind: AnnotationType,
    /// Marked text.
    pub text: Option<String>,
    /// Note of the user.
    pub note: Option<String>,
    /// Colour: a name, or `#rrggbb`.
    pub color: Option<String>,
}

/// Changes to an annotation; `None` keeps a field and `Some(None)` clears it.
#[derive(Debug, Clone, Default)]
pub struct AnnotationPatch {
    /// Position in the file's unit.
    pub position: Option<i64>,
    /// Opaque text that the reader stores with the position.
    pub locator: Option<Option<String>>,
    /// Marked text.
    pub text: Option<Option<String>>,
    /// Note of the user.
    pub note: Option<Option<String>>,
    /// Colour: a name, or `#rrggbb`.
    pub color: Option<Option<String>>,
}

const COLUMNS: &str = "annotation.id, annotation.file_id, annotation.position, annotation.locator,
    annotation.type, annotation.text, annotation.note, annotation.color, annotation.created_at";

fn annotation(row: &Row<'_>) -> rusqlite::Result<Annotation> {
    Ok(Annotation {
        id: row.get(0)?,
        file_id: row.get(1)?,
        position: row.get(2)?,
        locator: row.get(3)?,
        r#type: AnnotationType::of(row.get_ref(4)?.as_str()?),
        text: row.get(5)?,
        note: row.get(6)?,
        color: row.get(7)?,
        created_at: row.get(8)?,
    })
}

/// Returns the viewer's annotations of an item, ordered by file and position.
pub fn of_item(conn: &Connection, item: VisibleItem) -> StoreResult<Vec<Annotation>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM annotation INDEXED BY annotation_by_item
           JOIN file ON file.id = annotation.file_id
          WHERE annotation.user_id = :viewer AND annotation.item_id = :item
          ORDER BY file.season, file.episode, file.sequence, file.id,
                   annotation.position, annotation.id"
    ))?;
    let rows = statement.query_map(
        named_params! { ":viewer": item.viewer(), ":item": item.id() },
        annotation,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Creates an annotation. Returns `None` if the item is gone.
///
/// # Errors
///
/// Returns `Invalid` for an unsuitable file or position, and `Conflict` beyond a limit.
pub fn create(
    tx: &Transaction<'_>,
    item: VisibleItem,
    new: &NewAnnotation,
    now: Timestamp,
) -> StoreResult<Option<Annotation>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let (file, extent) = file::meant(tx, item, new.file)?;
    check_position(extent, new.position)?;
    let sum = Sum::of(tx, item)?;
    sum.check_count()?;
    sum.check_bytes(bytes([&new.locator, &new.text, &new.note]))?;
    tx.prepare_cached(
        "INSERT INTO annotation (user_id, item_id, file_id, type, position, locator, text, note,
                                 color, created_at)
         VALUES (:viewer, :item, :file, :type, :position, :locator, :text, :note,
                 :color, :now)",
    )?
    .execute(named_params! {
        ":viewer": item.viewer(),
        ":item": item.id(),
        ":file": file,
        ":type": new.kind.as_str(),
        ":position": new.position,
        ":locator": new.locator,
        ":text": new.text,
        ":note": new.note,
        ":color": new.color,
        ":now": now,
    })?;
    Ok(Some(Annotation {
        id: AnnotationId(tx.last_insert_rowid()),
        file_id: file,
        position: new.position,
        locator: new.locator.clone(),
        r#type: new.kind,
        text: new.text.clone(),
        note: new.note.clone(),
        color: new.color.clone(),
        created_at: now,
    }))
}

/// Updates an annotation. Returns `None` if the viewer has no such annotation in the item, or the
/// item is gone.
pub fn update(
    tx: &Transaction<'_>,
    item: VisibleItem,
    id: AnnotationId,
    patch: &AnnotationPatch,
) -> StoreResult<Option<Annotation>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let Some(mut changed) = get(tx, item, id)? else {
        return Ok(None);
    };
    let before = changed.bytes();
    if let Some(position) = patch.position {
        let (_, extent) = file::meant(tx, item, Some(changed.file_id))?;
        check_position(extent, position)?;
        changed.position = position;
    }
    for (field, change) in [
        (&mut changed.locator, &patch.locator),
        (&mut changed.text, &patch.text),
        (&mut changed.note, &patch.note),
        (&mut changed.color, &patch.color),
    ] {
        if let Some(value) = change {
            field.clone_from(value);
        }
    }
    let more = changed.bytes() - before;
    if more > 0 {
        Sum::of(tx, item)?.check_bytes(more)?;
    }
    tx.prepare_cached(
        "UPDATE annotation
            SET position = :position, locator = :locator, text = :text, note = :note,
                color = :color, millis = iif(position = :position, millis, 0)
          WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": id,
        ":position": changed.position,
        ":locator": changed.locator,
        ":text": changed.text,
        ":note": changed.note,
        ":color": changed.color,
    })?;
    Ok(Some(changed))
}

/// Deletes an annotation. Returns `false` if the viewer has no such annotation in the item, or the
/// item is gone.
pub fn delete(tx: &Transaction<'_>, item: VisibleItem, id: AnnotationId) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    let deleted = tx
        .prepare_cached(
            "DELETE FROM annotation WHERE id = :id AND user_id = :viewer AND item_id = :item",
        )?
        .execute(named_params! { ":id": id, ":viewer": item.viewer(), ":item": item.id() })?;
    Ok(deleted > 0)
}

/// Returns `true` if the viewer has this annotation in the item.
pub fn exists(conn: &Connection, item: VisibleItem, id: AnnotationId) -> StoreResult<bool> {
    Ok(get(conn, item, id)?.is_some())
}

fn get(conn: &Connection, item: VisibleItem, id: AnnotationId) -> StoreResult<Option<Annotation>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM annotation
          WHERE id = :id AND user_id = :viewer AND item_id = :item"
    ))?;
    Ok(statement
        .query_row(
            named_params! { ":id": id, ":viewer": item.viewer(), ":item": item.id() },
            annotation,
        )
        .optional()?)
}

fn check_position(extent: Option<i64>, position: i64) -> StoreResult<()> {
    let message = match extent {
        _ if position < 0 => "`position` is 0 or more.".to_owned(),
        Some(extent) if position > extent => {
            format!("The position is beyond the end of the file at {extent}.")
        }
        _ => return Ok(()),
    };
    Err(StoreError::Invalid {
        field: "position",
        message,
    })
}

impl Annotation {
    fn bytes(&self) -> i64 {
        bytes([&self.locator, &self.text, &self.note])
    }
}

/// Returns the number of bytes that count towards [`MOST_BYTES`].
fn bytes(texts: [&Option<String>; 3]) -> i64 {
    let bytes = texts.into_iter().flatten().map(String::len).sum::<usize>();
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Totals of a user's stored annotations in an item.
struct Sum {
    count: i64,
    bytes: i64,
}

impl Sum {
    fn of(conn: &Connection, item: VisibleItem) -> StoreResult<Self> {
        let mut statement = conn.prepare_cached(
            "SELECT count(*),
                    ifnull(sum(ifnull(octet_length(locator), 0) + ifnull(octet_length(text), 0)
                               + ifnull(octet_length(note), 0)), 0)
               FROM annotation INDEXED BY annotation_by_item
              WHERE user_id = :viewer AND item_id = :item",
        )?;
        let sum = statement.query_row(
            named_params! { ":viewer": item.viewer(), ":item": item.id() },
            |row| {
                Ok(Self {
                    count: row.get(0)?,
                    bytes: row.get(1)?,
                })
            },
        )?;
        Ok(sum)
    }

    fn check_count(&self) -> StoreResult<()> {
        if self.count < MOST {
            return Ok(());
        }
        Err(StoreError::Conflict(format!(
            "There are {MOST} annotations in this item already: delete some first."
        )))
    }

    fn check_bytes(&self, more: i64) -> StoreResult<()> {
        if self.bytes + more <= MOST_BYTES {
            return Ok(());
        }
        Err(StoreError::Conflict(
            "The annotations of an item have at most 4 MiB of text together: shorten or delete \
             some first."
                .to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests;
