//! Queue of items whose cover must be determined, with the data needed to do so.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FolderId, ItemId, LibraryId};
use crate::path;
use crate::store::library::path_in;

/// A queued item. Its row number changes when the item is queued again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedItem {
    /// Row number in the queue.
    pub row: i64,
    /// Id of the item.
    pub item: ItemId,
}

/// Item data that the cover job needs.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Id of the item.
    pub item: ItemId,
    /// Id of the item's library.
    pub library: LibraryId,
    /// Root folder of the library.
    pub root: PathBuf,
    /// Id of the item's kind.
    pub kind: String,
    /// Key that the kind's grouping assigned.
    pub key: String,
    /// Source of the current cover; one of `catalogue::source`.
    pub source: i64,
    /// First present files of the item, up to a limit.
    pub files: Vec<SubjectFile>,
}

/// File of an item in the cover queue.
#[derive(Debug, Clone)]
pub struct SubjectFile {
    /// Id of the file's folder.
    pub folder_id: FolderId,
    /// Path of that folder below the root.
    pub folder: Vec<u8>,
    /// File name as bytes.
    pub name: Vec<u8>,
}

/// Queues an item, or queues it again.
pub fn enqueue(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO cover_queue (item_id) VALUES (:item)")?
        .execute(named_params! { ":item": item })?;
    Ok(())
}

/// Queues every item with a file in the folder, and items of this folder whose files are in
/// subfolders.
pub fn enqueue_folder(tx: &Transaction<'_>, folder: FolderId) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT OR REPLACE INTO cover_queue (item_id)
         SELECT DISTINCT item_id
           FROM file
          WHERE folder_id = :folder",
    )?
    .execute(named_params! { ":folder": folder })?;
    let path: Option<Vec<u8>> = tx
        .prepare_cached("SELECT path FROM folder WHERE id = :folder")?
        .query_row(named_params! { ":folder": folder }, |row| row.get(0))
        .optional()?;
    match path {
        Some(path) => enqueue_below(tx, folder, &path),
        None => Ok(()),
    }
}

/// Queues items of the folder with files below it. An item's key begins with the path of its
/// folder.
fn enqueue_below(tx: &Transaction<'_>, folder: FolderId, path: &[u8]) -> StoreResult<()> {
    let (mut from, mut to) = (path.to_vec(), path.to_vec());
    let mut home = path::display(path);
    if !path.is_empty() {
        from.push(b'/');
        to.push(b'/' + 1);
        home.push('/');
    }
    tx.prepare_cached(
        "INSERT OR REPLACE INTO cover_queue (item_id)
         SELECT DISTINCT file.item_id
           FROM folder AS home
           JOIN folder AS below ON below.library_id = home.library_id AND below.path > :from
           JOIN file ON file.folder_id = below.id
           JOIN item ON item.id = file.item_id
          WHERE home.id = :folder
            AND (:to = x'' OR below.path < :to)
            AND substr(item.group_key, 1, length(:home)) = :home
            AND substr(item.group_key, 1, length(CAST(below.path AS TEXT)) + 1)
                <> CAST(below.path AS TEXT) || '/'",
    )?
    .execute(named_params! { ":folder": folder, ":from": from, ":to": to, ":home": home })?;
    Ok(())
}

/// Returns `true` if the queue contains an item.
pub fn is_any_unscoped(connection: &Connection) -> StoreResult<bool> {
    Ok(!after_unscoped(connection, 0, 1)?.is_empty())
}

/// Returns up to `limit` queued items in queue order, after the row number `after`.
pub fn after_unscoped(
    connection: &Connection,
    after: i64,
    limit: usize,
) -> StoreResult<Vec<QueuedItem>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, item_id
           FROM cover_queue
          WHERE id > :after
          ORDER BY id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(named_params! { ":after": after, ":limit": limit }, |row| {
        Ok(QueuedItem {
            row: row.get(0)?,
            item: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Removes an item from the queue. Returns `false` if it was queued again in the meantime.
pub fn dequeue(tx: &Transaction<'_>, queued: QueuedItem) -> StoreResult<bool> {
    let removed = tx
        .prepare_cached("DELETE FROM cover_queue WHERE id = :row")?
        .execute(named_params! { ":row": queued.row })?;
    Ok(removed > 0)
}

/// Reads the data of an item with up to `files` files. Returns `None` if it is gone.
pub fn subject_unscoped(
    connection: &Connection,
    item: ItemId,
    files: usize,
) -> StoreResult<Option<Subject>> {
    let mut statement = connection.prepare_cached(
        "SELECT item.library_id, library.path AS root, item.kind, item.group_key,
                item.cover_source
           FROM item
           JOIN library ON library.id = item.library_id
          WHERE item.id = :item",
    )?;
    let subject = statement
        .query_row(named_params! { ":item": item }, |row| {
            Ok(Subject {
                item,
                library: row.get("library_id")?,
                root: path_in(row, "root")?,
                kind: row.get("kind")?,
                key: row.get("group_key")?,
                source: row.get("cover_source")?,
                files: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut subject) = subject else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(
        "SELECT file.folder_id, folder.path AS folder, file.name
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.item_id = :item AND file.missing = 0
          ORDER BY file.sequence IS NULL, file.sequence, folder.path, file.name
          LIMIT :files",
    )?;
    let rows = statement.query_map(named_params! { ":item": item, ":files": files }, |row| {
        Ok(SubjectFile {
            folder_id: row.get("folder_id")?,
            folder: row.get("folder")?,
            name: row.get("name")?,
        })
    })?;
    subject.files = rows.collect::<Result<_, _>>()?;
    Ok(Some(subject))
}

/// Returns `true` if no other item of the same kind has a file in the folder.
pub fn is_alone_unscoped(
    connection: &Connection,
    subject: &Subject,
    folder: FolderId,
) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT 1
           FROM file
           JOIN item ON item.id = file.item_id
          WHERE file.folder_id = :folder AND file.missing = 0
            AND item.kind = :kind AND item.id <> :item
          LIMIT 1",
    )?;
    Ok(!statement.exists(named_params! {
        ":folder": folder, ":kind": subject.kind, ":item": subject.item,
    })?)
}
