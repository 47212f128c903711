//! Libraries: folders that an administrator registered, with item counts.

pub mod delete;
pub mod grant;
pub mod purge;
pub mod scan_run;
pub mod totals;
pub mod usage;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use unicode_normalization::UnicodeNormalization;

use crate::access::{Visible, VisibleLibrary};
use crate::error::{StoreError, StoreResult};
use crate::id::{LibraryId, UserId};
use crate::time::Timestamp;

pub use grant::Grant;

/// A library with its item counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Id of the library.
    pub id: LibraryId,
    /// Name, unique without regard to case.
    pub name: String,
    /// Root folder: an absolute path without symbolic links.
    pub path: PathBuf,
    /// Kinds to which the library is limited; `None` for every kind.
    pub kinds: Option<Vec<String>>,
    /// Time of registration.
    pub created_at: Timestamp,
    /// `true` if the requesting user may read its items.
    pub granted: bool,
    /// Present items by kind.
    pub counts: BTreeMap<String, u64>,
    /// Number of missing items.
    pub missing: u64,
}

/// Values of a new library. The caller validates them, except for conflicts with other rows.
#[derive(Debug, Clone)]
pub struct NewLibrary {
    /// Name of the library.
    pub name: String,
    /// Root folder: an absolute path without symbolic links.
    pub path: PathBuf,
    /// Kinds to which the library is limited; `None` for every kind.
    pub kinds: Option<Vec<String>>,
    /// Users with access in addition to the creator.
    pub grants: Vec<UserId>,
}

/// Changes to a library; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct LibraryChange {
    /// New name.
    pub name: Option<String>,
    /// New root: an absolute path without symbolic links.
    pub path: Option<PathBuf>,
    /// New limit of kinds; `Some(None)` removes it.
    pub kinds: Option<Option<Vec<String>>>,
}

const SELECT: &str = "
    SELECT library.id, library.name, library.path, library.kinds, library.created_at,
           EXISTS (SELECT 1 FROM library_grant AS g
                    WHERE g.library_id = library.id AND g.user_id = :viewer) AS granted
      FROM library";

/// Returns the libraries that a user may see, ordered by name.
pub fn list(connection: &Connection, visible: Visible) -> StoreResult<Vec<Library>> {
    let mut libraries = list_unscoped(connection, visible.user())?;
    libraries.retain(|library| library.granted);
    Ok(libraries)
}

/// Returns all libraries, ordered by name. `granted` refers to `viewer`.
pub fn list_unscoped(connection: &Connection, viewer: UserId) -> StoreResult<Vec<Library>> {
    let mut statement = connection.prepare_cached(&format!(
        "{SELECT}
          ORDER BY library.name_key"
    ))?;
    let rows = statement.query_map(named_params! { ":viewer": viewer }, library)?;
    let mut libraries = rows.collect::<Result<Vec<_>, _>>()?;
    for library in &mut libraries {
        count_items(connection, library)?;
    }
    Ok(libraries)
}

/// Reads a library whose grant has been checked.
pub fn get(
    connection: &Connection,
    viewer: Visible,
    library: VisibleLibrary,
) -> StoreResult<Option<Library>> {
    get_unscoped(connection, library.id(), viewer.user())
}

/// Reads a library. `granted` refers to `viewer`.
pub fn get_unscoped(
    connection: &Connection,
    id: LibraryId,
    viewer: UserId,
) -> StoreResult<Option<Library>> {
    let mut statement = connection.prepare_cached(&format!(
        "{SELECT}
          WHERE library.id = :id"
    ))?;
    let found = statement
        .query_row(named_params! { ":id": id, ":viewer": viewer }, library)
        .optional()?;
    let Some(mut library) = found else {
        return Ok(None);
    };
    count_items(connection, &mut library)?;
    Ok(Some(library))
}

/// Returns `true` if the library exists.
pub fn exists(connection: &Connection, id: LibraryId) -> StoreResult<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM library WHERE id = :id")?;
    Ok(statement.exists(named_params! { ":id": id })?)
}

/// Returns the root of a library, for background work and after a grant check.
pub fn root_unscoped(connection: &Connection, id: LibraryId) -> StoreResult<Option<PathBuf>> {
    let mut statement = connection.prepare_cached("SELECT path FROM library WHERE id = :id")?;
    let path = statement
        .query_row(named_params! { ":id": id }, |row| path_in(row, "path"))
        .optional()?;
    Ok(path)
}

