//! Imported lists. A repeated import updates a list unless it was changed or deleted in Ledge.

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};
use serde::{Deserialize, Serialize};

use super::{Import, ListKind, ListRows, Outcome};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{LibraryId, UserId};
use crate::store::catalogue::batch::snapshot::parse;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::store::user_data::lists::collection::Collections;
use crate::store::user_data::lists::ordered_list::{Member, Sequence};
use crate::store::user_data::lists::playlist::Playlists;
use crate::store::user_data::lists::user_list::{
    self, ListPatch, MAX_ENTRIES, MAX_LISTS, NewList, OwnList, UserList,
};
use crate::time::Timestamp;

/// Row that connects a list with its source.
#[derive(Debug, Clone, Copy)]
struct Link {
    id: i64,
    /// The list; `None` after its deletion.
    list: Option<i64>,
    /// Version of the list after the last import.
    version: i64,
}

/// Texts and members of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    name: String,
    description: Option<String>,
    public: bool,
    members: Vec<(i64, LibraryId)>,
}

/// Imported list, for the undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    kind: ListKind,
    link: i64,
    list: i64,
    version: i64,
}

/// Creates or updates a list. Returns the change, if something was written.
pub(super) fn apply(
    import: &mut Import,
    tx: &Transaction<'_>,
    rows: &ListRows,
) -> StoreResult<(Outcome, Option<Change>)> {
    match rows.kind {
        ListKind::Playlist => apply_to::<Playlists>(import, tx, rows),
        ListKind::Collection => apply_to::<Collections>(import, tx, rows),
    }
}

fn apply_to<L: UserList>(
    import: &mut Import,
    tx: &Transaction<'_>,
    rows: &ListRows,
) -> StoreResult<(Outcome, Option<Change>)> {
    if rows.members.is_empty() || rows.members.len() > MAX_ENTRIES {
        return Ok((Outcome::Unsupported, None));
    }
    let Some(link) = link(tx, rows)? else {
        return create::<L>(import, tx, rows);
    };
    let list = match link.list {
        Some(id) => user_list::find::<L>(tx, Visible::of(rows.owner), id)?,
        None => None,
    };
    let Some(list) = list.and_then(user_list::ReadableList::own) else {
        return Ok((Outcome::ChangedHere, None));
    };
    let (old, new) = (content(tx, list)?, Content::of(rows));
    if old == new {
        return Ok((Outcome::Unchanged, None));
    }
    if user_list::version(tx, list.readable())? != Some(link.version) {
        return Ok((Outcome::ChangedHere, None));
    }
    if import.dry_run {
        return Ok((Outcome::Taken, None));
    }
    let version = write(tx, list, &new, import.now)?;
    set_version(tx, link.id, version)?;
    let written = Written {
        kind: rows.kind,
        link: link.id,
        list: list.id(),
        version,
    };
    Ok((Outcome::Taken, Some(change(rows.owner, Some(old), written))))
}

fn create<L: UserList>(
    import: &mut Import,
    tx: &Transaction<'_>,
    rows: &ListRows,
) -> StoreResult<(Outcome, Option<Change>)> {
    let new_lists = import.new_lists.entry((rows.owner, rows.kind)).or_default();
    if count::<L>(tx, rows.owner)? + *new_lists >= MAX_LISTS {
        return Ok((Outcome::Unsupported, None));
    }
    if import.dry_run {
        *new_lists += 1;
        return Ok((Outcome::Taken, None));
    }
    let new = NewList {
        name: rows.name.clone(),
        description: rows.description.clone(),
        public: rows.public,
    };
    let owner = Visible::of(rows.owner);
    let members = members(&rows.members);
    let list: OwnList<L> = user_list::insert(tx, owner, &new, &members, import.now)?;
    let version = user_list::version(tx, list.readable())?.unwrap_or(1);
    let (playlist, collection) = match rows.kind {
        ListKind::Playlist => (Some(list.id()), None),
        ListKind::Collection => (None, Some(list.id())),
    };
    tx.prepare_cached(
        "INSERT INTO imported_list (source, source_key, user_id, kind, playlist_id, collection_id,
                                    version)
         VALUES (:source, :key, :user, :kind, :playlist, :collection, :version)",
    )?
    .execute(named_params! {
        ":source": rows.source,
        ":key": rows.key,
        ":user": rows.owner,
        ":kind": rows.kind.as_str(),
        ":playlist": playlist,
        ":collection": collection,
        ":version": version,
    })?;
    let written = Written {
        kind: rows.kind,
        link: tx.last_insert_rowid(),
        list: list.id(),
        version,
    };
    Ok((Outcome::Taken, Some(change(rows.owner, None, written))))
}

fn change(owner: UserId, old: Option<Content>, written: Written) -> Change {
    let value = |value: Option<serde_json::Value>| value.unwrap_or_default();
    Change {
        owner: Some(owner),
        field: ChangedField::List,
        old: value(old.and_then(|old| serde_json::to_value(old).ok())),
        new: value(serde_json::to_value(written).ok()),
    }
}

impl ListKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Playlist => "playlist",
            Self::Collection => "collection",
        }
    }
}

impl Content {
    fn of(rows: &ListRows) -> Self {
        Self {
            name: rows.name.clone(),
            description: rows.description.clone(),
            public: rows.public,
            members: rows.members.clone(),
        }
    }
}

