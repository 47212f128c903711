//! Where a file's bytes lie: its library's root, the path below it, and what the catalogue says
//! about it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::access::VisibleFile;
use crate::id::FileId;
use crate::store::StoreResult;
use crate::store::library::path_in;

/// Where a file lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLocation {
    /// The file's id.
    pub id: FileId,
    /// Its item's kind.
    pub kind: String,
    /// The root of its library.
    pub root: PathBuf,
    /// Its folder below the root; empty for the root itself.
    pub folder: PathBuf,
    /// Its name, as the file system has it.
    pub name: OsString,
}

impl FileLocation {
    /// The path below the root.
    pub fn relative(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// The name as text; bytes that are no UTF-8 become U+FFFD.
    pub fn name_text(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}

/// Where a file lies; `None` if its row went since the grant was asked.
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
        .query_row(named_params! { ":file": file.id() }, |row| {
            Ok(FileLocation {
                id: row.get("id")?,
                kind: row.get("kind")?,
                root: path_in(row, "root")?,
                folder: path_in(row, "folder")?,
                name: OsString::from_vec(row.get("name")?),
            })
        })
        .optional()?;
    Ok(location)
}
