//! Folders below a library's root, in the state of the last scan.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FolderId, LibraryId};

/// Digest of a folder's listing.
pub type Digest = [u8; 16];

/// A stored folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder {
    /// Id of the folder.
    pub id: FolderId,
    /// Digest of the listing that the stored files match; `None` if the next scan must read the
    /// folder.
    pub listing: Option<Digest>,
    /// `true` if the folder was a mount point of another file system.
    pub is_mount: bool,
    /// Digest of the pictures in the folder that may be covers.
    pub pictures: Option<Digest>,
}

/// Reads the folder at a path below the root.
pub fn at_unscoped(
    connection: &Connection,
    library: LibraryId,
    path: &[u8],
) -> StoreResult<Option<Folder>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, listing, is_mount, pictures
           FROM folder
          WHERE library_id = :library AND path = :path",
    )?;
    let folder = statement
        .query_row(
            named_params! { ":library": library, ":path": path },
            |row| {
                Ok(Folder {
                    id: row.get(0)?,
                    listing: row.get(1)?,
                    is_mount: row.get(2)?,
                    pictures: row.get(3)?,
                })
            },
        )
        .optional()?;
    Ok(folder)
}

/// Returns the path of a folder below its library's root.
pub fn path_unscoped(connection: &Connection, id: FolderId) -> StoreResult<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT path FROM folder WHERE id = :id")?;
    let path = statement
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    Ok(path)
}

/// Returns up to `limit` folders of a library with ids greater than `after`, ordered by id.
pub fn after_unscoped(
    connection: &Connection,
    library: LibraryId,
    after: FolderId,
    limit: usize,
) -> StoreResult<Vec<(FolderId, Vec<u8>)>> {
    // The scan runs in id order over the folders of all libraries. The library's index would make
    // SQLite read and sort all remaining rows for each page.
    let mut statement = connection.prepare_cached(
        "SELECT id, path
           FROM folder NOT INDEXED
          WHERE id > :after AND library_id = :library
          ORDER BY id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! { ":library": library, ":after": after, ":limit": limit },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a folder of a library and all folders below it.
pub fn tree_unscoped(
    connection: &Connection,
    library: LibraryId,
    path: &[u8],
) -> StoreResult<Vec<(FolderId, Vec<u8>)>> {
    let mut tree = Vec::new();
    if let Some(folder) = at_unscoped(connection, library, path)? {
        tree.push((folder.id, path.to_owned()));
    }
    let mut statement = connection.prepare_cached(
        "SELECT id, path
           FROM folder
          WHERE library_id = :library AND path > :first AND path < :end",
    )?;
    // `0` is the byte after `/`.
    let (first, end) = ([path, b"/"].concat(), [path, b"0"].concat());
    let rows = statement.query_map(
        named_params! { ":library": library, ":first": first, ":end": end },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    for row in rows {
        tree.push(row?);
    }
    Ok(tree)
}

/// Returns the folders of a library that were mount points, with their paths.
pub fn mounts_unscoped(
    connection: &Connection,
    library: LibraryId,
) -> StoreResult<Vec<(FolderId, Vec<u8>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, path
           FROM folder
          WHERE library_id = :library AND is_mount = 1
          ORDER BY path",
    )?;
    let rows = statement.query_map(named_params! { ":library": library }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the folder's id, and `true` if this call inserted it.
pub fn ensure(
    tx: &Transaction<'_>,
    library: LibraryId,
    path: &[u8],
    is_mount: bool,
) -> StoreResult<(FolderId, bool)> {
    if let Some(folder) = at_unscoped(tx, library, path)? {
        return Ok((folder.id, false));
    }
    tx.prepare_cached(
        "INSERT INTO folder (library_id, path, is_mount)
         VALUES (:library, :path, :is_mount)",
    )?
    .execute(named_params! { ":library": library, ":path": path, ":is_mount": is_mount })?;
    Ok((FolderId(tx.last_insert_rowid()), true))
}

/// Writes the digest of the listing that the stored files match. `None` makes the next scan read
/// the folder.
pub fn set_listing(
    tx: &Transaction<'_>,
    id: FolderId,
    listing: Option<&Digest>,
) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE folder SET listing = :listing WHERE id = :id AND listing IS NOT :listing",
    )?
    .execute(named_params! { ":id": id, ":listing": listing })?;
    Ok(())
}

/// Writes the digest of the pictures that may be covers. Returns `true` if it changed.
pub fn set_pictures(
    tx: &Transaction<'_>,
    id: FolderId,
    pictures: Option<&Digest>,
) -> StoreResult<bool> {
    let changed = tx
        .prepare_cached(
            "UPDATE folder
                SET pictures = :pictures
              WHERE id = :id AND pictures IS NOT :pictures",
        )?
        .execute(named_params! { ":id": id, ":pictures": pictures })?;
    Ok(changed > 0)
}

/// Writes the flag for a mount point of another file system.
pub fn set_is_mount(tx: &Transaction<'_>, id: FolderId, is_mount: bool) -> StoreResult<()> {
    tx.execute(
        "UPDATE folder SET is_mount = :is_mount WHERE id = :id",
        named_params! { ":id": id, ":is_mount": is_mount },
    )?;
    Ok(())
}

/// Deletes a folder that contains no stored file.
pub fn delete_empty(tx: &Transaction<'_>, id: FolderId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM folder
          WHERE id = :id
            AND NOT EXISTS (SELECT 1 FROM file WHERE file.folder_id = folder.id)",
    )?
    .execute(named_params! { ":id": id })?;
    Ok(())
}