fn link(conn: &Connection, rows: &ListRows) -> StoreResult<Option<Link>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, ifnull(playlist_id, collection_id), version
           FROM imported_list
          WHERE source = :source AND source_key = :key AND user_id = :user AND kind = :kind",
    )?;
    let found = statement.query_row(
        named_params! {
            ":source": rows.source,
            ":key": rows.key,
            ":user": rows.owner,
            ":kind": rows.kind.as_str(),
        },
        |row| {
            Ok(Link {
                id: row.get(0)?,
                list: row.get(1)?,
                version: row.get(2)?,
            })
        },
    );
    Ok(found.optional()?)
}

fn set_version(tx: &Transaction<'_>, link: i64, version: i64) -> StoreResult<()> {
    tx.prepare_cached("UPDATE imported_list SET version = :version WHERE id = :id")?
        .execute(named_params! { ":id": link, ":version": version })?;
    Ok(())
}

fn count<L: UserList>(conn: &Connection, owner: UserId) -> StoreResult<i64> {
    let table = L::TABLES.name;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT count(*) FROM {table} WHERE user_id = :owner"
    ))?;
    Ok(statement.query_row(named_params! { ":owner": owner }, |row| row.get(0))?)
}

fn members(members: &[(i64, LibraryId)]) -> Vec<Member> {
    let member = |(id, library): &(i64, LibraryId)| Member {
        id: *id,
        library: *library,
    };
    members.iter().map(member).collect()
}

fn content<L: UserList>(conn: &Connection, list: OwnList<L>) -> StoreResult<Content> {
    let table = L::TABLES.name;
    let entries = L::TABLES.entries;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {}, library_id FROM {} WHERE list_id = :list ORDER BY position, {}",
        entries.member, entries.name, entries.key
    ))?;
    let rows = statement.query_map(named_params! { ":list": list.id() }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let members = rows.collect::<Result<_, _>>()?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT name, description, is_public FROM {table} WHERE id = :list"
    ))?;
    let content = statement.query_row(named_params! { ":list": list.id() }, |row| {
        Ok(Content {
            name: row.get(0)?,
            description: row.get(1)?,
            public: row.get(2)?,
            members,
        })
    });
    Ok(content?)
}

/// Writes the content of a list, and returns its new version.
fn write<L: UserList>(
    tx: &Transaction<'_>,
    list: OwnList<L>,
    content: &Content,
    now: Timestamp,
) -> StoreResult<i64> {
    let patch = ListPatch {
        name: Some(content.name.clone()),
        description: Some(content.description.clone()),
        public: Some(content.public),
    };
    user_list::update_texts(tx, list, &patch)?;
    let entries = L::TABLES.entries.name;
    tx.prepare_cached(&format!("DELETE FROM {entries} WHERE list_id = :list"))?
        .execute(named_params! { ":list": list.id() })?;
    let ordered = user_list::entries(list.readable());
    ordered.insert(
        tx,
        Sequence::default(),
        None,
        &members(&content.members),
        now,
    )?;
    user_list::touch(tx, list, now)?;
    Ok(user_list::version(tx, list.readable())?.unwrap_or_default())
}

/// Deletes an imported list, or restores its earlier content. Returns `false` if it was changed
/// since.
pub(in crate::storage::store::catalogue::batch) fn restore(
    tx: &Transaction<'_>,
    owner: UserId,
    change: &Change,
    now: Timestamp,
) -> StoreResult<bool> {
    let (old, written) = (
        parse::<Option<Content>>(&change.old),
        parse::<Written>(&change.new),
    );
    let (Some(old), Some(written)) = (old, written) else {
        return Ok(false);
    };
    match written.kind {
        ListKind::Playlist => restore_in::<Playlists>(tx, owner, (old, written), now),
        ListKind::Collection => restore_in::<Collections>(tx, owner, (old, written), now),
    }
}

fn restore_in<L: UserList>(
    tx: &Transaction<'_>,
    owner: UserId,
    (old, written): (Option<Content>, Written),
    now: Timestamp,
) -> StoreResult<bool> {
    let found = user_list::find::<L>(tx, Visible::of(owner), written.list)?;
    let Some(list) = found.and_then(user_list::ReadableList::own) else {
        return Ok(false);
    };
    if user_list::version(tx, list.readable())? != Some(written.version) {
        return Ok(false);
    }
    if let Some(mut old) = old {
        retain_existing::<L>(tx, &mut old.members)?;
        let version = write(tx, list, &old, now)?;
        set_version(tx, written.link, version)?;
        return Ok(true);
    }
    let table = L::TABLES.name;
    tx.prepare_cached("DELETE FROM imported_list WHERE id = :id")?
        .execute(named_params! { ":id": written.link })?;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = :id"))?
        .execute(named_params! { ":id": list.id() })?;
    Ok(true)
}

/// Removes members that a purge has deleted.
fn retain_existing<L: UserList>(
    conn: &Connection,
    members: &mut Vec<(i64, LibraryId)>,
) -> StoreResult<()> {
    let table = if L::TABLES.entries.member == "file_id" {
        "file"
    } else {
        "item"
    };
    let mut statement = conn.prepare_cached(&format!("SELECT 1 FROM {table} WHERE id = :id"))?;
    let mut kept = Vec::with_capacity(members.len());
    for member in members.drain(..) {
        if statement.exists(named_params! { ":id": member.0 })? {
            kept.push(member);
        }
    }
    *members = kept;
    Ok(())
}
