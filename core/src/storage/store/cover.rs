//! Stored covers. Each distinct picture is stored once, for any number of items.

pub mod candidate;
pub mod picture;
pub mod queue;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{CoverId, ItemId, LibraryId};
use crate::image::{Rendered, Size};
use crate::job_kind::COVERS;
use crate::store::catalogue::field::source;
use crate::store::job;
use crate::time::Timestamp;

/// One rendered image of a cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverImage {
    /// Hash of the source picture, lower-case hexadecimal.
    pub hash: String,
    /// Size for which the image was rendered. It is smaller than the requested size if the picture
    /// is small.
    pub size: String,
    /// Media type of the body.
    pub mime: String,
    /// Encoded image.
    pub body: Vec<u8>,
}

/// Returns the image of an item's cover with the largest size that does not exceed `size`.
pub fn image(
    connection: &Connection,
    item: VisibleItem,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    let mut statement = connection.prepare_cached("SELECT cover_id FROM item WHERE id = :item")?;
    let cover = statement
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?;
    match cover.flatten() {
        Some(cover) => sized(connection, cover, size),
        None => Ok(None),
    }
}

/// Returns the image of a cover with the largest size that does not exceed `size`.
fn sized(connection: &Connection, cover: CoverId, size: Size) -> StoreResult<Option<CoverImage>> {
    let mut statement = connection.prepare_cached(
        "SELECT cover.hash, image.size, image.mime, image.body
           FROM cover
           JOIN cover_image AS image ON image.cover_id = cover.id AND image.size = :size
          WHERE cover.id = :cover",
    )?;
    for size in Size::ALL.into_iter().rev().filter(|other| *other <= size) {
        let parameters = named_params! { ":cover": cover, ":size": size.as_str() };
        let image = statement.query_row(parameters, |row| {
            Ok(CoverImage {
                hash: row.get("hash")?,
                size: row.get("size")?,
                mime: row.get("mime")?,
                body: row.get("body")?,
            })
        });
        if let Some(image) = image.optional()? {
            return Ok(Some(image));
        }
    }
    Ok(None)
}

/// Returns the cover rendered from the picture with this hash.
pub fn hashed(connection: &Connection, hash: &str) -> StoreResult<Option<CoverId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM cover WHERE hash = :hash")?;
    let id = statement.query_row(named_params! { ":hash": hash }, |row| row.get(0));
    Ok(id.optional()?)
}

/// Stores a cover, unless the same picture is stored already. If no item receives it in the same
/// transaction, the caller must call [`forget_unused`].
pub fn ensure(tx: &Transaction<'_>, hash: &str, rendered: &Rendered) -> StoreResult<CoverId> {
    if let Some(existing) = hashed(tx, hash)? {
        return Ok(existing);
    }
    tx.prepare_cached(
        "INSERT INTO cover (hash, width, height, tint)
         VALUES (:hash, :width, :height, :tint)",
    )?
    .execute(named_params! {
        ":hash": hash,
        ":width": rendered.width,
        ":height": rendered.height,
        ":tint": rendered.tint,
    })?;
    let id = CoverId(tx.last_insert_rowid());
    let mut insert = tx.prepare_cached(
        "INSERT INTO cover_image (cover_id, size, mime, body)
         VALUES (:cover, :size, :mime, :body)",
    )?;
    for image in &rendered.images {
        insert.execute(named_params! {
            ":cover": id,
            ":size": image.size.as_str(),
            ":mime": image.mime,
            ":body": image.body,
        })?;
    }
    Ok(id)
}

/// Assigns a cover, or none, on behalf of a source. Returns the item's library if the row changed.
/// A cover of a stronger source stays.
pub fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    cover: Option<CoverId>,
    source: i64,
) -> StoreResult<Option<LibraryId>> {
    // Files and folders count as one source: if both have no picture, the item has no cover.
    let beaten = source.max(source::FILE);
    let mut statement = tx.prepare_cached(
        "UPDATE item
            SET cover_id = :cover, cover_source = :source
          WHERE id = :item AND cover_source <= :beaten
            AND (cover_id, cover_source) IS NOT (:cover, :source)
      RETURNING library_id",
    )?;
    let library = statement.query_row(
        named_params! {
            ":item": item, ":cover": cover, ":source": source, ":beaten": beaten,
        },
        |row| row.get(0),
    );
    Ok(library.optional()?)
}

/// Deletes a cover that no item or picture uses or offers.
pub fn forget_unused(tx: &Transaction<'_>, cover: CoverId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM cover
          WHERE id = :cover
            AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = :cover)",
    )?
    .execute(named_params! { ":cover": cover })?;
    Ok(())
}

/// Removes the lock of a cover that a user chose and queues the item. The cover stays until another
/// one is found.
pub fn unlock(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let unlocked = tx
        .prepare_cached(
            "UPDATE item
                SET cover_source = 0
              WHERE id = :item AND cover_source = :person",
        )?
        .execute(named_params! { ":item": item, ":person": source::PERSON })?;
    if unlocked > 0 {
        queue::enqueue(tx, item)?;
    }
    Ok(())
}

/// Queues the search for covers if any item waits for one. The caller wakes the workers after the
/// commit.
pub fn request_job(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<()> {
    if queue::is_any_unscoped(tx)? && !job::is_queued(tx, COVERS)? {
        job::enqueue(tx, COVERS, None, &serde_json::json!({}), now)?;
    }
    Ok(())
}
