//! Access to lists: every user reads public ones, and only the owner changes them.

use std::marker::PhantomData;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::{ListTables, UserList};
use crate::access::Visible;
use crate::error::StoreResult;

/// Returns the condition of a list that the viewer can read. A public list without visible entries
/// is hidden from other users.
pub(super) fn readable<L: UserList>() -> String {
    let ListTables {
        name,
        total,
        readable_if_empty,
        ..
    } = L::TABLES;
    format!(
        "({name}.user_id = :viewer
          OR {name}.is_public = 1
             AND ({readable_if_empty}
                  OR EXISTS (SELECT 1
                               FROM library_grant AS g
                               JOIN {total} AS t
                                 ON t.list_id = {name}.id AND t.library_id = g.library_id
                              WHERE g.user_id = :viewer)))"
    )
}

/// A list that the viewer can read. [`find`] is the only constructor outside this module.
#[derive(Debug)]
pub struct ReadableList<L> {
    id: i64,
    visible: Visible,
    is_own: bool,
    kind: PhantomData<fn() -> L>,
}

impl<L> Clone for ReadableList<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for ReadableList<L> {}

impl<L> ReadableList<L> {
    /// Returns the id of the list.
    pub fn id(self) -> i64 {
        self.id
    }

    /// Returns the set of libraries whose entries the viewer sees.
    pub fn visible(self) -> Visible {
        self.visible
    }

    /// Returns the list if the viewer is its owner.
    pub fn own(self) -> Option<OwnList<L>> {
        self.is_own.then_some(OwnList(self))
    }

    /// Returns a list that its owner has just created.
    pub(super) fn created(id: i64, owner: Visible) -> Self {
        Self {
            id,
            visible: owner,
            is_own: true,
            kind: PhantomData,
        }
    }
}

/// A list of the viewer.
#[derive(Debug)]
pub struct OwnList<L>(ReadableList<L>);

impl<L> Clone for OwnList<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for OwnList<L> {}

impl<L> OwnList<L> {
    /// Returns the list for reading.
    pub fn readable(self) -> ReadableList<L> {
        self.0
    }

    /// Returns the id of the list.
    pub fn id(self) -> i64 {
        self.0.id
    }
}

/// Returns the list with this id, or `None` if it is absent or not readable.
pub fn find<L: UserList>(
    conn: &Connection,
    visible: Visible,
    id: i64,
) -> StoreResult<Option<ReadableList<L>>> {
    let mut statement = conn.prepare_cached(&find_sql::<L>())?;
    let found = statement.query_row(
        named_params! { ":id": id, ":viewer": visible.user() },
        |row| {
            Ok(ReadableList {
                id,
                visible,
                is_own: row.get(0)?,
                kind: PhantomData,
            })
        },
    );
    Ok(found.optional()?)
}

pub(super) fn find_sql<L: UserList>() -> String {
    let name = L::TABLES.name;
    format!(
        "SELECT {name}.user_id = :viewer
           FROM {name}
          WHERE {name}.id = :id AND {}",
        readable::<L>()
    )
}
