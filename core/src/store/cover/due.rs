//! Items whose cover is to be looked for, and what has to be known of them to do so.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::id::{FolderId, ItemId, LibraryId};
use crate::scan::name;
use crate::store::StoreResult;
use crate::store::library::path_in;

/// An item that waits; its number changes when it is noted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Which note this is.
    pub note: i64,
    /// The item.
    pub item: ItemId,
}

/// What is known of an item whose cover is looked for.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The item.
    pub item: ItemId,
    /// Its library.
    pub library: LibraryId,
    /// That library's root.
    pub root: PathBuf,
    /// Its kind.
    pub kind: String,
    /// What its kind's grouping calls it.
    pub key: String,
    /// Where the cover it has comes from; one of `catalogue::source`.
    pub source: i64,
    /// Its first present files.
    pub files: Vec<SubjectFile>,
}

/// A file of such an item.
#[derive(Debug, Clone)]
pub struct SubjectFile {
    /// Its folder.
    pub folder_id: FolderId,
    /// Path of that folder below the root.
    pub folder: Vec<u8>,
    /// Its name.
    pub name: Vec<u8>,
}

/// Notes that an item's cover is to be looked for.
pub fn note(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO cover_due (item_id) VALUES (:item)")?
        .execute(named_params! { ":item": item })?;
    Ok(())
}

/// Notes every item with a file in a folder, or that lives in it with its files further below.
pub fn note_folder(tx: &Transaction<'_>, folder: FolderId) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT OR REPLACE INTO cover_due (item_id)
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
        Some(path) => note_below(tx, folder, &path),
        None => Ok(()),
    }
}

/// An item's key begins with the path of the folder it lives in.
fn note_below(tx: &Transaction<'_>, folder: FolderId, path: &[u8]) -> StoreResult<()> {
    let (mut from, mut to) = (path.to_vec(), path.to_vec());
    let mut home = name::display(path);
    if !path.is_empty() {
        from.push(b'/');
        to.push(b'/' + 1);
        home.push('/');
    }
    tx.prepare_cached(
        "INSERT OR REPLACE INTO cover_due (item_id)
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

/// Whether any item waits.
pub fn is_any_unscoped(connection: &Connection) -> StoreResult<bool> {
    Ok(!after_unscoped(connection, 0, 1)?.is_empty())
}

/// The items that wait, in the order in which they were noted, after one of them.
pub fn after_unscoped(connection: &Connection, note: i64, limit: usize) -> StoreResult<Vec<Due>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, item_id
           FROM cover_due
          WHERE id > :note
          ORDER BY id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(named_params! { ":note": note, ":limit": limit }, |row| {
        Ok(Due {
            note: row.get(0)?,
            item: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The item does not wait any more, unless it was noted again; whether it did not.
pub fn settle(tx: &Transaction<'_>, due: Due) -> StoreResult<bool> {
    let settled = tx
        .prepare_cached("DELETE FROM cover_due WHERE id = :note")?
        .execute(named_params! { ":note": due.note })?;
    Ok(settled > 0)
}

/// What is known of an item; `None` if it is gone.
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

/// Whether no other item of the same kind has a file in the folder.
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
