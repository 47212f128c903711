//! Playlists: files that a user orders, for players. The saved queue has entries of the same form.

pub mod additions;
pub mod entry;
pub mod export;
pub mod parts;
pub mod queue;

use rusqlite::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::ordered_list::EntryTable;
use super::user_list::{
    self, Added, Head, ListCover, ListPatch, ListTables, NewList, OwnList, Owner, ReadableList,
    UserList,
};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::PlaylistId;
use crate::registry::Registry;
use crate::store::catalogue::column_reader::ColumnReader;
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

pub use super::ordered_list::Move;
pub use additions::{Additions, Insertion};

/// Kind of the lists that are playlists.
#[derive(Debug)]
pub enum Playlists {}

/// A playlist that the viewer can read.
pub type ReadablePlaylist = ReadableList<Playlists>;
/// A playlist of the viewer.
pub type OwnPlaylist = OwnList<Playlists>;

/// Joins from the entry of a file to its item.
const TO_ITEM: &str = "CROSS JOIN file ON file.id = entry.file_id
                       CROSS JOIN item ON item.id = file.item_id";

/// Entries of playlists.
pub(crate) const ENTRIES: EntryTable = EntryTable {
    name: "playlist_entry",
    key: "id",
    by_position: "playlist_entry_by_position",
    member: "file_id",
    to_item: TO_ITEM,
};

impl UserList for Playlists {
    type View = Playlist;
    const NOUN: &'static str = "playlist";
    const TABLES: ListTables<Playlist> = ListTables {
        name: "playlist",
        total: "playlist_total",
        entries: &ENTRIES,
        readable_if_empty: "FALSE",
        covered_if_empty: "FALSE",
        columns: "(SELECT ifnull(sum(t.n), 0)
                     FROM library_grant AS g
                     JOIN playlist_total AS t
                       ON t.list_id = playlist.id AND t.library_id = g.library_id
                    WHERE g.user_id = :viewer) AS entry_count,
                  (SELECT ifnull(sum(t.duration), 0)
                     FROM library_grant AS g
                     JOIN playlist_total AS t
                       ON t.list_id = playlist.id AND t.library_id = g.library_id
                    WHERE g.user_id = :viewer) AS duration",
        view,
    };
}

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
    pub cover: Option<ListCover>,
    /// Version of the playlist, as in `ETag`.
    pub version: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the owner's last change.
    pub updated_at: Timestamp,
}

fn view(head: Head, row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Playlist> {
    Ok(Playlist {
        id: PlaylistId(head.id),
        cover: head.cover("playlists"),
        name: head.name,
        description: head.description,
        public: head.public,
        owner: head.owner,
        own: head.own,
        entry_count: row.take()?,
        duration: row.take()?,
        version: head.version,
        created_at: head.created_at,
        updated_at: head.updated_at,
    })
}

/// Creates a playlist.
///
/// # Errors
///
/// Returns `Invalid` for unacceptable additions, and `Conflict` beyond the limit of playlists.
pub fn create(
    tx: &Transaction<'_>,
    registry: &Registry,
    owner: Visible,
    new: &NewList,
    additions: &Additions,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let members = additions::members(tx, registry, owner, additions)?;
    user_list::check_room(0, members.len(), additions.field())?;
    let list: OwnPlaylist = user_list::insert(tx, owner, new, &members, now)?;
    user_list::get(tx, list.readable())
}

/// Updates a playlist. Returns `None` if it has been deleted.
pub fn update(
    tx: &Transaction<'_>,
    list: OwnPlaylist,
    patch: &ListPatch,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let Some(current) = user_list::version(tx, list.readable())? else {
        return Ok(None);
    };
    expected.check(current)?;
    if user_list::update_texts(tx, list, patch)? {
        user_list::touch(tx, list, now)?;
    }
    user_list::get(tx, list.readable())
}

/// Adds files to a playlist. Returns `None` if it has been deleted.
///
/// # Errors
///
/// Returns `Invalid` on `items`, `files` or `at` for unacceptable additions, and `Stale` for
/// another version.
pub fn add(
    tx: &Transaction<'_>,
    registry: &Registry,
    list: OwnPlaylist,
    insertion: &Insertion,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Added>> {
    let additions = &insertion.additions;
    let visible = list.readable().visible();
    let new = user_list::NewEntries {
        members: &additions::members(tx, registry, visible, additions)?,
        field: additions.field(),
        at: insertion.at,
        skip_existing: insertion.skip_existing,
    };
    user_list::add(tx, list, &new, expected, now)
}

#[cfg(test)]
mod tests;
