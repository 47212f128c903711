//! Navidrome: `navidrome.db`.
//!
//! Tables and columns: navidrome `db/migrations`. The source stores no progress. Bookmarks have
//! milliseconds, scrobbles have seconds.

use ledge_core::transfer::import::rows::{
    Part, Position, RowType, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};

inventory::submit! {
    ImportSource {
        id: "navidrome",
        label: "Navidrome",
        input: "navidrome.db",
        is_folder: false,
        library: None,
        refused: &[],
        versions: Some(("20241026183640", "20260819204637")),
        tables: &[
            ("goose_db_version", &["version_id"]),
            ("user", &["id", "user_name"]),
            ("library", &["id", "path"]),
            ("media_file", &["id", "path", "size", "library_id"]),
            (
                "annotation",
                &["user_id", "item_id", "item_type", "play_count", "play_date", "rating", "starred",
                  "starred_at"],
            ),
            ("bookmark", &["user_id", "item_id", "position", "comment", "updated_at"]),
            ("playlist", &["id", "name", "comment", "owner_id", "public", "rules"]),
            ("playlist_tracks", &["id", "playlist_id", "media_file_id"]),
        ],
        version,
        users,
        read,
    }
}

/// Limit of the files that identify an album.
const MAX_TRACKS: usize = 2_000;

