//! Bookmarks and highlights: what one user marked in an item.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::id::{AnnotationId, FileId};
use crate::store::{StoreError, StoreResult};

/// How many annotations one user may have in one item.
const MOST: i64 = 10_000;

/// A bookmark or a highlight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Annotation {
    /// Its id.
    pub id: AnnotationId,
    /// The file it is in.
    pub file_id: FileId,
    /// The place, in the file's unit.
    pub position: i64,
    /// What the reader keeps beside the place.
    pub locator: Option<String>,
    /// What it is.
    pub r#type: AnnotationType,
    /// The words that are marked.
    pub text: Option<String>,
    /// What the user says about them.
    pub note: Option<String>,
    /// Its colour: a word, or `#rrggbb`.
    pub color: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What an annotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationType {
    /// A place.
    Bookmark,
    /// Words from a place on.
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

/// An annotation to be made; its texts are checked already.
#[derive(Debug, Clone)]
pub struct NewAnnotation {
    /// The file; may be left out where the item has one.
    pub file: Option<FileId>,
    /// The place, in the file's unit.
    pub position: i64,
    /// What the reader keeps beside the place.
    pub locator: Option<String>,
    /// What it is.
    pub kind: AnnotationType,
    /// The words that are marked.
    pub text: Option<String>,
    /// What the user says about them.
    pub note: Option<String>,
    /// Its colour.
    pub color: Option<String>,
}

/// What to change; `None` leaves a field as it is, `Some(None)` empties it.
#[derive(Debug, Clone, Default)]
pub struct AnnotationPatch {
    /// The place.
    pub position: Option<i64>,
    /// What the reader keeps beside it.
    pub locator: Option<Option<String>>,
    /// The words that are marked.
    pub text: Option<Option<String>>,
    /// What the user says about them.
    pub note: Option<Option<String>>,
    /// Its colour.
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

/// The viewer's annotations of an item, in the order of its files and of places.
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

/// Makes an annotation.
pub fn create(
    tx: &Transaction<'_>,
    item: VisibleItem,
    new: &NewAnnotation,
    now: Timestamp,
) -> StoreResult<Annotation> {
    let file = file_of(tx, item, new.file)?;
    check_position(tx, file, new.position)?;
    refuse_too_many(tx, item)?;
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
    Ok(Annotation {
        id: AnnotationId(tx.last_insert_rowid()),
        file_id: file,
        position: new.position,
        locator: new.locator.clone(),
        r#type: new.kind,
        text: new.text.clone(),
        note: new.note.clone(),
        color: new.color.clone(),
        created_at: now,
    })
}

/// Changes an annotation; `None` if the viewer has no such one in the item.
pub fn update(
    tx: &Transaction<'_>,
    item: VisibleItem,
    id: AnnotationId,
    patch: &AnnotationPatch,
) -> StoreResult<Option<Annotation>> {
    let Some(mut changed) = get(tx, item, id)? else {
        return Ok(None);
    };
    if let Some(position) = patch.position {
        check_position(tx, changed.file_id, position)?;
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
    tx.prepare_cached(
        "UPDATE annotation
            SET position = :position, locator = :locator, text = :text, note = :note,
                color = :color
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

/// Deletes an annotation; `false` if the viewer has no such one in the item.
pub fn delete(tx: &Transaction<'_>, item: VisibleItem, id: AnnotationId) -> StoreResult<bool> {
    let deleted = tx
        .prepare_cached(
            "DELETE FROM annotation WHERE id = :id AND user_id = :viewer AND item_id = :item",
        )?
        .execute(named_params! { ":id": id, ":viewer": item.viewer(), ":item": item.id() })?;
    Ok(deleted > 0)
}

/// Whether the viewer has this annotation in the item.
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

/// The file that is meant: the one that is named, or the only one there is.
fn file_of(conn: &Connection, item: VisibleItem, named: Option<FileId>) -> StoreResult<FileId> {
    let mut statement = conn.prepare_cached(
        "SELECT id
           FROM file
          WHERE item_id = :item AND (:named IS NULL OR id = :named)
          LIMIT 2",
    )?;
    let rows = statement.query_map(
        named_params! { ":item": item.id(), ":named": named },
        |row| row.get(0),
    )?;
    let files: Vec<FileId> = rows.collect::<Result<_, _>>()?;
    match files.as_slice() {
        [file] => Ok(*file),
        _ => Err(StoreError::Invalid {
            field: "file_id",
            message: "Name one of the item's files.".to_owned(),
        }),
    }
}

fn check_position(conn: &Connection, file: FileId, position: i64) -> StoreResult<()> {
    let extent: Option<i64> = conn
        .prepare_cached("SELECT extent FROM file WHERE id = :file")?
        .query_row(named_params! { ":file": file }, |row| row.get(0))?;
    let beyond = extent.is_some_and(|extent| position > extent);
    if position >= 0 && !beyond {
        return Ok(());
    }
    Err(StoreError::Invalid {
        field: "position",
        message: "`position` lies within the file, from 0 on.".to_owned(),
    })
}

fn refuse_too_many(conn: &Connection, item: VisibleItem) -> StoreResult<()> {
    let count: i64 = conn
        .prepare_cached(
            "SELECT count(*)
               FROM annotation INDEXED BY annotation_by_item
              WHERE user_id = :viewer AND item_id = :item",
        )?
        .query_row(
            named_params! { ":viewer": item.viewer(), ":item": item.id() },
            |row| row.get(0),
        )?;
    if count < MOST {
        return Ok(());
    }
    Err(StoreError::Conflict(format!(
        "There are {MOST} annotations in this item already: delete some first."
    )))
}
