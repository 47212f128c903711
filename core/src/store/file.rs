//! Files as the scanner stores them. What the API shows of a file is read with its item.

pub mod content;
pub mod first;
mod item;
mod new;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::clock::Timestamp;
use crate::id::{FileId, FolderId, ItemId, LibraryId};
use crate::registry::naming::Member;
use crate::store::StoreResult;

pub use item::{any_present, hand_over, meant};
pub use new::{NewFile, insert};

/// A digest of a file's size, head and tail.
pub type Fingerprint = [u8; 16];

/// What the scanner compares of a stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its id.
    pub id: FileId,
    /// The item it belongs to.
    pub item: ItemId,
    /// The folder it lies in.
    pub folder: FolderId,
    /// Its name there.
    pub name: Vec<u8>,
    /// Its size in bytes.
    pub size: i64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its fingerprint; `None` for empty files and until first read.
    pub fingerprint: Option<Fingerprint>,
    /// Whether it was gone when last looked for.
    pub missing: bool,
    /// Tells by which readers, and from which notes beside it, it was read.
    pub mark: Option<i64>,
}

/// A stored file that may have moved, and where it was last seen.
#[derive(Debug, Clone)]
pub struct Namesake {
    /// The file.
    pub file: StoredFile,
    /// The path of its folder.
    pub folder_path: Vec<u8>,
    /// Hash of its whole content, where that was needed before.
    pub full_hash: Option<[u8; 32]>,
}

const COLUMNS: &str = "file.id, file.item_id, file.folder_id, file.name, file.size, file.mtime_ns,
    file.fingerprint, file.missing, file.mark";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredFile> {
    Ok(StoredFile {
        id: row.get(0)?,
        item: row.get(1)?,
        folder: row.get(2)?,
        name: row.get(3)?,
        size: row.get(4)?,
        mtime_ns: row.get(5)?,
        fingerprint: row.get(6)?,
        missing: row.get(7)?,
        mark: row.get(8)?,
    })
}

/// The files of a folder, by name.
pub fn in_folder_unscoped(
    connection: &Connection,
    folder: FolderId,
) -> StoreResult<Vec<StoredFile>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM file
          WHERE file.folder_id = :folder
          ORDER BY file.name"
    ))?;
    let rows = statement.query_map(named_params! { ":folder": folder }, stored)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The present files of a folder.
pub fn present_in_folder_unscoped(
    connection: &Connection,
    folder: FolderId,
) -> StoreResult<Vec<FileId>> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM file WHERE folder_id = :folder AND missing = 0")?;
    let rows = statement.query_map(named_params! { ":folder": folder }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One file.
pub fn get_unscoped(connection: &Connection, id: FileId) -> StoreResult<Option<StoredFile>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM file WHERE file.id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, stored)
        .optional()?)
}

/// The file of this name in a folder.
pub fn named(
    tx: &Transaction<'_>,
    folder: FolderId,
    name: &[u8],
) -> StoreResult<Option<StoredFile>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM file
          WHERE file.folder_id = :folder AND file.name = :name"
    ))?;
    Ok(statement
        .query_row(named_params! { ":folder": folder, ":name": name }, stored)
        .optional()?)
}

/// The files of a library with this fingerprint, oldest first, at most `limit`.
pub fn with_fingerprint_unscoped(
    connection: &Connection,
    library: LibraryId,
    fingerprint: &Fingerprint,
    limit: usize,
) -> StoreResult<Vec<Namesake>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, folder.path, file.full_hash
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.fingerprint = :fingerprint AND folder.library_id = :library
          ORDER BY file.id
          LIMIT :limit"
    ))?;
    let rows = statement.query_map(
        named_params! { ":fingerprint": fingerprint, ":library": library, ":limit": limit },
        |row| {
            Ok(Namesake {
                file: stored(row)?,
                folder_path: row.get(9)?,
                full_hash: row.get(10)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Every file of an item and the path of its folder.
pub fn of_item_unscoped(
    connection: &Connection,
    item: ItemId,
) -> StoreResult<Vec<(StoredFile, Vec<u8>)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, folder.path
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.item_id = :item
          ORDER BY file.sequence, file.id"
    ))?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((stored(row)?, row.get(9)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A file's place in the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The item it belongs to.
    pub item: ItemId,
    /// Its order, season, episode and title within the item.
    pub member: &'a Member,
}

/// Puts a file into its place; `true` if anything changed. The title that the file itself gives
/// stands before the one of its name.
pub fn set_place(tx: &Transaction<'_>, id: FileId, place: Place<'_>) -> StoreResult<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE file
                SET item_id = :item, sequence = :sequence, season = :season, episode = :episode,
                    title = coalesce(title_in_file, :title)
              WHERE id = :id
                AND (item_id, sequence, season, episode, title)
             IS NOT (:item, :sequence, :season, :episode, coalesce(title_in_file, :title))",
        )?
        .execute(named_params! {
            ":id": id,
            ":item": place.item,
            ":sequence": place.member.sequence,
            ":season": place.member.season,
            ":episode": place.member.episode,
            ":title": place.member.title,
        })?;
    Ok(changed > 0)
}

/// Gives a file another name or folder.
pub fn rename(tx: &Transaction<'_>, id: FileId, folder: FolderId, name: &[u8]) -> StoreResult<()> {
    tx.prepare_cached("UPDATE file SET folder_id = :folder, name = :name WHERE id = :id")?
        .execute(named_params! { ":id": id, ":folder": folder, ":name": name })?;
    Ok(())
}

/// Keeps size and time, and that the file is there.
pub fn set_present(
    tx: &Transaction<'_>,
    id: FileId,
    (size, mtime_ns): (i64, i64),
) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE file
            SET size = :size, mtime_ns = :mtime_ns, missing = 0, missing_since = NULL
          WHERE id = :id
            AND (size, mtime_ns, missing) IS NOT (:size, :mtime_ns, 0)",
    )?
    .execute(named_params! { ":id": id, ":size": size, ":mtime_ns": mtime_ns })?;
    Ok(())
}

/// A present file goes missing; the item it belongs to, or `None` if it was missing already.
pub fn mark_missing(
    tx: &Transaction<'_>,
    id: FileId,
    now: Timestamp,
) -> StoreResult<Option<ItemId>> {
    let mut statement = tx.prepare_cached(
        "UPDATE file
            SET missing = 1, missing_since = :now
          WHERE id = :id AND missing = 0
      RETURNING item_id",
    )?;
    Ok(statement
        .query_row(named_params! { ":id": id, ":now": now }, |row| row.get(0))
        .optional()?)
}
