//! Covers as they are stored: by what is in them, each once, however many items have it.

pub mod due;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::access::VisibleItem;
use crate::cover::{Rendered, Size};
use crate::id::{CoverId, ItemId, LibraryId};
use crate::store::StoreResult;
use crate::store::catalogue::source;

/// One image of a cover, to be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverImage {
    /// Hash of the picture it was made of, lower-case hexadecimal.
    pub hash: String,
    /// The size it was made for, which is smaller than the wanted one where the picture is.
    pub size: String,
    /// Its media type.
    pub mime: String,
    /// The file.
    pub body: Vec<u8>,
}

/// The image of an item's cover that comes nearest to a size without being larger.
pub fn image(
    connection: &Connection,
    item: VisibleItem,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    let mut statement = connection.prepare_cached(
        "SELECT cover.hash, image.size, image.mime, image.body
           FROM item
           JOIN cover ON cover.id = item.cover_id
           JOIN cover_image AS image ON image.cover_id = cover.id AND image.size = :size
          WHERE item.id = :item",
    )?;
    for size in Size::ALL.into_iter().rev().filter(|known| *known <= size) {
        let parameters = named_params! { ":item": item.id(), ":size": size.as_str() };
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

/// The cover made of the picture with this hash.
pub fn hashed(connection: &Connection, hash: &str) -> StoreResult<Option<CoverId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM cover WHERE hash = :hash")?;
    let id = statement.query_row(named_params! { ":hash": hash }, |row| row.get(0));
    Ok(id.optional()?)
}

/// Stores a cover unless one of the same picture is there. One that no item gets in the same
/// transaction is to be forgotten again.
pub fn ensure(tx: &Transaction<'_>, hash: &str, rendered: &Rendered) -> StoreResult<CoverId> {
    if let Some(known) = hashed(tx, hash)? {
        return Ok(known);
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

/// Gives an item a cover, or none, that a source of this strength found; its library, if that
/// changed anything. A cover of a stronger source stays.
pub fn set(
    tx: &Transaction<'_>,
    item: ItemId,
    cover: Option<CoverId>,
    source: i64,
) -> StoreResult<Option<LibraryId>> {
    // What files and folders say they say together: with neither, the item has none.
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

/// Forgets a cover that no item has.
pub fn forget_unused(tx: &Transaction<'_>, cover: CoverId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM cover
          WHERE id = :cover
            AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = :cover)",
    )?
    .execute(named_params! { ":cover": cover })?;
    Ok(())
}

/// A cover that a person chose stays until another is found, for which it is looked.
pub fn unlock(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    let unlocked = tx
        .prepare_cached(
            "UPDATE item
                SET cover_source = 0
              WHERE id = :item AND cover_source = :person",
        )?
        .execute(named_params! { ":item": item, ":person": source::PERSON })?;
    if unlocked > 0 {
        due::note(tx, item)?;
    }
    Ok(())
}
