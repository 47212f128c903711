//! A user's own data with the items that the user sees, for the export.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use serde::Serialize;
use serde_json::{Value, json};

use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::ItemId;
use crate::path;

/// Item as an export identifies it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportedItem {
    /// Name of the library.
    pub library: String,
    /// Path of the file below the library's root.
    pub path: String,
    /// Title of the item.
    pub title: String,
    /// ISBN of the item; null if it is unknown.
    pub isbn: Value,
    /// Id of the item, for file names.
    #[serde(skip)]
    pub id: i64,
}

/// Rows of one file of the export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Progress in files.
    Progress,
    /// Overwritten and stale progress.
    History,
    /// Favourites.
    Favourites,
    /// Ratings.
    Ratings,
    /// Own tags.
    Tags,
    /// Bookmarks and highlights.
    Annotations,
    /// Favourites, ratings and plays of files.
    Files,
}

impl Section {
    fn sql(self) -> &'static str {
        match self {
            Self::Progress => PROGRESS,
            Self::History => HISTORY,
            Self::Favourites => FAVOURITES,
            Self::Ratings => RATINGS,
            Self::Tags => TAGS,
            Self::Annotations => ANNOTATIONS,
            Self::Files => FILES,
        }
    }
}

const PROGRESS: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('position', place.position, 'extent', file.extent,
                       'finished', json(iif(place.finished, 'true', 'false')),
                       'locator', place.locator, 'within', place.within,
                       'updated_at', place.updated_at)
      FROM progress AS place
     CROSS JOIN file ON file.id = place.file_id
     CROSS JOIN folder ON folder.id = file.folder_id
     CROSS JOIN item ON item.id = file.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
     WHERE place.user_id = :viewer
     ORDER BY place.file_id";

const HISTORY: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('position', place.position, 'extent', file.extent,
                       'finished', json(iif(place.finished, 'true', 'false')),
                       'locator', place.locator, 'within', place.within,
                       'updated_at', place.updated_at, 'replaced_at', place.replaced_at,
                       'stale', json(iif(place.is_stale, 'true', 'false')))
      FROM progress_history AS place
     CROSS JOIN file ON file.id = place.file_id
     CROSS JOIN folder ON folder.id = file.folder_id
     CROSS JOIN item ON item.id = file.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
     WHERE place.user_id = :viewer
     ORDER BY place.item_id, place.is_stale, place.id";

const FAVOURITES: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('created_at', own.created_at)
      FROM favourite AS own
     CROSS JOIN item ON item.id = own.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file ON file.id = (SELECT first.id
                                     FROM file AS first
                                    WHERE first.item_id = item.id
                                    ORDER BY first.sequence, first.id
                                    LIMIT 1)
      LEFT JOIN folder ON folder.id = file.folder_id
     WHERE own.user_id = :viewer
     ORDER BY own.item_id";

const RATINGS: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('rating', own.rating, 'rated_at', own.rated_at)
      FROM rating AS own
     CROSS JOIN item ON item.id = own.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file ON file.id = (SELECT first.id
                                     FROM file AS first
                                    WHERE first.item_id = item.id
                                    ORDER BY first.sequence, first.id
                                    LIMIT 1)
      LEFT JOIN folder ON folder.id = file.folder_id
     WHERE own.user_id = :viewer
     ORDER BY own.item_id";

const TAGS: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('name', tag.name)
      FROM tag
     CROSS JOIN item_tag AS link ON link.tag_id = tag.id
     CROSS JOIN item ON item.id = link.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file ON file.id = (SELECT first.id
                                     FROM file AS first
                                    WHERE first.item_id = item.id
                                    ORDER BY first.sequence, first.id
                                    LIMIT 1)
      LEFT JOIN folder ON folder.id = file.folder_id
     WHERE tag.user_id = :viewer
     ORDER BY tag.id, link.item_id";

const ANNOTATIONS: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('type', own.type, 'position', own.position, 'locator', own.locator,
                       'text', own.text, 'note', own.note, 'color', own.color,
                       'created_at', own.created_at)
      FROM annotation AS own INDEXED BY annotation_by_item
     CROSS JOIN file ON file.id = own.file_id
     CROSS JOIN folder ON folder.id = file.folder_id
     CROSS JOIN item ON item.id = own.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
     WHERE own.user_id = :viewer
     ORDER BY own.item_id, own.id";

