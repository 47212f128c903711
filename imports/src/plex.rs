//! Plex: `com.plexapp.plugins.library.db`.
//!
//! Tables and columns: descriptions by third parties. Columns with Plex's own collation are never
//! compared, because SQLite does not know it.

use ledge_core::time::Timestamp;
use ledge_core::transfer::import::rows::{
    Part, Position, Progress, RowType, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};

inventory::submit! {
    ImportSource {
        id: "plex",
        label: "Plex",
        input: "com.plexapp.plugins.library.db",
        is_folder: false,
        library: None,
        refused: &[],
        versions: None,
        tables: &[
            (
                "metadata_item_settings",
                &["account_id", "guid", "view_offset", "view_count", "last_viewed_at", "rating"],
            ),
            ("metadata_items", &["id", "guid", "metadata_type", "title"]),
            ("media_items", &["id", "metadata_item_id"]),
            ("media_parts", &["media_item_id", "file", "size", "deleted_at"]),
            ("metadata_item_accounts", &["account_id", "metadata_item_id"]),
            ("play_queue_generators", &["playlist_id", "metadata_item_id", "order"]),
            ("accounts", &["id", "name"]),
        ],
        version: |_| Ok(None),
        users,
        read,
    }
}

/// Type of a track in `metadata_items`.
const TRACK: i64 = 10;
/// Limit of the files of one guid.
const MAX_FILES: usize = 1_000;
/// Id of the owner's account.
const OWNER: &str = "1";

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    let sql = "SELECT id, name FROM accounts WHERE id <> 0 ORDER BY id";
    data.all(sql, [], |row| SourceUser {
        id: row.text_or_empty(0),
        name: row.text_or_empty(1),
        aliases: Vec::new(),
        is_admin: row.text(0).as_deref() == Some(OWNER),
        is_nameless: false,
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    settings(data, rows)?;
    playlists(data, rows)?;
    let has_tags = data.has("taggings", "tag_id")? && data.has("tags", "tag_type")?;
    if has_tags {
        collections(data, rows)?;
    }
    if data.has("metadata_item_views", "viewed_at")? && data.has("metadata_item_views", "guid")? {
        views(data, rows)?;
    }
    Ok(())
}

/// Values of a user for a guid, with the files of its items.
struct Setting {
    id: i64,
    user: String,
    offset: f64,
    count: i64,
    at: Option<Timestamp>,
    rating: Option<f64>,
    title: String,
    is_track: bool,
    /// Files, with `true` for the first part of an item.
    files: Vec<(SourceFile, bool)>,
    /// Media item of the last file.
    media: Option<i64>,
}

fn settings(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "
        SELECT s.rowid, s.account_id, s.view_offset, s.view_count, s.last_viewed_at, s.rating,
               m.metadata_type, m.title, i.id, p.file, p.size
          FROM metadata_item_settings AS s
          JOIN metadata_items AS m
            ON m.guid COLLATE BINARY = s.guid AND m.metadata_type IN (1, 4, 10)
          LEFT JOIN media_items AS i ON i.metadata_item_id = m.id
          LEFT JOIN media_parts AS p ON p.media_item_id = i.id AND p.deleted_at IS NULL
         WHERE s.account_id <> 0
         ORDER BY s.rowid, m.id, i.id, p.rowid";
    let mut open: Option<Setting> = None;
    data.each(sql, [], |row| {
        let id = row.int(0).unwrap_or_default();
        if let Some(done) = open.take_if(|setting| setting.id != id) {
            send(rows, done)?;
        }
        let setting = open.get_or_insert_with(|| setting(id, row));
        let media = row.int(8);
        if let Some(path) = row.text(9)
            && setting.files.len() < MAX_FILES
        {
            let file = SourceFile {
                path,
                size: row.int(10),
            };
            setting.files.push((file, setting.media != media));
            setting.media = media;
        }
        Ok(())
    })?;
    open.map_or(Ok(()), |last| send(rows, last))
}

fn setting(id: i64, row: &Columns<'_, '_>) -> Setting {
    Setting {
        id,
        user: row.text_or_empty(1),
        offset: row.real(2).unwrap_or(0.0),
        count: row.int(3).unwrap_or(0),
        at: row.time(4),
        rating: row.real(5),
        title: row.text_or_empty(7),
        is_track: row.int(6) == Some(TRACK),
        files: Vec::new(),
        media: None,
    }
}

fn send(rows: &mut dyn Rows, setting: Setting) -> ImportResult<()> {
    let is_finished = setting.count > 0 && !setting.is_track;
    let is_started = setting.offset > 0.0;
    let user = setting.user.as_str();
    if is_finished || is_started {
        let parts = parts(&setting, is_finished);
        let progress = Progress {
            title: setting.title.clone(),
            at: setting.at,
            parts,
        };
        rows.progress(user, progress)?;
    }
    let target = Target {
        title: setting.title,
        files: setting.files.into_iter().map(|(file, _)| file).collect(),
        scope: Scope::File,
    };
    if let Some(rating) = setting.rating.filter(|rating| *rating > 0.0) {
        rows.rating(user, &target, rating, setting.at)?;
    }
    let target = Target {
        scope: Scope::Item,
        ..target
    };
    rows.plays(user, &target, setting.count, setting.at)
}

/// Returns the parts. A position is in the first file of each media item.
fn parts(setting: &Setting, is_finished: bool) -> Vec<Part> {
    let files = setting.files.iter();
    let parts = files.filter(|(_, is_first)| is_finished || *is_first);
    let part = |(file, _): &(SourceFile, bool)| Part {
        file: file.clone(),
        position: if is_finished {
            Position::End
        } else {
            Position::Seconds(setting.offset / 1e3)
        },
        finished: is_finished,
    };
    parts.map(part).collect()
}

/// Statement of the first file of an item, or of an item below it.
fn first_file(data: &SourceData) -> ImportResult<String> {
    let below = if data.has("metadata_items", "parent_id")? {
        "UNION ALL
         SELECT id FROM metadata_items WHERE parent_id = ?1
         UNION ALL
         SELECT below.id
           FROM metadata_items AS above
           JOIN metadata_items AS below ON below.parent_id = above.id
          WHERE above.parent_id = ?1"
    } else {
        ""
    };
    Ok(format!(
        "WITH wanted (id) AS (SELECT ?1 {below})
         SELECT p.file, p.size
           FROM wanted
           JOIN media_items AS i ON i.metadata_item_id = wanted.id
           JOIN media_parts AS p ON p.media_item_id = i.id
          WHERE p.deleted_at IS NULL
          LIMIT 1"
    ))
}

/// Sends an entry: the id of the item and its title.
fn entry(
    data: &SourceData,
    rows: &mut dyn Rows,
    file: &str,
    row: &Columns<'_, '_>,
) -> ImportResult<()> {
    let files = data.all(file, [row.int(0).unwrap_or_default()], |row| SourceFile {
        path: row.text_or_empty(0),
        size: row.int(1),
    })?;
    rows.entry(&Target {
        title: row.text_or_empty(1),
        files,
        scope: Scope::Item,
    })
}

fn playlists(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "
        SELECT m.id, m.title, a.account_id,
               EXISTS (SELECT 1
                         FROM play_queue_generators AS g
                        WHERE g.playlist_id = m.id AND g.metadata_item_id IS NULL)
          FROM metadata_items AS m
          JOIN metadata_item_accounts AS a ON a.metadata_item_id = m.id
         WHERE m.metadata_type = 15
         ORDER BY m.id, a.account_id";
    let entries = "
        SELECT g.metadata_item_id, m.title
          FROM play_queue_generators AS g
          LEFT JOIN metadata_items AS m ON m.id = g.metadata_item_id
         WHERE g.playlist_id = ?1
         ORDER BY g.\"order\", g.rowid";
    let file = first_file(data)?;
    data.each(sql, [], |row| {
        let (user, name) = (row.text_or_empty(2), row.text_or_empty(1));
        if row.flag(3) {
            return rows.unsupported(&user, RowType::Playlist, &name);
        }
        let list = SourceList {
            key: format!("playlist {}", row.text_or_empty(0)),
            name,
            description: None,
            public: false,
            is_playlist: true,
        };
        rows.list(&user, list)?;
        let id = row.int(0).unwrap_or_default();
        data.each(entries, [id], |row| entry(data, rows, &file, row))
    })
}

/// Sends the collections, which belong to the owner's account.
fn collections(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT id, tag FROM tags WHERE tag_type = 2 ORDER BY id";
    let entries = "
        SELECT t.metadata_item_id, m.title
          FROM taggings AS t
          JOIN metadata_items AS m ON m.id = t.metadata_item_id AND m.metadata_type <> 18
         WHERE t.tag_id = ?1
         ORDER BY t.rowid";
    let file = first_file(data)?;
    data.each(sql, [], |row| {
        let list = SourceList {
            key: format!("collection {}", row.text_or_empty(0)),
            name: row.text_or_empty(1),
            description: None,
            public: true,
            is_playlist: false,
        };
        rows.list(OWNER, list)?;
        let id = row.int(0).unwrap_or_default();
        data.each(entries, [id], |row| entry(data, rows, &file, row))
    })
}

/// Sends each view as a session without a length.
fn views(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "
        SELECT account_id, viewed_at, guid
          FROM metadata_item_views
         WHERE account_id <> 0
         ORDER BY rowid";
    let files = "
        SELECT m.title, p.file, p.size
          FROM metadata_items AS m
          JOIN media_items AS i ON i.metadata_item_id = m.id
          JOIN media_parts AS p ON p.media_item_id = i.id AND p.deleted_at IS NULL
         WHERE m.guid COLLATE BINARY = ?1 AND m.metadata_type IN (1, 4, 10)
         ORDER BY m.id, i.id, p.rowid
         LIMIT 10";
    data.each(sql, [], |row| {
        let mut target = Target::default();
        data.each(files, [row.text_or_empty(2)], |row| {
            target.title = row.text_or_empty(0);
            target.files.push(SourceFile {
                path: row.text_or_empty(1),
                size: row.int(2),
            });
            Ok(())
        })?;
        rows.session(&row.text_or_empty(0), &target, row.time(1), 0.0)
    })
}