fn version(data: &SourceData) -> ImportResult<Option<String>> {
    let is_applied = data.column("g", "goose_db_version", "is_applied")?;
    let sql =
        format!("SELECT max(version_id) FROM goose_db_version AS g WHERE ifnull({is_applied}, 1)");
    Ok(data
        .all(&sql, [], |row| row.text(0))?
        .into_iter()
        .next()
        .flatten())
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    let admin = data.column("u", "user", "is_admin")?;
    let sql = format!("SELECT u.id, u.user_name, {admin} FROM user AS u");
    data.all(&sql, [], |row| SourceUser {
        id: row.text_or_empty(0),
        name: row.text_or_empty(1),
        aliases: Vec::new(),
        is_admin: row.flag(2),
        is_nameless: false,
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    tracks(data, rows)?;
    if data.has("media_file", "album_id")? {
        albums(data, rows)?;
    }
    bookmarks(data, rows)?;
    playlists(data, rows)?;
    if data.has("scrobbles", "submission_time")? {
        scrobbles(data, rows)?;
    }
    Ok(())
}

/// Returns the file of the columns `library.path`, `media_file.path` and `media_file.size`.
fn file(row: &Columns<'_, '_>, first: usize) -> SourceFile {
    let (root, path) = (row.text_or_empty(first), row.text_or_empty(first + 1));
    let path = if path.starts_with('/') {
        path
    } else {
        format!("{}/{path}", root.trim_end_matches('/'))
    };
    SourceFile {
        path,
        size: row.int(first + 2),
    }
}

fn tracks(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let title = data.column("f", "media_file", "title")?;
    let sql = format!(
        "SELECT a.user_id, l.path, f.path, f.size, {title}, a.starred, a.starred_at, a.rating,
               a.play_count, a.play_date
          FROM annotation AS a
          LEFT JOIN media_file AS f ON f.id = a.item_id
          LEFT JOIN library AS l ON l.id = f.library_id
         WHERE a.item_type = 'media_file'"
    );
    data.each(&sql, [], |row| {
        let target = Target {
            title: row.text_or_empty(4),
            files: vec![file(row, 1)],
            scope: Scope::File,
        };
        annotation(rows, row, (&target, 5))
    })
}

fn albums(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let (name, join) = if data.has("album", "name")? {
        ("b.name", "LEFT JOIN album AS b ON b.id = a.item_id")
    } else {
        ("NULL", "")
    };
    let sql = format!(
        "SELECT a.user_id, a.item_id, {name}, a.starred, a.starred_at, a.rating, a.play_count,
               a.play_date
          FROM annotation AS a
          {join}
         WHERE a.item_type = 'album'"
    );
    let files = format!(
        "SELECT l.path, f.path, f.size
           FROM media_file AS f
           LEFT JOIN library AS l ON l.id = f.library_id
          WHERE f.album_id = ?1
          LIMIT {MAX_TRACKS}"
    );
    data.each(&sql, [], |row| {
        let target = Target {
            title: row.text_or_empty(2),
            files: data.all(&files, [row.text_or_empty(1)], |row| file(row, 0))?,
            scope: Scope::Whole,
        };
        annotation(rows, row, (&target, 3))
    })
}

/// Sends the values of an annotation: `starred`, `starred_at`, `rating`, `play_count`, `play_date`.
/// The plays of a track count for its item, which may have several tracks.
fn annotation(
    rows: &mut dyn Rows,
    row: &Columns<'_, '_>,
    (target, first): (&Target, usize),
) -> ImportResult<()> {
    let user = row.text_or_empty(0);
    if row.flag(first) {
        rows.favourite(&user, target, row.time(first + 1))?;
    }
    let stars = row.int(first + 2).filter(|stars| (1..=5).contains(stars));
    if let Some(rating) = stars.and_then(|stars| u8::try_from(stars * 2).ok()) {
        rows.rating(&user, target, f64::from(rating), None)?;
    }
    if let Some(plays) = row.int(first + 3).filter(|plays| *plays > 0) {
        let scope = match target.scope {
            Scope::File => Scope::Item,
            scope => scope,
        };
        let target = Target {
            scope,
            ..target.clone()
        };
        rows.plays(&user, &target, plays, row.time(first + 4))?;
    }
    Ok(())
}

fn bookmarks(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "
        SELECT b.user_id, l.path, f.path, f.size, b.position, b.comment, b.updated_at
          FROM bookmark AS b
          LEFT JOIN media_file AS f ON f.id = b.item_id
          LEFT JOIN library AS l ON l.id = f.library_id";
    data.each(sql, [], |row| {
        let part = Part {
            file: file(row, 1),
            position: Position::Seconds(row.real(4).unwrap_or(0.0) / 1e3),
            finished: false,
        };
        rows.bookmark(&row.text_or_empty(0), &part, row.text(5), row.time(6))
    })
}

fn playlists(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT id, owner_id, name, comment, public, rules FROM playlist ORDER BY name, id";
    data.each(sql, [], |row| {
        let (id, user, name) = (
            row.text_or_empty(0),
            row.text_or_empty(1),
            row.text_or_empty(2),
        );
        let is_smart = row.text(5).is_some_and(|rules| !rules.trim().is_empty())
            || row.blob(5).is_some_and(|rules| !rules.is_empty());
        if is_smart {
            return rows.unsupported(&user, RowType::Playlist, &name);
        }
        let list = SourceList {
            key: id.clone(),
            name,
            description: row.text(3),
            public: row.flag(4),
            is_playlist: true,
        };
        rows.list(&user, list)?;
        entries(data, rows, &id)
    })
}

fn entries(data: &SourceData, rows: &mut dyn Rows, playlist: &str) -> ImportResult<()> {
    let title = data.column("f", "media_file", "title")?;
    let sql = format!(
        "SELECT l.path, f.path, f.size, {title}
          FROM playlist_tracks AS t
          LEFT JOIN media_file AS f ON f.id = t.media_file_id
          LEFT JOIN library AS l ON l.id = f.library_id
         WHERE t.playlist_id = ?1
         ORDER BY t.id"
    );
    data.each(&sql, [playlist], |row| {
        rows.entry(&Target {
            title: row.text_or_empty(3),
            files: vec![file(row, 0)],
            scope: Scope::Item,
        })
    })
}

fn scrobbles(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let title = data.column("f", "media_file", "title")?;
    let sql = format!(
        "SELECT s.user_id, l.path, f.path, f.size, {title}, s.submission_time
          FROM scrobbles AS s
          LEFT JOIN media_file AS f ON f.id = s.media_file_id
          LEFT JOIN library AS l ON l.id = f.library_id"
    );
    data.each(&sql, [], |row| {
        let target = Target {
            title: row.text_or_empty(4),
            files: vec![file(row, 1)],
            scope: Scope::Item,
        };
        rows.session(&row.text_or_empty(0), &target, row.time(5), 0.0)
    })
}
