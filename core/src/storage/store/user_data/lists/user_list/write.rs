//! Changes of lists by their owners. Each checks unacceptable values first, then limits, then the
//! expected version.

use rusqlite::{Transaction, named_params};

use super::{MAX_ENTRIES, OwnList, ReadableList, UserList, entries, entry_count, get, version};
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::EntryId;
use crate::store::user_data::lists::ordered_list::{Member, Move, OrderedList, Sequence};
use crate::text;
use crate::time::Timestamp;
use crate::version::ExpectedVersion;

/// Limit of lists of one kind per user.
pub(crate) const MAX_LISTS: i64 = 1_000;

/// Values of a new list; the caller has validated its texts.
#[derive(Debug, Clone)]
pub struct NewList {
    /// Name of the list.
    pub name: String,
    /// Description, if there is one.
    pub description: Option<String>,
    /// `true` if every user can read the list.
    pub public: bool,
}

/// Changes to a list; `None` keeps a value, and `Some(None)` clears it.
#[derive(Debug, Clone, Default)]
pub struct ListPatch {
    /// New name.
    pub name: Option<String>,
    /// New description.
    pub description: Option<Option<String>>,
    /// `true` if every user can read the list.
    pub public: Option<bool>,
}

/// Members to insert.
pub(crate) struct NewEntries<'a> {
    /// Members in order.
    pub(crate) members: &'a [Member],
    /// Field that named them, for messages.
    pub(crate) field: &'static str,
    /// Index among the visible entries before which they are inserted; `None` for the end.
    pub(crate) at: Option<usize>,
    /// `true` if members that the list contains already are left out.
    pub(crate) skip_existing: bool,
}

/// Result of an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Number of added entries.
    pub added: usize,
    /// Number of members that were left out, because the list contains them already.
    pub skipped: usize,
    /// Number of visible entries of the list.
    pub entry_count: u64,
    /// Version of the list.
    pub version: i64,
}

/// Creates a list with these members.
///
/// # Errors
///
/// Returns `Conflict` beyond the limit of lists.
pub(crate) fn insert<L: UserList>(
    tx: &Transaction<'_>,
    owner: Visible,
    new: &NewList,
    members: &[Member],
    now: Timestamp,
) -> StoreResult<OwnList<L>> {
    check_count::<L>(tx, owner)?;
    let table = L::TABLES.name;
    tx.prepare_cached(&format!(
        "INSERT INTO {table} (user_id, name, name_key, sort_name, description, is_public,
                              created_at, updated_at)
         VALUES (:owner, :name, :name_key, :sort_name, :description, :is_public, :now, :now)"
    ))?
    .execute(named_params! {
        ":owner": owner.user(),
        ":name": new.name,
        ":name_key": text::fold(&new.name),
        ":sort_name": text::name_sort_key(&new.name),
        ":description": new.description,
        ":is_public": new.public,
        ":now": now,
    })?;
    let list = ReadableList::created(tx.last_insert_rowid(), owner);
    entries(list).insert(tx, Sequence::default(), None, members, now)?;
    Ok(list.own().expect("the owner created the list"))
}

fn check_count<L: UserList>(tx: &Transaction<'_>, owner: Visible) -> StoreResult<()> {
    let table = L::TABLES.name;
    let count: i64 = tx
        .prepare_cached(&format!(
            "SELECT count(*) FROM {table} WHERE user_id = :owner"
        ))?
        .query_row(named_params! { ":owner": owner.user() }, |row| row.get(0))?;
    if count < MAX_LISTS {
        return Ok(());
    }
    Err(StoreError::Conflict(format!(
        "You have {MAX_LISTS} {}s already: delete one first.",
        L::NOUN
    )))
}

/// Rejects additions beyond the limit of a list that has `existing` entries.
pub(crate) fn check_room(existing: usize, added: usize, field: &'static str) -> StoreResult<()> {
    if existing + added <= MAX_ENTRIES {
        return Ok(());
    }
    let message = format!("A list has at most {MAX_ENTRIES} entries.");
    Err(StoreError::Invalid { field, message })
}

