//! Grant check: the libraries, items and files that a user may see.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId, LibraryId, PersonId, SeriesId, UserId};

/// Set of libraries that a user may see. [`Visible::of`] is the only constructor. An empty set is a
/// valid set: every query over it returns nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible {
    user: UserId,
}

impl Visible {
    /// Returns the set of `user`. Each query evaluates the grants again, so a revoked grant takes
    /// effect at once.
    pub fn of(user: UserId) -> Self {
        Self { user }
    }

    /// Returns the user, as the key of progress, favourites and views.
    pub fn user(self) -> UserId {
        self.user
    }

    /// Returns the ids of the visible libraries in ascending order.
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

    /// Returns the library with this id, or `None` if it is absent or not granted.
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

    /// Returns the item with this id, or `None` if it is absent or in a library that is not
    /// granted.
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

    /// Checks that all items of a request are visible.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` on `ids` for the first item that is absent or not granted.
    pub fn check_items(self, connection: &Connection, ids: &[ItemId]) -> StoreResult<()> {
        for id in ids {
            if self.item(connection, *id)?.is_none() {
                return Err(StoreError::Invalid {
                    field: "ids",
                    message: format!("There is no item {id}."),
                });
            }
        }
        Ok(())
    }

    /// Returns the series with this id, or `None` if it is absent or has no visible item.
    pub fn series(
        self,
        connection: &Connection,
        id: SeriesId,
    ) -> StoreResult<Option<VisibleSeries>> {
        let mut statement = connection.prepare_cached(
            "SELECT c.series_id
               FROM series_count AS c
               JOIN library_grant AS g ON g.library_id = c.library_id
              WHERE c.series_id = :series AND g.user_id = :viewer
              LIMIT 1",
        )?;
        let series = statement
            .query_row(
                named_params! { ":viewer": self.user, ":series": id },
                |row| {
                    Ok(VisibleSeries {
                        id: row.get(0)?,
                        viewer: self.user,
                    })
                },
            )
            .optional()?;
        Ok(series)
    }

    /// Returns the person with this id, or `None` if the person is absent or has no visible item.
    pub fn person(
        self,
        connection: &Connection,
        id: PersonId,
    ) -> StoreResult<Option<VisiblePerson>> {
        let mut statement = connection.prepare_cached(
            "SELECT c.person_id
               FROM person_count AS c
               JOIN library_grant AS g ON g.library_id = c.library_id
              WHERE c.person_id = :person AND g.user_id = :viewer
              LIMIT 1",
        )?;
        let person = statement
            .query_row(
                named_params! { ":viewer": self.user, ":person": id },
                |row| {
                    Ok(VisiblePerson {
                        id: row.get(0)?,
                        viewer: self.user,
                    })
                },
            )
            .optional()?;
        Ok(person)
    }

    /// Returns the file with this id, or `None` if it is absent or in a library that is not
    /// granted.
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

/// A library whose grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleLibrary {
    id: LibraryId,
}

impl VisibleLibrary {
    /// Returns the id of the library.
    pub fn id(self) -> LibraryId {
        self.id
    }
}

/// An item whose grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleItem {
    id: ItemId,
    library: LibraryId,
    viewer: UserId,
}

impl VisibleItem {
    /// Returns the id of the item.
    pub fn id(self) -> ItemId {
        self.id
    }

    /// Returns the id of the item's library.
    pub fn library(self) -> LibraryId {
        self.library
    }

    /// Returns the user whose grant was checked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }

    /// Repeats the check within the caller's transaction. A writer calls this before it changes
    /// data of the item, which may have been deleted or revoked in the meantime.
    pub fn again(self, connection: &Connection) -> StoreResult<Option<Self>> {
        Visible::of(self.viewer).item(connection, self.id)
    }
}

/// A series with an item whose grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleSeries {
    id: SeriesId,
    viewer: UserId,
}

impl VisibleSeries {
    /// Returns the id of the series.
    pub fn id(self) -> SeriesId {
        self.id
    }