/// Returns the roots of all libraries, for background work.
pub fn roots_unscoped(connection: &Connection) -> StoreResult<Vec<(LibraryId, PathBuf)>> {
    let mut statement = connection.prepare_cached("SELECT id, path FROM library ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get("id")?, path_in(row, "path")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Registers a library and grants it to its creator and the named users.
pub fn create(
    tx: &Transaction<'_>,
    new: &NewLibrary,
    creator: UserId,
    now: Timestamp,
) -> StoreResult<LibraryId> {
    // Invalid values are reported before conflicts.
    for user in &new.grants {
        let existing = tx
            .prepare_cached("SELECT 1 FROM user WHERE id = :user")?
            .exists(named_params! { ":user": user })?;
        if !existing {
            return Err(StoreError::Invalid {
                field: "grants",
                message: format!("There is no user {user}."),
            });
        }
    }
    refuse_taken(tx, None, Some(&new.name), Some(&new.path))?;
    tx.prepare_cached(
        "INSERT INTO library (name, name_key, path, kinds, created_at)
         VALUES (:name, :name_key, :path, :kinds, :now)",
    )?
    .execute(named_params! {
        ":name": new.name,
        ":name_key": name_key(&new.name),
        ":path": new.path.as_os_str().as_bytes(),
        ":kinds": kinds_json(new.kinds.as_deref()),
        ":now": now,
    })?;
    let id = LibraryId(tx.last_insert_rowid());
    for user in std::iter::once(creator).chain(new.grants.iter().copied()) {
        grant::grant(tx, user, id)?;
    }
    Ok(id)
}

/// Updates a library. Returns `false` if it is absent.
pub fn update(tx: &Transaction<'_>, id: LibraryId, change: &LibraryChange) -> StoreResult<bool> {
    if !exists(tx, id)? {
        return Ok(false);
    }
    refuse_taken(tx, Some(id), change.name.as_deref(), change.path.as_deref())?;
    if let Some(name) = &change.name {
        tx.execute(
            "UPDATE library SET name = :name, name_key = :name_key WHERE id = :id",
            named_params! { ":id": id, ":name": name, ":name_key": name_key(name) },
        )?;
    }
    if let Some(path) = &change.path {
        // The flag of the old root does not apply to the new one.
        tx.execute(
            "UPDATE library
                SET path = :path, root_is_mount = NULL
              WHERE id = :id AND path <> :path",
            named_params! { ":id": id, ":path": path.as_os_str().as_bytes() },
        )?;
    }
    if let Some(kinds) = &change.kinds {
        tx.execute(
            "UPDATE library SET kinds = :kinds WHERE id = :id",
            named_params! { ":id": id, ":kinds": kinds_json(kinds.as_deref()) },
        )?;
    }
    Ok(true)
}

/// Rejects a name or a root that another library uses.
pub fn refuse_conflicts(
    connection: &Connection,
    id: LibraryId,
    change: &LibraryChange,
) -> StoreResult<()> {
    let (name, path) = (change.name.as_deref(), change.path.as_deref());
    refuse_taken(connection, Some(id), name, path)
}

fn refuse_taken(
    connection: &Connection,
    id: Option<LibraryId>,
    name: Option<&str>,
    path: Option<&Path>,
) -> StoreResult<()> {
    let other = |sql: &str, value: &dyn rusqlite::ToSql| -> StoreResult<Option<String>> {
        let mut statement = connection.prepare_cached(sql)?;
        let name = statement
            .query_row(named_params! { ":id": id, ":value": value }, |row| {
                row.get(0)
            })
            .optional()?;
        Ok(name)
    };
    if let Some(name) = name
        && let Some(taken) = other(
            "SELECT name FROM library WHERE name_key = :value AND id IS NOT :id",
            &name_key(name),
        )?
    {
        return Err(StoreError::Conflict(format!(
            "There is a library called “{taken}” already."
        )));
    }
    if let Some(path) = path
        && let Some(taken) = other(
            "SELECT name FROM library WHERE path = :value AND id IS NOT :id",
            &path.as_os_str().as_bytes(),
        )?
    {
        return Err(StoreError::Conflict(format!(
            "The library “{taken}” has this folder already."
        )));
    }
    Ok(())
}

/// Returns the comparison key of a name: composed (NFC) and in lower case.
fn name_key(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}

fn kinds_json(kinds: Option<&[String]>) -> Option<String> {
    kinds.map(|kinds| serde_json::Value::from(kinds).to_string())
}

fn library(row: &Row<'_>) -> rusqlite::Result<Library> {
    let kinds: Option<String> = row.get("kinds")?;
    Ok(Library {
        id: row.get("id")?,
        name: row.get("name")?,
        path: path_in(row, "path")?,
        kinds: kinds.and_then(|text| serde_json::from_str(&text).ok()),
        created_at: row.get("created_at")?,
        granted: row.get("granted")?,
        counts: BTreeMap::new(),
        missing: 0,
    })
}

/// Reads a path, which is stored as the bytes of the file system.
pub(crate) fn path_in(row: &Row<'_>, column: &str) -> rusqlite::Result<PathBuf> {
    let bytes: Vec<u8> = row.get(column)?;
    Ok(PathBuf::from(OsString::from_vec(bytes)))
}

fn count_items(connection: &Connection, library: &mut Library) -> StoreResult<()> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, missing, sum(n)
           FROM item_count
          WHERE library_id = :library
          GROUP BY kind, missing",
    )?;
    let mut rows = statement.query(named_params! { ":library": library.id })?;
    while let Some(row) = rows.next()? {
        let n: u64 = row.get(2)?;
        if row.get(1)? {
            library.missing += n;
        } else if n > 0 {
            library.counts.insert(row.get(0)?, n);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
