//! Genres of recordings.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, named_params};

use super::list;
use super::walk::Scope;
use crate::error::StoreResult;
use crate::id::{FileId, GenreId, ItemId};
use crate::paging::Window;
use crate::text;

/// Number of items whose files are counted. The numbers of further genres are estimates.
const MAX_COUNTED: i64 = 5_000;

/// Genre of visible items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Genre {
    /// Id of the genre.
    pub id: GenreId,
    /// Name.
    pub name: String,
    /// Number of the items.
    pub items: i64,
    /// Number of their present files. It is an estimate in a large library.
    pub parts: i64,
}

const GENRES: &str = "
    SELECT genre.id, genre.name, c.n
      FROM genre_count AS c
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
      JOIN genre ON genre.id = c.genre_id
     WHERE c.kind IN (SELECT value FROM json_each(:kinds)) AND c.n > 0";

/// Returns all genres by name.
pub fn genres(conn: &Connection, scope: Scope<'_>) -> StoreResult<Vec<Genre>> {
    let mut statement = conn.prepare_cached(GENRES)?;
    let viewer = scope.visible.user();
    let kinds = list(scope.kinds);
    let mut rows = statement.query(named_params! { ":viewer": viewer, ":kinds": kinds })?;
    let mut genres: HashMap<GenreId, Genre> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (id, name): (GenreId, String) = (row.get(0)?, row.get(1)?);
        let genre = genres.entry(id).or_insert(Genre {
            id,
            name,
            items: 0,
            parts: 0,
        });
        genre.items += row.get::<_, i64>(2)?;
    }
    let mut genres: Vec<Genre> = genres.into_values().collect();
    count_parts(conn, scope, &mut genres)?;
    genres.sort_by_cached_key(|genre| text::name_sort_key(&genre.name));
    Ok(genres)
}

/// Counts the files of the smallest genres, and estimates the others.
fn count_parts(conn: &Connection, scope: Scope<'_>, genres: &mut [Genre]) -> StoreResult<()> {
    genres.sort_by_key(|genre| genre.items);
    let (mut items, mut parts) = (0, 0);
    for genre in genres {
        if items + genre.items <= MAX_COUNTED {
            genre.parts = parts_of(conn, scope, genre.id)?;
            items += genre.items;
            parts += genre.parts;
        } else {
            genre.parts = genre.items.saturating_mul(parts.max(1)) / items.max(1);
        }
    }
    Ok(())
}

fn parts_of(conn: &Connection, scope: Scope<'_>, genre: GenreId) -> StoreResult<i64> {
    let mut statement = conn.prepare_cached(
        "SELECT count(*)
           FROM item_genre AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           JOIN file ON file.item_id = item.id
          WHERE link.genre_id = :genre AND file.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))",
    )?;
    let count = statement.query_row(
        named_params! {
            ":viewer": scope.visible.user(), ":genre": genre, ":kinds": list(scope.kinds),
        },
        |row| row.get(0),
    )?;
    Ok(count)
}

/// Returns the id of the genre with this name, in any spelling.
pub fn id_of(conn: &Connection, name: &str) -> StoreResult<Option<GenreId>> {
    let mut statement = conn.prepare_cached("SELECT id FROM genre WHERE name_key = :key")?;
    let id = statement.query_row(named_params! { ":key": text::fold(name) }, |row| row.get(0));
    Ok(id.optional()?)
}

/// Returns present files of a genre in the order of their items.
pub fn parts_of_genre(
    conn: &Connection,
    scope: Scope<'_>,
    genre: GenreId,
    window: Window,
) -> StoreResult<Vec<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT file.id
           FROM item_genre AS link
           JOIN item ON item.id = link.item_id
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           JOIN file ON file.item_id = item.id
          WHERE link.genre_id = :genre AND file.missing = 0
            AND (:library IS NULL OR item.library_id = :library)
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY link.item_id, file.sequence, file.id
          LIMIT :limit OFFSET :offset",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": scope.visible.user(),
            ":genre": genre,
            ":library": scope.library,
            ":kinds": list(scope.kinds),
            ":limit": window.limit,
            ":offset": i64::try_from(window.offset).unwrap_or(i64::MAX),
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the present files of these items in their order, without those of invisible items.
pub fn parts_of_items(
    conn: &Connection,
    scope: Scope<'_>,
    items: &[ItemId],
    limit: u32,
) -> StoreResult<Vec<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT file.id
           FROM json_each(:ids) AS wanted
           CROSS JOIN item ON item.id = wanted.value
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           JOIN file ON file.item_id = item.id
          WHERE file.missing = 0
            AND item.kind IN (SELECT value FROM json_each(:kinds))
          ORDER BY wanted.key, file.sequence, file.id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": scope.visible.user(),
            ":ids": list(items),
            ":kinds": list(scope.kinds),
            ":limit": limit,
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
