//! Lists of a user's favourites among files and people. Those among items are a filter of their lists.

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId, PersonId};
use crate::paging::{Page, Window};
use crate::time::Timestamp;

/// A file among the favourites of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FavouriteFile {
    /// Id of the file.
    pub file_id: FileId,
    /// Id of the item that contains the file.
    pub item_id: ItemId,
    /// Kind of the item.
    #[schema(format = "kind")]
    pub kind: String,
    /// Title of the part, otherwise of the item.
    pub title: String,
    /// Title of the item.
    pub item_title: String,
    /// `true` if the last scan did not find the file.
    pub missing: bool,
    /// Time at which the file became a favourite.
    pub created_at: Timestamp,
}

/// Returns a page of the visible files among the user's favourites, the newest first.
pub fn files(
    conn: &Connection,
    visible: Visible,
    window: Window,
) -> StoreResult<Page<FavouriteFile>> {
    let viewer = visible.user();
    let total = conn
        .prepare_cached(
            "SELECT count(*)
               FROM file_favourite AS own INDEXED BY file_favourite_by_time
              CROSS JOIN file ON file.id = own.file_id
              CROSS JOIN item ON item.id = file.item_id
              CROSS JOIN library_grant AS g
                 ON g.user_id = :viewer AND g.library_id = item.library_id
              WHERE own.user_id = :viewer",
        )?
        .query_row(named_params! { ":viewer": viewer }, |row| row.get(0))?;
    let mut statement = conn.prepare_cached(
        "SELECT file.id, item.id, item.kind, ifnull(file.title, item.title), item.title,
                file.missing, own.created_at
           FROM file_favourite AS own INDEXED BY file_favourite_by_time
          CROSS JOIN file ON file.id = own.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE own.user_id = :viewer
          ORDER BY own.created_at DESC, own.file_id DESC
          LIMIT :limit OFFSET :offset",
    )?;
    let rows = statement.query_map(
        named_params! { ":viewer": viewer, ":limit": window.limit, ":offset": window.offset },
        |row| {
            Ok(FavouriteFile {
                file_id: row.get(0)?,
                item_id: row.get(1)?,
                kind: row.get(2)?,
                title: row.get(3)?,
                item_title: row.get(4)?,
                missing: row.get(5)?,
                created_at: row.get(6)?,
            })
        },
    )?;
    Ok(Page::new(rows.collect::<Result<_, _>>()?, total, window))
}

/// A person among the favourites of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FavouritePerson {
    /// Id of the person.
    pub id: PersonId,
    /// Name of the person.
    pub name: String,
    /// Time at which the person became a favourite.
    pub created_at: Timestamp,
}

/// Returns a page of the people with visible items among the user's favourites, the newest first.
pub fn people(
    conn: &Connection,
    visible: Visible,
    window: Window,
) -> StoreResult<Page<FavouritePerson>> {
    let viewer = visible.user();
    let total = conn
        .prepare_cached(
            "SELECT count(*)
               FROM person_favourite AS own INDEXED BY person_favourite_by_time
              WHERE own.user_id = :viewer
                AND EXISTS (SELECT 1
                              FROM person_count AS c
                              JOIN library_grant AS g
                                ON g.user_id = :viewer AND g.library_id = c.library_id
                             WHERE c.person_id = own.person_id)",
        )?
        .query_row(named_params! { ":viewer": viewer }, |row| row.get(0))?;
    let mut statement = conn.prepare_cached(
        "SELECT person.id, person.name, own.created_at
           FROM person_favourite AS own INDEXED BY person_favourite_by_time
          CROSS JOIN person ON person.id = own.person_id
          WHERE own.user_id = :viewer
            AND EXISTS (SELECT 1
                          FROM person_count AS c
                          JOIN library_grant AS g
                            ON g.user_id = :viewer AND g.library_id = c.library_id
                         WHERE c.person_id = own.person_id)
          ORDER BY own.created_at DESC, own.person_id DESC
          LIMIT :limit OFFSET :offset",
    )?;
    let rows = statement.query_map(
        named_params! { ":viewer": viewer, ":limit": window.limit, ":offset": window.offset },
        |row| {
            Ok(FavouritePerson {
                id: row.get(0)?,
                name: row.get(1)?,
                created_at: row.get(2)?,
            })
        },
    )?;
    Ok(Page::new(rows.collect::<Result<_, _>>()?, total, window))
}

/// Returns the present visible files of these kinds among the user's favourites, the newest first.
pub fn file_ids(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
    kinds: &[&'static str],
    limit: u32,
) -> StoreResult<Vec<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT own.file_id
           FROM file_favourite AS own INDEXED BY file_favourite_by_time
          CROSS JOIN file ON file.id = own.file_id
          CROSS JOIN item ON item.id = file.item_id
          CROSS JOIN library_grant AS g
             ON g.user_id = :viewer AND g.library_id = item.library_id
          WHERE own.user_id = :viewer AND file.missing = 0
            AND item.library_id = ifnull(:library, item.library_id)
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY own.created_at DESC, own.file_id DESC
          LIMIT :limit",
    )?;
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let viewer = visible.user();
    let rows = statement.query_map(
        named_params! {
            ":viewer": viewer,
            ":library": library,
            ":kinds": kinds,
            ":limit": limit,
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the people with visible items among the user's favourites, the newest first.
pub fn person_ids(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
    limit: u32,
) -> StoreResult<Vec<PersonId>> {
    let mut statement = conn.prepare_cached(
        "SELECT own.person_id
           FROM person_favourite AS own INDEXED BY person_favourite_by_time
          WHERE own.user_id = :viewer
            AND EXISTS (SELECT 1
                          FROM person_count AS c
                          JOIN library_grant AS g
                            ON g.user_id = :viewer AND g.library_id = c.library_id
                         WHERE c.person_id = own.person_id
                           AND c.library_id = ifnull(:library, c.library_id))
          ORDER BY own.created_at DESC, own.person_id DESC
          LIMIT :limit",
    )?;
    let viewer = visible.user();
    let rows = statement.query_map(
        named_params! { ":viewer": viewer, ":library": library, ":limit": limit },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
