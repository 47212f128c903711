//! Lists that users own and may share: playlists and collections.
//!
//! A list has a name, a description, a version and entries in an `EntryTable`. Each kind of lists
//! has tables of its own, which [`ListTables`] names.

mod access;
pub mod cover;
pub mod overview;
mod write;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::ordered_list::{EntryTable, OrderedList};
use crate::error::StoreResult;
use crate::id::UserId;
use crate::store::catalogue::column_reader::ColumnReader;
use crate::time::Timestamp;

pub use access::{OwnList, ReadableList, find};
pub use write::{Added, ListPatch, NewList, delete, rearrange, remove};
pub(crate) use write::{MAX_LISTS, NewEntries, add, check_room, insert, touch, update_texts};

/// Limit of entries in a list.
pub const MAX_ENTRIES: usize = 10_000;

/// A kind of lists.
pub trait UserList: 'static {
    /// A list, as its reader sees it.
    type View: Send + 'static;
    /// Noun of messages.
    const NOUN: &'static str;
    /// Tables and columns of the lists.
    const TABLES: ListTables<Self::View>;
}

/// Tables and columns of a kind of lists.
#[derive(Debug)]
pub struct ListTables<V> {
    /// Table of the lists. Its indexes are `NAME_by_user` and `NAME_public`.
    pub(crate) name: &'static str,
    /// Table with the number of entries by list and library.
    pub(crate) total: &'static str,
    /// Table of the entries.
    pub(crate) entries: &'static EntryTable,
    /// Condition of public lists that are readable without a visible entry.
    pub(crate) readable_if_empty: &'static str,
    /// Condition of lists that have a cover although they have no entries.
    pub(crate) covered_if_empty: &'static str,
    /// Further columns of a list.
    pub(crate) columns: &'static str,
    /// Creates the view from the common columns and the further ones.
    pub(crate) view: fn(Head, &mut ColumnReader<'_, '_>) -> rusqlite::Result<V>,
}

/// Owner of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Owner {
    /// Id of the user.
    pub id: UserId,
    /// Name of the user.
    pub username: String,
}

/// Cover of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListCover {
    /// URL of the image; accepts `&size=`.
    pub url: String,
}

/// Values that every list has.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) public: bool,
    pub(crate) owner: Owner,
    pub(crate) own: bool,
    pub(crate) version: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) has_cover: bool,
}

impl Head {
    /// Returns the cover below the path of the lists. The version in the URL makes browsers load the
    /// image of a changed list.
    pub(crate) fn cover(&self, path: &str) -> Option<ListCover> {
        let (id, version) = (self.id, self.version);
        let cover = || ListCover {
            url: format!("/api/v1/{path}/{id}/cover?v={version}"),
        };
        self.has_cover.then(cover)
    }
}

/// Returns the columns that [`view`] reads, over the rows of the lists and `owner`. A cover is looked
/// for in the first hundred visible entries: a page of long lists without covers would read all of
/// them.
fn columns<L: UserList>() -> String {
    let ListTables {
        name,
        entries,
        covered_if_empty,
        columns,
        ..
    } = L::TABLES;
    let EntryTable {
        name: entry,
        key,
        by_position,
        member,
        to_item,
        ..
    } = entries;
    format!(
        "{name}.id, {name}.name, {name}.description, {name}.is_public,
         owner.id, owner.username, {name}.user_id = :viewer AS own,
         {name}.version, {name}.created_at, {name}.updated_at,
         ({covered_if_empty}
          OR EXISTS (SELECT 1
                       FROM (SELECT {member}
                               FROM {entry} INDEXED BY {by_position}
                              WHERE list_id = {name}.id
                                AND library_id IN (SELECT library_id
                                                     FROM library_grant
                                                    WHERE user_id = :viewer)
                              ORDER BY position, {key}
                              LIMIT 100) AS page
                       {}
                      WHERE item.cover_id IS NOT NULL)) AS has_cover,
         {columns}",
        to_item.replace("entry.", "page.")
    )
}

/// Reads a list from the row's next columns.
fn view<L: UserList>(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<L::View> {
    let head = Head {
        id: row.take()?,
        name: row.take()?,
        description: row.take()?,
        public: row.take()?,
        owner: Owner {
            id: row.take()?,
            username: row.take()?,
        },
        own: row.take()?,
        version: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
        has_cover: row.take()?,
    };
    (L::TABLES.view)(head, row)
}

/// Reads a list. Returns `None` if it is no longer readable.
pub fn get<L: UserList>(conn: &Connection, list: ReadableList<L>) -> StoreResult<Option<L::View>> {
    let mut statement = conn.prepare_cached(&get_sql::<L>())?;
    let found = statement.query_row(
        named_params! { ":id": list.id(), ":viewer": list.visible().user() },
        |row| view::<L>(&mut ColumnReader::of(row)),
    );
    Ok(found.optional()?)
}

fn get_sql<L: UserList>() -> String {
    let name = L::TABLES.name;
    format!(
        "SELECT {}
           FROM {name}
           JOIN user AS owner ON owner.id = {name}.user_id
          WHERE {name}.id = :id AND {}",
        columns::<L>(),
        access::readable::<L>()
    )
}

/// Returns the version of a list, or `None` if it has been deleted.
pub fn version<L: UserList>(conn: &Connection, list: ReadableList<L>) -> StoreResult<Option<i64>> {
    let name = L::TABLES.name;
    let mut statement =
        conn.prepare_cached(&format!("SELECT version FROM {name} WHERE id = :id"))?;
    let version = statement.query_row(named_params! { ":id": list.id() }, |row| row.get(0));
    Ok(version.optional()?)
}

/// Returns the number of visible entries.
pub(crate) fn entry_count<L: UserList>(
    conn: &Connection,
    list: ReadableList<L>,
) -> StoreResult<u64> {
    let mut statement = conn.prepare_cached(&count_sql::<L>())?;
    let count = statement.query_row(
        named_params! { ":list": list.id(), ":viewer": list.visible().user() },
        |row| row.get(0),
    )?;
    Ok(count)
}

fn count_sql<L: UserList>() -> String {
    let total = L::TABLES.total;
    format!(
        "SELECT ifnull(sum(t.n), 0)
           FROM library_grant AS g
           JOIN {total} AS t ON t.list_id = :list AND t.library_id = g.library_id
          WHERE g.user_id = :viewer"
    )
}

/// Returns the entries of a list, as its reader sees them.
pub(crate) fn entries<L: UserList>(list: ReadableList<L>) -> OrderedList {
    OrderedList {
        table: L::TABLES.entries,
        id: list.id(),
        visible: list.visible(),
    }
}

#[cfg(test)]
mod tests;