/// Writes the texts and the mark of a list. Returns `true` if one of them changed. The caller
/// increases the version.
pub(crate) fn update_texts<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    patch: &ListPatch,
) -> StoreResult<bool> {
    let table = L::TABLES.name;
    let changed = tx
        .prepare_cached(&format!(
            "UPDATE {table}
                SET name = ifnull(:name, name),
                    name_key = ifnull(:name_key, name_key),
                    sort_name = ifnull(:sort_name, sort_name),
                    description = iif(:has_description, :description, description),
                    is_public = ifnull(:is_public, is_public)
              WHERE id = :id
                AND (name, description, is_public)
                    IS NOT (ifnull(:name, name),
                            iif(:has_description, :description, description),
                            ifnull(:is_public, is_public))"
        ))?
        .execute(named_params! {
            ":id": list.id(),
            ":name": patch.name,
            ":name_key": patch.name.as_deref().map(text::fold),
            ":sort_name": patch.name.as_deref().map(text::name_sort_key),
            ":has_description": patch.description.is_some(),
            ":description": patch.description.as_ref().and_then(Option::as_ref),
            ":is_public": patch.public,
        })?;
    Ok(changed > 0)
}

/// Deletes a list. Returns `false` if it has been deleted already.
pub fn delete<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    expected: &ExpectedVersion,
) -> StoreResult<bool> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(false);
    };
    expected.check(current)?;
    let table = L::TABLES.name;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = :id"))?
        .execute(named_params! { ":id": list.id() })?;
    Ok(true)
}

/// Adds members to a list. Returns `None` if it has been deleted.
///
/// # Errors
///
/// Returns `Invalid` on `at` or the field of the members for unacceptable additions, and `Stale` for
/// another version.
pub(crate) fn add<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    new: &NewEntries<'_>,
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<Added>> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    let entries = entries(list.readable());
    let members = new_members(tx, entries, new)?;
    let sequence = entries.sequence(tx)?;
    check_index(&sequence, new.at)?;
    check_room(sequence.len(), members.len(), new.field)?;
    expected.check(current)?;
    if !members.is_empty() {
        entries.insert(tx, sequence, new.at, &members, now)?;
        touch(tx, list, now)?;
    }
    Ok(Some(Added {
        added: members.len(),
        skipped: new.members.len() - members.len(),
        entry_count: entry_count(tx, list.readable())?,
        version: current + i64::from(!members.is_empty()),
    }))
}

/// Returns the members without those that the list contains already, if these are left out.
fn new_members(
    tx: &Transaction<'_>,
    list: OrderedList,
    new: &NewEntries<'_>,
) -> StoreResult<Vec<Member>> {
    let members = new.members;
    if !new.skip_existing {
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

/// Moves entries of a list. Returns `None` if it has been deleted.
pub fn rearrange<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    moves: &[Move],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<L::View>> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    let entries = entries(list.readable());
    let positions = entries.sequence(tx)?.rearrange(moves)?;
    expected.check(current)?;
    if !positions.is_empty() {
        entries.write_positions(tx, &positions)?;
        touch(tx, list, now)?;
    }
    get(tx, list.readable())
}

/// Deletes visible entries of a list; other ids are ignored. Returns `None` if the list has been
/// deleted.
pub fn remove<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    ids: &[EntryId],
    expected: &ExpectedVersion,
    now: Timestamp,
) -> StoreResult<Option<L::View>> {
    let Some(current) = version(tx, list.readable())? else {
        return Ok(None);
    };
    expected.check(current)?;
    let entries = entries(list.readable());
    let removed = entries.visible_entries(tx, ids)?;
    if !removed.is_empty() {
        entries.delete(tx, &removed)?;
        touch(tx, list, now)?;
    }
    get(tx, list.readable())
}

/// Increases the version of a changed list.
pub(crate) fn touch<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    now: Timestamp,
) -> StoreResult<()> {
    let table = L::TABLES.name;
    tx.prepare_cached(&format!(
        "UPDATE {table} SET version = version + 1, updated_at = :now WHERE id = :id"
    ))?
    .execute(named_params! { ":id": list.id(), ":now": now })?;
    Ok(())
}
