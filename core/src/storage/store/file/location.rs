//! Location of a file: its library's root and the path below it, with its kind.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::access::VisibleFile;
use crate::error::StoreResult;
use crate::id::FileId;
use crate::store::library::path_in;

/// Location of a file on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// Id of the file.
    pub id: FileId,
    /// Id of its item's kind.
    pub kind: String,
    /// Root folder of its library.
    pub root: PathBuf,
    /// Folder below the root; empty for the root itself.
    pub folder: PathBuf,
    /// File name as the file system stores it.
    pub name: OsString,
}

impl FileLocation {
    /// Returns the path below the root.
    pub fn relative(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Returns the name as text; bytes that are not UTF-8 become U+FFFD.
    pub fn name_text(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}

/// Returns the location of a file, or `None` if its row was deleted after the grant check.
pub fn of_file(connection: &Connection, file: VisibleFile) -> StoreResult<Option<FileLocation>> {
    let mut statement = connection.prepare_cached(
        "SELECT file.id, item.kind, library.path AS root, folder.path AS folder, file.name
           FROM file
           JOIN item ON item.id = file.item_id
           JOIN library ON library.id = item.library_id
           JOIN folder ON folder.id = file.folder_id
          WHERE file.id = :file",
    )?;
    let location = statement
        .query_row(named_params! { ":file": file.id() }, location)
        .optional()?;
    Ok(location)
}

/// Reads a location from the columns `id`, `kind`, `root`, `folder` and `name`.
pub(in crate::storage::store) fn location(row: &Row<'_>) -> rusqlite::Result<FileLocation> {
    Ok(FileLocation {
        id: row.get("id")?,
        kind: row.get("kind")?,
        root: path_in(row, "root")?,
        folder: path_in(row, "folder")?,
        name: OsString::from_vec(row.get("name")?),
    })
}
