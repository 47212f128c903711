//! Folders below a library's root, as the scanner last saw them.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::id::{FolderId, LibraryId};
use crate::store::StoreResult;

/// A digest of a folder's listing.
pub type Digest = [u8; 16];

/// A stored folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder {
    /// Its id.
    pub id: FolderId,
    /// The listing that its stored files came from; `None` if it is to be looked at again.
    pub listing: Option<Digest>,
    /// Whether another file system began here.
    pub is_mount: bool,
    /// A digest of the pictures here that may be covers.
    pub pictures: Option<Digest>,
}

/// The folder at a path below the root.
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

/// The path of a folder below its library's root.
pub fn path_unscoped(connection: &Connection, id: FolderId) -> StoreResult<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT path FROM folder WHERE id = :id")?;
    let path = statement
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    Ok(path)
}

/// Folders of a library after `after`, by id, at most `limit`.
pub fn after_unscoped(
    connection: &Connection,
    library: LibraryId,
    after: FolderId,
    limit: usize,
) -> StoreResult<Vec<(FolderId, Vec<u8>)>> {
    // By id, over the folders of other libraries: by the library's index, all that is left of it
    // would be read and sorted for each of these pages.
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

/// A folder of a library and those below it.
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
    // The byte after a slash is a nought.
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

/// Folders of a library at which another file system began, and their paths.
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

/// The folder's id, and whether it is new: it is stored then.
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

/// Keeps the listing that the stored files agree with; `None` has the next scan look again.
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

/// Keeps what the pictures are that may be covers; whether they are others than before.
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

/// Keeps whether another file system begins here.
pub fn set_is_mount(tx: &Transaction<'_>, id: FolderId, is_mount: bool) -> StoreResult<()> {
    tx.execute(
        "UPDATE folder SET is_mount = :is_mount WHERE id = :id",
        named_params! { ":id": id, ":is_mount": is_mount },
    )?;
    Ok(())
}

/// Forgets a folder in which no file is stored.
pub fn delete_empty(tx: &Transaction<'_>, id: FolderId) -> StoreResult<()> {
    tx.prepare_cached(
        "DELETE FROM folder
          WHERE id = :id
            AND NOT EXISTS (SELECT 1 FROM file WHERE file.folder_id = folder.id)",
    )?
    .execute(named_params! { ":id": id })?;
    Ok(())
}
