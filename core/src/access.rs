//! The grant check: which libraries a user may see.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::id::{FileId, ItemId, LibraryId, UserId};
use crate::store::StoreResult;

/// The libraries a user may see. [`Visible::of`] is the only constructor; an empty set is a real
/// set that yields nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible {
    user: UserId,
}

impl Visible {
    /// What `user` may see, asked anew by each query: a revoked grant counts at once.
    pub fn of(user: UserId) -> Self {
        Self { user }
    }

    /// The user, for what belongs to them: progress, favourites, views.
    pub fn user(self) -> UserId {
        self.user
    }

    /// The visible libraries, by id.
    pub fn libraries(self, connection: &Connection) -> StoreResult<Vec<LibraryId>> {
        let mut statement = connection.prepare_cached(
            "SELECT library_id
               FROM library_grant
              WHERE user_id = :viewer
              ORDER BY library_id",
        )?;
        let rows = statement.query_map(named_params! { ":viewer": self.user }, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The library, if it is visible.
    pub fn library(
        self,
        connection: &Connection,
        id: LibraryId,
    ) -> StoreResult<Option<VisibleLibrary>> {
        let mut statement = connection.prepare_cached(
            "SELECT library_id
               FROM library_grant
              WHERE user_id = :viewer AND library_id = :library",
        )?;
        let id = statement
            .query_row(
                named_params! { ":viewer": self.user, ":library": id },
                |row| row.get(0),
            )
            .optional()?;
        Ok(id.map(|id| VisibleLibrary { id }))
    }

    /// The item, if its library is visible.
    pub fn item(self, connection: &Connection, id: ItemId) -> StoreResult<Option<VisibleItem>> {
        let mut statement = connection.prepare_cached(
            "SELECT item.id, item.library_id
               FROM item
               JOIN library_grant AS g ON g.library_id = item.library_id
              WHERE item.id = :item AND g.user_id = :viewer",
        )?;
        let item = statement
            .query_row(named_params! { ":viewer": self.user, ":item": id }, |row| {
                Ok(VisibleItem {
                    id: row.get(0)?,
                    library: row.get(1)?,
                    viewer: self.user,
                })
            })
            .optional()?;
        Ok(item)
    }

    /// The file, if its library is visible.
    pub fn file(self, connection: &Connection, id: FileId) -> StoreResult<Option<VisibleFile>> {
        let mut statement = connection.prepare_cached(
            "SELECT file.id, file.item_id
               FROM file
               JOIN item ON item.id = file.item_id
               JOIN library_grant AS g ON g.library_id = item.library_id
              WHERE file.id = :file AND g.user_id = :viewer",
        )?;
        let file = statement
            .query_row(named_params! { ":viewer": self.user, ":file": id }, |row| {
                Ok(VisibleFile {
                    id: row.get(0)?,
                    item: row.get(1)?,
                    viewer: self.user,
                })
            })
            .optional()?;
        Ok(file)
    }
}

/// A library whose grant was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleLibrary {
    id: LibraryId,
}

impl VisibleLibrary {
    /// Its id.
    pub fn id(self) -> LibraryId {
        self.id
    }
}

/// An item whose grant was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleItem {
    id: ItemId,
    library: LibraryId,
    viewer: UserId,
}

impl VisibleItem {
    /// Its id.
    pub fn id(self) -> ItemId {
        self.id
    }

    /// Its library.
    pub fn library(self) -> LibraryId {
        self.library
    }

    /// Who asked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }

    /// The item, if it is there and visible still: what is written about it is written in the
    /// transaction that asks.
    pub fn again(self, connection: &Connection) -> StoreResult<Option<Self>> {
        Visible::of(self.viewer).item(connection, self.id)
    }
}

/// A file whose grant was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleFile {
    id: FileId,
    item: ItemId,
    viewer: UserId,
}

impl VisibleFile {
    /// Its id.
    pub fn id(self) -> FileId {
        self.id
    }

    /// Its item.
    pub fn item(self) -> ItemId {
        self.item
    }

    /// Who asked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }

    /// The file, if it is there and visible still.
    pub fn again(self, connection: &Connection) -> StoreResult<Option<Self>> {
        Visible::of(self.viewer).file(connection, self.id)
    }
}