const FILES: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id,
           json_object('favourite_at', star.created_at, 'rating', own.rating,
                       'rated_at', own.rated_at, 'plays', ifnull(total.n, 0),
                       'played_at', json((SELECT json_group_array(play.played_at)
                                            FROM file_play AS play
                                           WHERE play.user_id = :viewer
                                             AND play.file_id = wanted.file_id)))
      FROM (SELECT file_id FROM file_favourite WHERE user_id = :viewer
             UNION SELECT file_id FROM file_rating WHERE user_id = :viewer
             UNION SELECT file_id FROM file_play_total WHERE user_id = :viewer) AS wanted
     CROSS JOIN file ON file.id = wanted.file_id
     CROSS JOIN folder ON folder.id = file.folder_id
     CROSS JOIN item ON item.id = file.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file_favourite AS star
        ON star.user_id = :viewer AND star.file_id = wanted.file_id
      LEFT JOIN file_rating AS own ON own.user_id = :viewer AND own.file_id = wanted.file_id
      LEFT JOIN file_play_total AS total
        ON total.user_id = :viewer AND total.file_id = wanted.file_id";

const PEOPLE: &str = "
    SELECT json_object('name', person.name, 'favourite_at', star.created_at,
                       'rating', own.rating, 'rated_at', own.rated_at)
      FROM (SELECT person_id FROM person_favourite WHERE user_id = :viewer
             UNION SELECT person_id FROM person_rating WHERE user_id = :viewer) AS wanted
     CROSS JOIN person ON person.id = wanted.person_id
      LEFT JOIN person_favourite AS star
        ON star.user_id = :viewer AND star.person_id = wanted.person_id
      LEFT JOIN person_rating AS own
        ON own.user_id = :viewer AND own.person_id = wanted.person_id
     WHERE EXISTS (SELECT 1
                     FROM person_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.person_id = wanted.person_id)";

/// Calls `visit` with each visible person that is a favourite or has a rating.
pub fn each_person<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    mut visit: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(PEOPLE).map_err(store)?;
    let mut rows = statement
        .query(named_params! { ":viewer": visible.user() })
        .map_err(store)?;
    while let Some(row) = rows.next().map_err(store)? {
        let text: String = row.get(0).map_err(store)?;
        visit(serde_json::from_str(&text).unwrap_or_default())?;
    }
    Ok(())
}

/// Calls `visit` with each item and its row.
pub fn each<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    section: Section,
    mut visit: impl FnMut(ExportedItem, Value) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare(section.sql()).map_err(store)?;
    let mut rows = statement
        .query(named_params! { ":viewer": visible.user() })
        .map_err(store)?;
    while let Some(row) = rows.next().map_err(store)? {
        let (item, value) = read(row).map_err(store)?;
        visit(item, value)?;
    }
    Ok(())
}

const ITEM: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id
      FROM item
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file ON file.id = (SELECT first.id
                                     FROM file AS first
                                    WHERE first.item_id = item.id
                                    ORDER BY first.sequence, first.id
                                    LIMIT 1)
      LEFT JOIN folder ON folder.id = file.folder_id
     WHERE item.id = :item";

/// Returns an item, or `None` if it is not visible.
pub fn item_of(
    conn: &Connection,
    visible: Visible,
    id: ItemId,
) -> StoreResult<Option<ExportedItem>> {
    let mut statement = conn.prepare_cached(ITEM)?;
    let found = statement.query_row(
        named_params! { ":viewer": visible.user(), ":item": id },
        item,
    );
    Ok(found.optional()?)
}

fn store<E: From<StoreError>>(error: rusqlite::Error) -> E {
    StoreError::from(error).into()
}

fn read(row: &Row<'_>) -> rusqlite::Result<(ExportedItem, Value)> {
    let value: String = row.get(6)?;
    Ok((item(row)?, serde_json::from_str(&value).unwrap_or_default()))
}

/// Reads the columns of an item.
fn item(row: &Row<'_>) -> rusqlite::Result<ExportedItem> {
    let folder: Option<Vec<u8>> = row.get(1)?;
    let name: Option<Vec<u8>> = row.get(2)?;
    let isbn: Option<String> = row.get(4)?;
    let file = path::join(
        &folder.unwrap_or_default(),
        path::original(&name.unwrap_or_default()),
    );
    Ok(ExportedItem {
        library: row.get(0)?,
        path: path::display(&file),
        title: row.get(3)?,
        isbn: isbn
            .and_then(|isbn| serde_json::from_str(&isbn).ok())
            .unwrap_or_default(),
        id: row.get(5)?,
    })
}

const PLAYLISTS: &str = "
    SELECT id, json_object('name', name, 'description', description,
                           'public', json(iif(is_public, 'true', 'false')),
                           'created_at', created_at, 'updated_at', updated_at)
      FROM playlist
     WHERE user_id = :viewer
     ORDER BY id";

