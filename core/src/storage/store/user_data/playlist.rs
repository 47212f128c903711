//! Playlists: files that a user orders, for players. The saved queue has entries of the same form.

mod access;
pub mod additions;
pub mod cover;
pub mod entry;
pub mod export;
pub mod list;
pub mod queue;
mod write;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{PlaylistId, UserId};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::user_data::ordered_list::{EntryTable, OrderedList};
use crate::time::Timestamp;

pub use super::ordered_list::Move;
pub use access::{OwnPlaylist, ReadablePlaylist, find};
pub use additions::{Additions, Insertion};
pub use write::{
    Added, NewPlaylist, PlaylistPatch, add, create, delete, rearrange, remove, update,
};

/// Entries of playlists.
pub(crate) const ENTRIES: EntryTable = EntryTable {
    name: "playlist_entry",
    by_position: "playlist_entry_by_position",
    member: "file_id",
};

/// A playlist, as its reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Playlist {
    /// Id of the playlist.
    pub id: PlaylistId,
    /// Name; other playlists may have the same one.
    pub name: String,
    /// Description of the owner.
    pub description: Option<String>,
    /// `true` if every user can read the playlist.
    pub public: bool,
    /// Owner of the playlist.
    pub owner: Owner,
    /// `true` if the viewer is the owner.
    pub own: bool,
    /// Number of visible entries.
    pub entry_count: u64,
    /// Length of the visible entries in seconds. Unknown lengths count as 0.
    pub duration: i64,
    /// Mosaic of the first covers; null if no visible entry has one.
    pub cover: Option<PlaylistCover>,
    /// Version of the playlist, as in `ETag`.
    pub version: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the owner's last change.
    pub updated_at: Timestamp,
}

/// Owner of a playlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Owner {
    /// Id of the user.
    pub id: UserId,
    /// Name of the user.
    pub username: String,
}

/// Cover of a playlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlaylistCover {
    /// URL of the image; accepts `&size=`.
    pub url: String,
}

/// Columns of [`Playlist`] over the rows `playlist` and `owner`. A cover is looked for in the first
/// hundred visible entries: a page of long playlists without covers would read all of them.
const COLUMNS: &str = "
           playlist.id, playlist.name, playlist.description, playlist.is_public,
           owner.id, owner.username, playlist.user_id = :viewer AS own,
           (SELECT ifnull(sum(t.n), 0)
              FROM library_grant AS g
              JOIN playlist_total AS t
                ON t.list_id = playlist.id AND t.library_id = g.library_id
             WHERE g.user_id = :viewer) AS entry_count,
           (SELECT ifnull(sum(t.duration), 0)
              FROM library_grant AS g
              JOIN playlist_total AS t
                ON t.list_id = playlist.id AND t.library_id = g.library_id
             WHERE g.user_id = :viewer) AS duration,
           playlist.version, playlist.created_at, playlist.updated_at,
           EXISTS (SELECT 1
                     FROM (SELECT file_id
                             FROM playlist_entry INDEXED BY playlist_entry_by_position
                            WHERE list_id = playlist.id
                              AND library_id IN (SELECT library_id
                                                   FROM library_grant
                                                  WHERE user_id = :viewer)
                            ORDER BY position, id
                            LIMIT 100) AS page
                    CROSS JOIN file ON file.id = page.file_id
                    CROSS JOIN item ON item.id = file.item_id
                    WHERE item.cover_id IS NOT NULL) AS has_cover";

fn playlist(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Playlist> {
    let mut playlist = Playlist {
        id: row.take()?,
        name: row.take()?,
        description: row.take()?,
        public: row.take()?,
        owner: Owner {
            id: row.take()?,
            username: row.take()?,
        },
        own: row.take()?,
        entry_count: row.take()?,
        duration: row.take()?,
        cover: None,
        version: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    };
    if row.take()? {
        playlist.cover = Some(cover_of(playlist.id, playlist.version));
    }
    Ok(playlist)
}

/// Returns the cover's URL. The version makes browsers load the image of a changed playlist.
fn cover_of(id: PlaylistId, version: i64) -> PlaylistCover {
    PlaylistCover {
        url: format!("/api/v1/playlists/{id}/cover?v={version}"),
    }
}

/// Reads a playlist. Returns `None` if it is no longer readable.
pub fn get(conn: &Connection, list: ReadablePlaylist) -> StoreResult<Option<Playlist>> {
    let mut statement = conn.prepare_cached(&get_sql())?;
    let found = statement.query_row(
        named_params! { ":id": list.id(), ":viewer": list.visible().user() },
        |row| playlist(&mut ColumnReader::of(row)),
    );
    Ok(found.optional()?)
}

fn get_sql() -> String {
    format!(
        "SELECT {COLUMNS}
           FROM playlist
           JOIN user AS owner ON owner.id = playlist.user_id
          WHERE playlist.id = :id AND {}",
        access::READABLE
    )
}

/// Returns the version of a playlist, or `None` if it has been deleted.
pub fn version(conn: &Connection, list: ReadablePlaylist) -> StoreResult<Option<i64>> {
    let mut statement = conn.prepare_cached("SELECT version FROM playlist WHERE id = :id")?;
    let version = statement.query_row(named_params! { ":id": list.id() }, |row| row.get(0));
    Ok(version.optional()?)
}

/// Returns the number of visible entries.
fn entry_count(conn: &Connection, list: ReadablePlaylist) -> StoreResult<u64> {
    let mut statement = conn.prepare_cached(COUNT)?;
    let count = statement.query_row(
        named_params! { ":list": list.id(), ":viewer": list.visible().user() },
        |row| row.get(0),
    )?;
    Ok(count)
}

const COUNT: &str = "
    SELECT ifnull(sum(t.n), 0)
      FROM library_grant AS g
      JOIN playlist_total AS t ON t.list_id = :list AND t.library_id = g.library_id
     WHERE g.user_id = :viewer";

/// Returns the entries of a playlist as a list that its viewer sees.
fn entries(id: PlaylistId, visible: Visible) -> OrderedList {
    OrderedList {
        table: &ENTRIES,
        id: id.0,
        visible,
    }
}

#[cfg(test)]
mod tests;
