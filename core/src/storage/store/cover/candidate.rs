//! Pictures that administrators can select as the cover of an item: those in and next to its files,
//! uploads, and those of providers.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CoverImage, hashed};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{CoverCandidateId, CoverId, ItemId, LibraryId};
use crate::image::{Size, StoredPicture};
use crate::store::catalogue::field::source;

/// Source of a picture in a file of the item.
pub const EMBEDDED: &str = "embedded";
/// Source of a picture next to the files of the item.
pub const FOLDER: &str = "folder";
/// Source of an uploaded picture.
const UPLOAD: &str = "upload";
/// Maximum number of uploaded pictures per item. Older ones are deleted.
const MAX_UPLOADS: u32 = 10;

/// Picture that an item can have as its cover.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CoverCandidate {
    /// Id of the candidate.
    pub id: CoverCandidateId,
    /// `embedded` in a file, `folder` for a picture file, `upload`, or the id of a provider.
    pub source: String,
    /// Width in pixels.
    pub width: i64,
    /// Height in pixels.
    pub height: i64,
    /// URL of the image; accepts `&size=`.
    pub url: String,
    /// `true` if the item has this cover.
    pub chosen: bool,
}

/// Picture in or next to the files of an item.
#[derive(Debug)]
pub struct FoundPicture {
    /// [`EMBEDDED`] or [`FOLDER`].
    pub source: &'static str,
    /// The picture with its images.
    pub picture: StoredPicture,
}

/// Returns the candidates of an item in the order of their addition.
pub fn list(connection: &Connection, item: VisibleItem) -> StoreResult<Vec<CoverCandidate>> {
    let mut statement = connection.prepare_cached(
        "SELECT candidate.id, candidate.source, cover.width, cover.height, cover.hash,
                candidate.cover_id IS item.cover_id AS chosen
           FROM item
           JOIN item_cover AS candidate ON candidate.item_id = item.id
           JOIN cover ON cover.id = candidate.cover_id
          WHERE item.id = :item",
    )?;
    let rows = statement.query_map(named_params! { ":item": item.id() }, |row| {
        let id: CoverCandidateId = row.get("id")?;
        let hash: String = row.get("hash")?;
        Ok(CoverCandidate {
            id,
            source: row.get("source")?,
            width: row.get("width")?,
            height: row.get("height")?,
            url: format!("/api/v1/items/{}/covers/{id}?v={hash}", item.id()),
            chosen: row.get("chosen")?,
        })
    })?;
    let mut candidates: Vec<CoverCandidate> = rows.collect::<Result<_, _>>()?;
    candidates.sort_by_key(|candidate| candidate.id);
    Ok(candidates)
}

/// Returns the image of a candidate with the largest size that does not exceed `size`.
pub fn image(
    connection: &Connection,
    item: VisibleItem,
    candidate: CoverCandidateId,
    size: Size,
) -> StoreResult<Option<CoverImage>> {
    match cover_of(connection, item.id(), candidate)? {
        Some(cover) => super::sized(connection, cover, size),
        None => Ok(None),
    }
}

fn cover_of(
    connection: &Connection,
    item: ItemId,
    candidate: CoverCandidateId,
) -> StoreResult<Option<CoverId>> {
    let mut statement = connection
        .prepare_cached("SELECT cover_id FROM item_cover WHERE id = :id AND item_id = :item")?;
    let cover = statement.query_row(named_params! { ":id": candidate, ":item": item }, |row| {
        row.get(0)
    });
    Ok(cover.optional()?)
}

/// Selects a candidate and locks the cover. Returns the item's library, or `None` if the item or the
/// candidate is gone.
pub fn choose(
    tx: &Transaction<'_>,
    item: VisibleItem,
    candidate: CoverCandidateId,
) -> StoreResult<Option<LibraryId>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    match cover_of(tx, item.id(), candidate)? {
        Some(cover) => lock(tx, item.id(), cover).map(Some),
        None => Ok(None),
    }
}

/// Stores an uploaded picture, selects it and locks the cover. Returns the item's library, or `None`
/// if the item is gone, or if the images are not given and no longer stored.
pub fn upload(
    tx: &Transaction<'_>,
    item: VisibleItem,
    picture: &StoredPicture,
) -> StoreResult<Option<LibraryId>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let Some(cover) = stored(tx, picture)? else {
        return Ok(None);
    };
    add(tx, item.id(), UPLOAD, cover)?;
    let library = lock(tx, item.id(), cover)?;
    tx.prepare_cached(
        "DELETE FROM item_cover
          WHERE id IN (SELECT id
                         FROM item_cover
                        WHERE item_id = :item AND source = 'upload' AND cover_id <> :cover
                        ORDER BY id DESC
                        LIMIT -1 OFFSET :others)",
    )?
    .execute(named_params! { ":item": item.id(), ":cover": cover, ":others": MAX_UPLOADS - 1 })?;
    Ok(Some(library))
}