    /// Returns the user whose grant was checked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }
}

/// A person with an item whose grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisiblePerson {
    id: PersonId,
    viewer: UserId,
}

impl VisiblePerson {
    /// Returns the id of the person.
    pub fn id(self) -> PersonId {
        self.id
    }

    /// Returns the user whose grant was checked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }

    /// Repeats the check within the caller's transaction, as [`VisibleItem::again`] does.
    pub fn again(self, connection: &Connection) -> StoreResult<Option<Self>> {
        Visible::of(self.viewer).person(connection, self.id)
    }
}

/// A file whose grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleFile {
    id: FileId,
    item: ItemId,
    viewer: UserId,
}

impl VisibleFile {
    /// Returns the id of the file.
    pub fn id(self) -> FileId {
        self.id
    }

    /// Returns the id of the item that contains the file.
    pub fn item(self) -> ItemId {
        self.item
    }

    /// Returns the user whose grant was checked.
    pub fn viewer(self) -> UserId {
        self.viewer
    }

    /// Repeats the check within the caller's transaction, as [`VisibleItem::again`] does.
    pub fn again(self, connection: &Connection) -> StoreResult<Option<Self>> {
        Visible::of(self.viewer).file(connection, self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Creates a thousand items with one file each, in a library that is not granted to the second
    /// user.
    fn shelf() -> Connection {
        let mut connection = Connection::open_in_memory().expect("a database");
        crate::db::migrate::migrate(&mut connection).expect("a schema");
        let sql = "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                   VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'user', '');
                   INSERT INTO library (id, name, name_key, path, created_at)
                   VALUES (1, 'a', 'a', x'61', ''), (2, 'b', 'b', x'62', '');
                   INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (2, 2);
                   INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');
                   WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                   INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                                     added_at)
                   SELECT i, 1, 'k', i, 't', 't', 'T', '' FROM n;
                   INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
                   SELECT id, id, 1, CAST(id AS BLOB), 1, 1, '' FROM item;";
        connection.execute_batch(sql).expect("rows");
        connection
    }

    /// Counts the steps of SQLite's virtual machine until `look` has found nothing.
    fn steps(connection: &mut Connection, look: impl Fn(&Connection) -> bool) -> u32 {
        // The first call compiles the statement, which is not counted.
        assert!(!look(connection), "nothing is to be seen");
        let steps = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&steps);
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection
            .progress_handler(1, Some(count))
            .expect("a counter");
        assert!(!look(connection), "nothing is to be seen");
        connection
            .progress_handler(0, None::<fn() -> bool>)
            .expect("no counter");
        steps.load(Ordering::Relaxed)
    }

    #[test]
    fn lookup_of_forbidden_rows_takes_the_steps_of_absent_rows() {
        // Allowance for one look-up in the index of grants, which only existing rows need.
        const A_LOOK: u32 = 8;
        let mut connection = shelf();
        let stranger = Visible::of(UserId(2));
        let mut pair = |look: &dyn Fn(&Connection, i64) -> bool| {
            [500, 5_000].map(|id| steps(&mut connection, |connection| look(connection, id)))
        };
        let libraries = [1, 9].map(|id| {
            let look = |connection: &Connection| {
                let found = stranger.library(connection, LibraryId(id));
                found.expect("an answer").is_some()
            };
            steps(&mut shelf(), look)
        });
        assert_eq!(libraries[0], libraries[1], "of libraries");
        let items = pair(&|connection, id| {
            let found = stranger.item(connection, ItemId(id));
            found.expect("an answer").is_some()
        });
        let files = pair(&|connection, id| {
            let found = stranger.file(connection, FileId(id));
            found.expect("an answer").is_some()
        });
        assert!(items[0].abs_diff(items[1]) <= A_LOOK, "of items: {items:?}");
        assert!(
            files[0].abs_diff(files[1]) <= 2 * A_LOOK,
            "of files: {files:?}"
        );
    }
}