const ENTRIES: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id
      FROM playlist_entry AS entry INDEXED BY playlist_entry_by_position
     CROSS JOIN file ON file.id = entry.file_id
     CROSS JOIN folder ON folder.id = file.folder_id
     CROSS JOIN item ON item.id = file.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
     WHERE entry.list_id = :list
     ORDER BY entry.position, entry.id";

const COLLECTIONS: &str = "
    SELECT id, json_object('name', name, 'description', description,
                           'kind', iif(rule IS NULL, 'manual', 'smart'), 'rule', json(rule),
                           'public', json(iif(is_public, 'true', 'false')),
                           'created_at', created_at, 'updated_at', updated_at)
      FROM collection
     WHERE user_id = :viewer
     ORDER BY id";

const MEMBERS: &str = "
    SELECT library.name, folder.path, file.name, item.title, item.facts -> '$.isbn', item.id
      FROM collection_item AS entry INDEXED BY collection_item_by_position
     CROSS JOIN item ON item.id = entry.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     CROSS JOIN library ON library.id = item.library_id
      LEFT JOIN file ON file.id = (SELECT first.id
                                     FROM file AS first
                                    WHERE first.item_id = item.id
                                    ORDER BY first.sequence, first.id
                                    LIMIT 1)
      LEFT JOIN folder ON folder.id = file.folder_id
     WHERE entry.list_id = :list
     ORDER BY entry.position, entry.item_id";

/// Calls `visit` with each playlist of the user and its visible entries.
pub fn each_playlist<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    visit: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    each_list(conn, visible, (PLAYLISTS, ENTRIES, "entries"), visit)
}

/// Calls `visit` with each collection of the user and its visible items.
pub fn each_collection<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    visit: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    each_list(conn, visible, (COLLECTIONS, MEMBERS, "items"), visit)
}

fn each_list<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    (lists, entries, key): (&str, &str, &str),
    mut visit: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let viewer = visible.user();
    let mut statement = conn.prepare(lists).map_err(store)?;
    let mut members = conn.prepare(entries).map_err(store)?;
    let mut rows = statement
        .query(named_params! { ":viewer": viewer })
        .map_err(store)?;
    while let Some(row) = rows.next().map_err(store)? {
        let (id, text): (i64, String) = (row.get(0).map_err(store)?, row.get(1).map_err(store)?);
        let mut list: Value = serde_json::from_str(&text).unwrap_or_default();
        let items = members
            .query_map(named_params! { ":list": id, ":viewer": viewer }, item)
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(store)?;
        if let Some(list) = list.as_object_mut() {
            list.insert(key.to_owned(), json!(items));
        }
        visit(list)?;
    }
    Ok(())
}

const SAVES: &str = "
    SELECT item.title, item.id, save.slot, save.body
      FROM game_save AS save
     CROSS JOIN item ON item.id = save.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     WHERE save.user_id = :viewer
     ORDER BY save.item_id, save.slot";

const VERSIONS: &str = "
    SELECT item.title, item.id, save.slot || '.' || save.n, save.body
      FROM game_save_version AS save
     CROSS JOIN item ON item.id = save.item_id
     CROSS JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     WHERE save.user_id = :viewer
     ORDER BY save.item_id, save.slot, save.n";

/// Calls `visit` with each saved state of a player: title and id of the item, name, content. Earlier
/// versions have a number after the name.
pub fn each_save<E: From<StoreError>>(
    conn: &Connection,
    visible: Visible,
    mut visit: impl FnMut((&str, i64), &str, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    for sql in [SAVES, VERSIONS] {
        let mut statement = conn.prepare(sql).map_err(store)?;
        let mut rows = statement
            .query(named_params! { ":viewer": visible.user() })
            .map_err(store)?;
        while let Some(row) = rows.next().map_err(store)? {
            let (title, id): (String, i64) =
                (row.get(0).map_err(store)?, row.get(1).map_err(store)?);
            let name: String = row.get(2).map_err(store)?;
            let body = row.get_ref(3).map_err(store)?.as_blob();
            let body = body.map_err(|error| store(error.into()))?;
            visit((&title, id), &name, body)?;
        }
    }
    Ok(())
}

/// Returns the settings of the user.
pub fn settings(conn: &Connection, visible: Visible) -> StoreResult<Value> {
    let mut statement = conn.prepare_cached(
        "SELECT json_object('username', username, 'role', role, 'created_at', created_at,
                            'statistics', json(iif(ifnull(statistics, 1), 'true', 'false')))
           FROM user
           LEFT JOIN user_setting ON user_setting.user_id = user.id
          WHERE user.id = :viewer",
    )?;
    let text: String = statement.query_row(named_params! { ":viewer": visible.user() }, |row| {
        row.get(0)
    })?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