/// Returns the cover of a picture, and stores it if its images are given.
fn stored(tx: &Transaction<'_>, picture: &StoredPicture) -> StoreResult<Option<CoverId>> {
    match &picture.rendered {
        Some(rendered) => super::ensure(tx, &picture.hash, rendered).map(Some),
        None => hashed(tx, &picture.hash),
    }
}

/// Assigns a cover on behalf of a user, which locks it.
fn lock(tx: &Transaction<'_>, item: ItemId, cover: CoverId) -> StoreResult<LibraryId> {
    assign(tx, item, Some(cover), source::PERSON)
}

/// Assigns a cover, or none, and its source, whatever the present source is.
fn assign(
    tx: &Transaction<'_>,
    item: ItemId,
    cover: Option<CoverId>,
    source: i64,
) -> StoreResult<LibraryId> {
    let mut statement = tx.prepare_cached(
        "UPDATE item
            SET cover_id = :cover, cover_source = :source
          WHERE id = :item
      RETURNING library_id",
    )?;
    let parameters = named_params! { ":item": item, ":cover": cover, ":source": source };
    Ok(statement.query_row(parameters, |row| row.get(0))?)
}

fn add(tx: &Transaction<'_>, item: ItemId, source: &str, cover: CoverId) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO item_cover (item_id, source, cover_id)
         VALUES (:item, :source, :cover)
             ON CONFLICT (item_id, cover_id) DO NOTHING",
    )?
    .execute(named_params! { ":item": item, ":source": source, ":cover": cover })?;
    Ok(())
}

/// Records the picture of a provider's match, which replaces the provider's earlier one.
pub fn add_of_provider(
    tx: &Transaction<'_>,
    item: ItemId,
    provider: &str,
    cover: CoverId,
) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM item_cover
          WHERE item_id = :item AND source = :provider AND cover_id <> :cover",
    )?
    .execute(named_params! { ":item": item, ":provider": provider, ":cover": cover })?;
    add(tx, item, provider, cover)
}

/// Removes the pictures of providers.
pub fn remove_of_providers(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM item_cover
          WHERE item_id = :item AND source NOT IN ('embedded', 'folder', 'upload')",
    )?
    .execute(named_params! { ":item": item })?;
    Ok(())
}

/// Replaces the pictures in and next to the files by those that were found, and returns the covers
/// in the same order. The present cover stays a candidate.
fn replace_found(
    tx: &Transaction<'_>,
    item: ItemId,
    found: &[FoundPicture],
) -> StoreResult<Vec<(&'static str, CoverId)>> {
    let mut covers = Vec::with_capacity(found.len());
    for FoundPicture { source, picture } in found {
        if let Some(cover) = stored(tx, picture)? {
            add(tx, item, source, cover)?;
            covers.push((*source, cover));
        }
    }
    let ids: Vec<CoverId> = covers.iter().map(|(_, cover)| *cover).collect();
    let ids = serde_json::to_string(&ids).expect("integers are JSON");
    tx.prepare_cached(
        "DELETE FROM item_cover
          WHERE item_id = :item AND source IN ('embedded', 'folder')
            AND cover_id NOT IN (SELECT value FROM json_each(:found))
            AND cover_id IS NOT (SELECT cover_id FROM item WHERE item.id = :item)",
    )?
    .execute(named_params! { ":item": item, ":found": ids })?;
    Ok(covers)
}

/// Stores the pictures that were found in and next to the files. Returns `false` if the item is
/// gone.
pub fn refresh(
    tx: &Transaction<'_>,
    item: VisibleItem,
    found: &[FoundPicture],
) -> StoreResult<bool> {
    let Some(item) = item.again(tx)? else {
        return Ok(false);
    };
    replace_found(tx, item.id(), found)?;
    Ok(true)
}

/// Unlocks the cover. The item gets the picture of its provider, or the first of the pictures that
/// were found, and is queued for another search. Returns the item's library, or `None` if the item is
/// gone.
pub fn unlock(
    tx: &Transaction<'_>,
    item: VisibleItem,
    found: &[FoundPicture],
) -> StoreResult<Option<Option<LibraryId>>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let id = item.id();
    let covers = replace_found(tx, id, found)?;
    let is_locked: bool = tx
        .prepare_cached("SELECT cover_source = 3 FROM item WHERE id = :item")?
        .query_row(named_params! { ":item": id }, |row| row.get(0))?;
    if !is_locked {
        return Ok(Some(None));
    }
    let of_provider = tx
        .prepare_cached(
            "SELECT max(id), cover_id
               FROM item_cover
              WHERE item_id = :item AND source NOT IN ('embedded', 'folder', 'upload')",
        )?
        .query_row(named_params! { ":item": id }, |row| row.get(1))?;
    let (cover, source) = match (of_provider, covers.first()) {
        (Some(cover), _) => (Some(cover), source::PROVIDER),
        (None, Some((EMBEDDED, cover))) => (Some(*cover), source::FILE),
        (None, Some((_, cover))) => (Some(*cover), source::NAME),
        (None, None) => (None, source::NAME),
    };
    let library = assign(tx, id, cover, source)?;
    super::queue::enqueue(tx, id)?;
    Ok(Some(Some(library)))
}
