//! Files as the scanner stores them. The file data of the API is read together with its item.

pub mod archive;
pub mod content;
pub mod digest;
pub mod first;
pub mod folder;
mod item;
pub mod location;
pub mod media_profile;
pub mod missing;
mod new;
pub mod playback;
pub mod recording;
pub mod request;
pub mod totals;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, FolderId, ItemId, LibraryId};
use crate::registry::naming::Member;
use crate::time::Timestamp;

pub use item::{any_present, meant, move_to_item};
pub use new::{NewFile, insert};

/// Digest of a file's size, head and tail.
pub type Fingerprint = [u8; 16];

/// Columns of a stored file that the scanner compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Id of the file.
    pub id: FileId,
    /// Id of the item that contains the file.
    pub item: ItemId,
    /// Id of the folder that contains the file.
    pub folder: FolderId,
    /// File name as bytes.
    pub name: Vec<u8>,
    /// Size in bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Fingerprint of the content; `None` for empty files and before the first read.
    pub fingerprint: Option<Fingerprint>,
    /// `true` if the file was absent in the last complete scan.
    pub missing: bool,
    /// Signature of the readers and the sidecar files with which the file was read.
    pub read_signature: Option<i64>,
}

/// A stored file with the same fingerprint, and its last known location.
#[derive(Debug, Clone)]
pub struct FingerprintMatch {
    /// Columns of the file.
    pub file: StoredFile,
    /// Path of the file's folder.
    pub folder_path: Vec<u8>,
    /// Hash of the whole content, if it was computed before.
    pub full_hash: Option<[u8; 32]>,
}

const COLUMNS: &str = "file.id, file.item_id, file.folder_id, file.name, file.size, file.mtime_ns,
    file.fingerprint, file.missing, file.read_signature";

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
        read_signature: row.get(8)?,
    })
}

/// Returns the files of a folder, ordered by name.
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

/// Returns the ids of the present files of a folder.
pub fn present_in_folder_unscoped(
    connection: &Connection,
    folder: FolderId,
) -> StoreResult<Vec<FileId>> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM file WHERE folder_id = :folder AND missing = 0")?;
    let rows = statement.query_map(named_params! { ":folder": folder }, |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads one file.
pub fn get_unscoped(connection: &Connection, id: FileId) -> StoreResult<Option<StoredFile>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM file WHERE file.id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, stored)
        .optional()?)
}

/// Reads the file with this name in a folder.
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

/// Returns up to `limit` files of a library with this fingerprint, the oldest first.
pub fn with_fingerprint_unscoped(
    connection: &Connection,
    library: LibraryId,
    fingerprint: &Fingerprint,
    limit: usize,
) -> StoreResult<Vec<FingerprintMatch>> {
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
            Ok(FingerprintMatch {
                file: stored(row)?,
                folder_path: row.get(9)?,
                full_hash: row.get(10)?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns all files of an item, each with the path of its folder.
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

/// Assignment of a file to an item.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// Id of the item.
    pub item: ItemId,
    /// Order, season, episode and title within the item.
    pub member: &'a Member,
}

/// Assigns a file to an item. Returns `true` if a column changed. A title from the file's content
/// takes precedence over the title of its name.
pub fn assign(tx: &Transaction<'_>, id: FileId, place: Assignment<'_>) -> StoreResult<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE file
                SET item_id = :item, sequence = :sequence, season = :season, episode = :episode,
                    last_episode = :last_episode, title = coalesce(title_in_file, :title)
              WHERE id = :id
                AND (item_id, sequence, season, episode, last_episode, title)
             IS NOT (:item, :sequence, :season, :episode, :last_episode,
                     coalesce(title_in_file, :title))",
        )?
        .execute(named_params! {
            ":id": id,
            ":item": place.item,
            ":sequence": place.member.sequence,
            ":season": place.member.season,
            ":episode": place.member.episode,
            ":last_episode": place.member.last_episode,
            ":title": place.member.title,
        })?;
    Ok(changed > 0)
}

/// Changes the name and folder of a file.
pub fn rename(tx: &Transaction<'_>, id: FileId, folder: FolderId, name: &[u8]) -> StoreResult<()> {
    tx.prepare_cached("UPDATE file SET folder_id = :folder, name = :name WHERE id = :id")?
        .execute(named_params! { ":id": id, ":folder": folder, ":name": name })?;
    Ok(())
}

/// Writes size and modification time, and marks the file as present.
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

/// Marks a present file as missing. Returns its item, or `None` if it was missing already.
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
