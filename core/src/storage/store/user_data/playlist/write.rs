//! Changes of playlists by their owners. Each checks unacceptable values first, then limits, then
//! the expected version.

use rusqlite::{Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::additions::{self, Additions, Insertion};
use super::{OwnPlaylist, Playlist, access, entries, entry_count, get, version};
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::{EntryId, PlaylistId, UserId};
use crate::registry::Registry;
use crate::store::user_data::ordered_list::{Member, Move, OrderedList, Sequence};
use crate::text;
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

/// Limit of playlists per user.
const MAX_PLAYLISTS: i64 = 1_000;

/// Values of a new playlist; the caller has validated its texts.
#[derive(Debug, Clone)]
pub struct NewPlaylist {
    /// Name of the playlist.
    pub name: String,
    /// Description, if there is one.
    pub description: Option<String>,
    /// `true` if every user can read the playlist.
    pub public: bool,
    /// First entries.
    pub additions: Additions,
}

/// Changes to a playlist; `None` keeps a value, and `Some(None)` clears it.
#[derive(Debug, Clone, Default)]
pub struct PlaylistPatch {
    /// New name.
    pub name: Option<String>,
    /// New description.
    pub description: Option<Option<String>>,
    /// `true` if every user can read the playlist.
    pub public: Option<bool>,
}

/// Result of an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Added {
    /// Number of added entries.
    pub added: usize,
    /// Number of files that were left out, because the playlist contains them already.
    pub skipped: usize,
    /// Number of visible entries of the playlist.
    pub entry_count: u64,
    /// Version of the playlist.
    pub version: i64,
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
    new: &NewPlaylist,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let members = additions::members(tx, registry, owner, &new.additions)?;
    additions::check_room(0, members.len(), &new.additions)?;
    check_count(tx, owner.user())?;
    tx.prepare_cached(
        "INSERT INTO playlist (user_id, name, name_key, sort_name, description, is_public,
                               created_at, updated_at)
         VALUES (:owner, :name, :name_key, :sort_name, :description, :is_public, :now, :now)",
    )?
    .execute(named_params! {
        ":owner": owner.user(),
        ":name": new.name,
        ":name_key": text::fold(&new.name),
        ":sort_name": text::name_sort_key(&new.name),
        ":description": new.description,
        ":is_public": new.public,
        ":now": now,
    })?;
    let id = PlaylistId(tx.last_insert_rowid());
    entries(id, owner).insert(tx, Sequence::default(), None, &members, now)?;
    match access::find(tx, owner, id)? {
        Some(list) => get(tx, list),
        None => Ok(None),
    }
}

fn check_count(tx: &Transaction<'_>, owner: UserId) -> StoreResult<()> {
    let count: i64 = tx
        .prepare_cached("SELECT count(*) FROM playlist WHERE user_id = :owner")?
        .query_row(named_params! { ":owner": owner }, |row| row.get(0))?;
    if count < MAX_PLAYLISTS {
        return Ok(());
    }
    Err(StoreError::Conflict(format!(
        "You have {MAX_PLAYLISTS} playlists already: delete one first."
    )))
}

/// Updates a playlist. Returns `None` if it has been deleted.
pub fn update(
    tx: &Transaction<'_>,
    list: OwnPlaylist,
    patch: PlaylistPatch,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let Some(current) = get(tx, list.readable())? else {
        return Ok(None);
    };
    expected.check(current.version)?;
    let name = patch.name.unwrap_or(current.name);
    tx.prepare_cached(
        "UPDATE playlist
            SET name = :name, name_key = :name_key, sort_name = :sort_name,
                description = :description, is_public = :is_public,
                version = version + 1, updated_at = :now
          WHERE id = :id
            AND (name, description, is_public) IS NOT (:name, :description, :is_public)",
    )?
    .execute(named_params! {
        ":id": list.id(),
        ":name": name,
        ":name_key": text::fold(&name),
        ":sort_name": text::name_sort_key(&name),
        ":description": patch.description.unwrap_or(current.description),
        ":is_public": patch.public.unwrap_or(current.public),
        ":now": now,
    })?;
    get(tx, list.readable())
}

/// Deletes a playlist. Returns `false` if it has been deleted already.
pub fn delete(
    tx: &Transaction<'_>,
    list: OwnPlaylist,
    expected: &ExpectedVersion,
) -> StoreResult<bool> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(false);
    };
    expected.check(current)?;
    tx.prepare_cached("DELETE FROM playlist WHERE id = :id")?
        .execute(named_params! { ":id": list.id() })?;
    Ok(true)
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
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    let entries = entries_of(list);
    let additions = &insertion.additions;
    let found = additions::members(tx, registry, entries.visible, additions)?;
    let members = new_members(tx, entries, &found, insertion.skip_existing)?;
    let sequence = entries.sequence(tx)?;
    check_index(&sequence, insertion.at)?;
    additions::check_room(sequence.len(), members.len(), additions)?;
    expected.check(current)?;
    if !members.is_empty() {
        entries.insert(tx, sequence, insertion.at, &members, now)?;
        touch(tx, list, now)?;
    }
    Ok(Some(Added {
        added: members.len(),
        skipped: found.len() - members.len(),
        entry_count: entry_count(tx, list.readable())?,
        version: current + i64::from(!members.is_empty()),
    }))
}

/// Returns the members without those that the list contains already, if these are left out.
fn new_members(
    tx: &Transaction<'_>,
    list: OrderedList,
    members: &[Member],
    skip_existing: bool,
) -> StoreResult<Vec<Member>> {
    if !skip_existing {
        return Ok(members.to_vec());
    }
    let existing = list.members(tx)?;
    let new = members
        .iter()
        .filter(|member| !existing.contains(&member.id));
    Ok(new.copied().collect())
}

fn check_index(sequence: &Sequence, at: Option<usize>) -> StoreResult<()> {
    let count = sequence.visible().count();
    match at {
        Some(at) if at > count => Err(StoreError::Invalid {
            field: "at",
            message: format!("`at` is at most {count}, the number of entries."),
        }),
        _ => Ok(()),
    }
}

/// Moves entries of a playlist. Returns `None` if it has been deleted.
pub fn rearrange(
    tx: &Transaction<'_>,
    list: OwnPlaylist,
    moves: &[Move],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    let entries = entries_of(list);
    let positions = entries.sequence(tx)?.rearrange(moves)?;
    expected.check(current)?;
    if !positions.is_empty() {
        entries.write_positions(tx, &positions)?;
        touch(tx, list, now)?;
    }
    get(tx, list.readable())
}

/// Deletes visible entries of a playlist; other ids are ignored. Returns `None` if the playlist has
/// been deleted.
pub fn remove(
    tx: &Transaction<'_>,
    list: OwnPlaylist,
    ids: &[EntryId],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Playlist>> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    expected.check(current)?;
    let entries = entries_of(list);
    let removed = entries.visible_entries(tx, ids)?;
    if !removed.is_empty() {
        entries.delete(tx, &removed)?;
        touch(tx, list, now)?;
    }
    get(tx, list.readable())
}

fn entries_of(list: OwnPlaylist) -> OrderedList {
    entries(list.id(), list.readable().visible())
}

/// Increases the version of a changed playlist.
fn touch(tx: &Transaction<'_>, list: OwnPlaylist, now: Timestamp) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE playlist SET version = version + 1, updated_at = :now WHERE id = :id",
    )?
    .execute(named_params! { ":id": list.id(), ":now": now })?;
    Ok(())
}
