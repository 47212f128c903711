//! Entries of a playlist for the players of other programs.

use rusqlite::{Connection, named_params};

use super::ReadablePlaylist;
use crate::error::StoreResult;
use crate::id::FileId;
use crate::store::file::archive::ArchiveFiles;
use crate::store::file::location;
use crate::store::user_data::lists::user_list;

/// A playlist with its present files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Name of the playlist.
    pub name: String,
    /// Visible entries whose files are present.
    pub tracks: Vec<Track>,
}

/// An entry of an exported playlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Id of the file.
    pub file: FileId,
    /// Length in seconds, if it is known.
    pub duration: Option<i64>,
    /// Author line of the item; empty if no author is known.
    pub authors: String,
    /// Title of the part, otherwise of the item.
    pub title: String,
}

/// Reads a playlist for an export. Returns `None` if it has been deleted.
pub fn export(conn: &Connection, list: ReadablePlaylist) -> StoreResult<Option<Export>> {
    let Some(playlist) = user_list::get(conn, list)? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(TRACKS)?;
    let rows = statement.query_map(
        named_params! { ":list": list.id(), ":viewer": list.visible().user() },
        |row| {
            Ok(Track {
                file: row.get(0)?,
                duration: row.get(1)?,
                authors: row.get(2)?,
                title: row.get(3)?,
            })
        },
    )?;
    Ok(Some(Export {
        name: playlist.name,
        tracks: rows.collect::<Result<_, _>>()?,
    }))
}

pub(super) const TRACKS: &str = "
    SELECT file.id, file.extent, item.authors, ifnull(file.title, item.title)
      FROM playlist_entry AS entry INDEXED BY playlist_entry_by_position
     CROSS JOIN file ON file.id = entry.file_id
     CROSS JOIN item ON item.id = file.item_id
     WHERE entry.list_id = :list
       AND entry.library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
       AND file.missing = 0
     ORDER BY entry.position, entry.id";

/// Returns the visible present files of a playlist in order. Returns `None` if it has been deleted.
pub fn files(conn: &Connection, list: ReadablePlaylist) -> StoreResult<Option<ArchiveFiles>> {
    let Some(playlist) = user_list::get(conn, list)? else {
        return Ok(None);
    };
    let mut statement = conn.prepare_cached(FILES)?;
    let rows = statement.query_map(
        named_params! { ":list": list.id(), ":viewer": list.visible().user() },
        location::location,
    )?;
    Ok(Some(ArchiveFiles {
        name: playlist.name,
        files: rows.collect::<Result<_, _>>()?,
    }))
}

pub(super) const FILES: &str = "
    SELECT file.id, item.kind, library.path AS root, folder.path AS folder, file.name
      FROM playlist_entry AS entry INDEXED BY playlist_entry_by_position
     CROSS JOIN file ON file.id = entry.file_id
     CROSS JOIN item ON item.id = file.item_id
     CROSS JOIN library ON library.id = item.library_id
     CROSS JOIN folder ON folder.id = file.folder_id
     WHERE entry.list_id = :list
       AND entry.library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
       AND file.missing = 0
     ORDER BY entry.position, entry.id";
