//! Playlists as other programs see them: present files of some kinds, addressed by index.
//!
//! Entries that such a program does not see stay: hidden ones, missing ones, and those of other
//! kinds.

use std::collections::HashMap;

use rusqlite::{Connection, Transaction, named_params};

use super::additions::{self, Additions};
use super::{OwnPlaylist, ReadablePlaylist};
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::{EntryId, FileId, PlaylistId};
use crate::registry::Registry;
use crate::store::user_data::lists::user_list::{self, ListPatch};
use crate::time::Timestamp;

/// Returns the visible present files of these kinds in a playlist, with their entries.
pub fn parts(
    conn: &Connection,
    list: ReadablePlaylist,
    kinds: &[&'static str],
) -> StoreResult<Vec<(EntryId, FileId)>> {
    let mut statement = conn.prepare_cached(
        "SELECT entry.id, entry.file_id
           FROM playlist_entry AS entry INDEXED BY playlist_entry_by_position
          CROSS JOIN file ON file.id = entry.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE entry.list_id = :list AND file.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY entry.position, entry.id",
    )?;
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let viewer = list.visible().user();
    let rows = statement.query_map(
        named_params! { ":list": list.id(), ":viewer": viewer, ":kinds": kinds },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number and length of the files that [`parts`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartTotal {
    /// Number of the files; a repeated file counts again.
    pub files: u64,
    /// Sum of their lengths in seconds, each rounded up.
    pub duration: i64,
}

/// Returns the totals of these readable lists. A list without such files has no total. Each entry of
/// the lists is read.
pub fn totals(
    conn: &Connection,
    visible: Visible,
    lists: &[PlaylistId],
    kinds: &[&'static str],
) -> StoreResult<HashMap<PlaylistId, PartTotal>> {
    let mut statement = conn.prepare_cached(
        "SELECT entry.list_id, count(*),
                ifnull(sum(CAST(file.duration AS INTEGER)
                           + (file.duration > CAST(file.duration AS INTEGER))), 0)
           FROM json_each(:lists) AS wanted
          CROSS JOIN playlist_entry AS entry INDEXED BY playlist_entry_by_position
             ON entry.list_id = wanted.value
          CROSS JOIN file ON file.id = entry.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE file.missing = 0 AND item.kind IN (SELECT value FROM json_each(:kinds))
          GROUP BY entry.list_id",
    )?;
    let lists = serde_json::to_string(lists).expect("numbers are JSON");
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let rows = statement.query_map(
        named_params! { ":lists": lists, ":viewer": visible.user(), ":kinds": kinds },
        |row| {
            let total = PartTotal {
                files: row.get(1)?,
                duration: row.get(2)?,
            };
            Ok((row.get(0)?, total))
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Entries to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// Those with these indexes in [`parts`].
    Indexes(Vec<usize>),
    /// All of [`parts`].
    All,
}

/// Changes of a playlist. Removals refer to the list before the change.
#[derive(Debug, Clone)]
pub struct PartChange {
    /// New texts.
    pub patch: ListPatch,
    /// Entries to remove.
    pub removal: Removal,
    /// Files to append; a file may occur several times.
    pub files: Vec<FileId>,
}

/// Changes a playlist. The version increases once, if anything changed.
///
/// # Errors
///
/// Returns `Invalid` on `index` for an index beyond the end, and on `files` for files that are not
/// visible or have no timeline, and beyond the limit of entries.
pub fn change(
    tx: &Transaction<'_>,
    registry: &Registry,
    list: OwnPlaylist,
    kinds: &[&'static str],
    change: &PartChange,
    now: Timestamp,
) -> StoreResult<()> {
    let readable = list.readable();
    let parts = parts(tx, readable, kinds)?;
    let removed = removed(&parts, &change.removal)?;
    let additions = Additions {
        items: Vec::new(),
        files: change.files.clone(),
    };
    let members = additions::members(tx, registry, readable.visible(), &additions)?;
    let entries = user_list::entries(readable);
    let existing = entries.sequence(tx)?.len();
    user_list::check_room(
        existing.saturating_sub(removed.len()),
        members.len(),
        "files",
    )?;
    let is_renamed = user_list::update_texts(tx, list, &change.patch)?;
    entries.delete(tx, &removed)?;
    if !members.is_empty() {
        entries.insert(tx, entries.sequence(tx)?, None, &members, now)?;
    }
    if is_renamed || !removed.is_empty() || !members.is_empty() {
        user_list::touch(tx, list, now)?;
    }
    Ok(())
}

/// Returns the entries to remove, each once.
fn removed(parts: &[(EntryId, FileId)], removal: &Removal) -> StoreResult<Vec<EntryId>> {
    let Removal::Indexes(indexes) = removal else {
        return Ok(parts.iter().map(|(id, _)| *id).collect());
    };
    let mut indexes = indexes.clone();
    indexes.sort_unstable();
    indexes.dedup();
    let find = |index: usize| match parts.get(index) {
        Some((id, _)) => Ok(*id),
        None => Err(StoreError::Invalid {
            field: "index",
            message: format!("The index {index} is beyond the end of the playlist."),
        }),
    };
    indexes.into_iter().map(find).collect()
}
