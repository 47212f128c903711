//! Audiobookshelf: `absdatabase.sqlite`.
//!
//! Tables and columns: audiobookshelf `server/models`. A time counts over all audio files of a book.

use std::cmp::Ordering;

use ledge_core::transfer::import::rows::{
    Part, Position, Progress, RowType, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::source_time;
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};
use serde_json::Value;

use crate::divide::{divide, finished};
use crate::epub;

inventory::submit! {
    ImportSource {
        id: "audiobookshelf",
        label: "Audiobookshelf",
        input: "absdatabase.sqlite",
        is_folder: false,
        library: None,
        refused: &[],
        versions: Some(("2.17.0", "2.36.0")),
        tables: &[
            ("migrationsMeta", &["key", "value"]),
            ("users", &["id", "username", "type", "bookmarks"]),
            ("books", &["id", "audioFiles", "ebookFile"]),
            ("libraryItems", &["id", "mediaId"]),
            (
                "mediaProgresses",
                &["userId", "mediaItemId", "mediaItemType", "currentTime", "isFinished",
                  "finishedAt", "ebookProgress", "ebookLocation", "updatedAt"],
            ),
            ("playlists", &["id", "name", "userId"]),
            ("playlistMediaItems", &["playlistId", "mediaItemId", "mediaItemType", "order"]),
            ("collections", &["id", "name"]),
            ("collectionBooks", &["collectionId", "bookId", "order"]),
        ],
        version,
        users,
        read,
    }
}

/// Returns the columns of a book. Its JSON texts are read up to these sizes.
fn columns(data: &SourceData) -> ImportResult<String> {
    let title = data.column("b", "books", "title")?;
    Ok(format!(
        "{title},
         iif(octet_length(b.audioFiles) <= 8388608, b.audioFiles, NULL),
         iif(octet_length(b.ebookFile) <= 1048576, b.ebookFile, NULL)"
    ))
}

/// Files of a book.
struct Book {
    title: String,
    /// Audio files in order, with their lengths in seconds.
    audio: Vec<(SourceFile, f64)>,
    ebook: Option<SourceFile>,
}

impl Book {
    /// Reads the columns of [`columns`].
    fn of(row: &Columns<'_, '_>, first: usize) -> Self {
        let json = |column| {
            let text: Option<String> = row.text(column);
            text.and_then(|text| serde_json::from_str::<Value>(&text).ok())
        };
        Self {
            title: row.text_or_empty(first),
            audio: json(first + 1).map_or(Vec::new(), |files| audio_files(&files)),
            ebook: json(first + 2).as_ref().and_then(file),
        }
    }

    fn target(&self) -> Target {
        let audio = self.audio.iter().map(|(file, _)| file.clone());
        Target {
            title: self.title.clone(),
            files: audio.chain(self.ebook.clone()).collect(),
            scope: Scope::Item,
        }
    }
}

/// Returns the file of an object with `metadata`.
fn file(value: &Value) -> Option<SourceFile> {
    Some(SourceFile {
        path: value.pointer("/metadata/path")?.as_str()?.to_owned(),
        size: value.pointer("/metadata/size").and_then(Value::as_i64),
    })
}

fn audio_files(files: &Value) -> Vec<(SourceFile, f64)> {
    let mut found: Vec<(f64, SourceFile, f64)> = Vec::new();
    for value in files.as_array().into_iter().flatten() {
        if value.get("exclude").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let Some(file) = file(value) else {
            continue;
        };
        let index = value.get("index").and_then(Value::as_f64).unwrap_or(0.0);
        found.push((
            index,
            file,
            value.get("duration").and_then(Value::as_f64).unwrap_or(0.0),
        ));
    }
    found.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    found
        .into_iter()
        .map(|(_, file, length)| (file, length))
        .collect()
}

fn version(data: &SourceData) -> ImportResult<Option<String>> {
    let sql = "SELECT value FROM migrationsMeta WHERE key = 'version'";
    let version = data.all(sql, [], |row| row.text(0))?;
    let version = version.into_iter().next().flatten();
    Ok(version.map(|version| version.trim_matches('"').trim_start_matches('v').to_owned()))
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    data.all("SELECT id, username, type FROM users", [], |row| {
        SourceUser {
            id: row.text_or_empty(0),
            name: row.text_or_empty(1),
            aliases: Vec::new(),
            is_admin: ["root", "admin"].contains(&row.text_or_empty(2).as_str()),
            is_nameless: false,
        }
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    progress(data, rows)?;
    bookmarks(data, rows)?;
    playlists(data, rows)?;
    collections(data, rows)?;
    if data.has("playbackSessions", "timeListening")? {
        sessions(data, rows)?;
    }
    Ok(())
}

fn progress(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let book = columns(data)?;
    let sql = format!(
        "SELECT p.userId, p.mediaItemType, p.currentTime, p.isFinished, p.finishedAt,
                p.ebookProgress, p.ebookLocation, p.updatedAt, {book}
           FROM mediaProgresses AS p
           LEFT JOIN books AS b ON b.id = p.mediaItemId"
    );
    data.each(&sql, [], |row| {
        let user = row.text_or_empty(0);
        let book = Book::of(row, 8);
        if row.text(1).as_deref() != Some("book") {
            return rows.unsupported(&user, RowType::Progress, &book.title);
        }
        let is_finished = row.flag(3);
        let mut parts = if is_finished {
            finished(book.audio.iter().map(|(file, _)| file))
        } else {
            let time = row.real(2).filter(|time| *time > 0.0);
            time.map_or(Vec::new(), |time| {
                divide(&book.audio, time, Position::Seconds)
            })
        };
        if let Some(ebook) = &book.ebook {
            parts.extend(ebook_part(row, ebook, is_finished && book.audio.is_empty()));
        }
        let has_files = !book.audio.is_empty() || book.ebook.is_some();
        if parts.is_empty() && has_files {
            // A position at the beginning.
            return Ok(());
        }
        let finished_at = if is_finished { row.time(4) } else { None };
        rows.progress(
            &user,
            Progress {
                title: book.title,
                at: finished_at.or_else(|| row.time(7)),
                parts,
            },
        )
    })
}

fn ebook_part(row: &Columns<'_, '_>, file: &SourceFile, is_finished: bool) -> Option<Part> {
    let fraction = row.real(5).filter(|fraction| *fraction > 0.0);
    let located = row.text(6).and_then(|cfi| epub::of_cfi(&cfi));
    let position = if is_finished {
        Some(Position::End)
    } else {
        located.or(fraction.map(Position::Fraction))
    };
    position.map(|position| Part {
        file: file.clone(),
        position,
        finished: is_finished || fraction.is_some_and(|fraction| fraction >= 1.0),
    })
}

fn bookmarks(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let book = columns(data)?;
    let sql = "
        SELECT id, iif(octet_length(bookmarks) <= 8388608, bookmarks, NULL)
          FROM users
         WHERE bookmarks IS NOT NULL";
    let of_item = format!(
        "SELECT {book}
           FROM libraryItems AS i
           JOIN books AS b ON b.id = i.mediaId
          WHERE i.id = ?1"
    );
    data.each(sql, [], |row| {
        let user = row.text_or_empty(0);
        let bookmarks = row.text(1);
        let bookmarks = bookmarks.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        for bookmark in bookmarks.iter().filter_map(Value::as_array).flatten() {
            let Some(item) = bookmark.get("libraryItemId").and_then(Value::as_str) else {
                continue;
            };
            let found = data.all(&of_item, [item], |row| Book::of(row, 0))?;
            let audio = found
                .into_iter()
                .next()
                .map_or(Vec::new(), |book| book.audio);
            let time = bookmark.get("time").and_then(Value::as_f64).unwrap_or(0.0);
            let part = divide(&audio, time, Position::Seconds).pop();
            let part = part.unwrap_or_else(|| Part {
                file: SourceFile::default(),
                position: Position::Seconds(time),
                finished: false,
            });
            let title = bookmark
                .get("title")
                .and_then(Value::as_str)
                .map(str::to_owned);
            let at = bookmark.get("createdAt").and_then(Value::as_f64);
            rows.bookmark(&user, &part, title, at.and_then(source_time::from_number))?;
        }
        Ok(())
    })
}

fn playlists(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let book = columns(data)?;
    let description = data.column("p", "playlists", "description")?;
    let sql = format!(
        "SELECT p.id, p.name, {description}, p.userId FROM playlists AS p ORDER BY p.name, p.id"
    );
    let entries = format!(
        "SELECT {book}
           FROM playlistMediaItems AS p
           LEFT JOIN books AS b ON b.id = p.mediaItemId AND p.mediaItemType = 'book'
          WHERE p.playlistId = ?1
          ORDER BY p.\"order\", p.rowid"
    );
    data.each(&sql, [], |row| {
        let list = SourceList {
            key: row.text_or_empty(0),
            name: row.text_or_empty(1),
            description: row.text(2),
            public: false,
            is_playlist: true,
        };
        let key = list.key.clone();
        rows.list(&row.text_or_empty(3), list)?;
        data.each(&entries, [key], |row| {
            let book = Book::of(row, 0);
            if book.audio.is_empty() {
                return rows.entry(&book.target());
            }
            for (file, _) in &book.audio {
                rows.entry(&Target {
                    title: book.title.clone(),
                    files: vec![file.clone()],
                    scope: Scope::Item,
                })?;
            }
            Ok(())
        })
    })
}

/// Sends the collections. They have no owner in the source: they belong to its root user.
fn collections(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let book = columns(data)?;
    let root = data.all("SELECT id FROM users WHERE type = 'root'", [], |row| {
        row.text_or_empty(0)
    })?;
    let root = root.into_iter().next().unwrap_or_default();
    let description = data.column("c", "collections", "description")?;
    let sql =
        format!("SELECT c.id, c.name, {description} FROM collections AS c ORDER BY c.name, c.id");
    let entries = format!(
        "SELECT {book}
           FROM collectionBooks AS c
           LEFT JOIN books AS b ON b.id = c.bookId
          WHERE c.collectionId = ?1
          ORDER BY c.\"order\", c.rowid"
    );
    data.each(&sql, [], |row| {
        let list = SourceList {
            key: row.text_or_empty(0),
            name: row.text_or_empty(1),
            description: row.text(2),
            public: true,
            is_playlist: false,
        };
        let key = list.key.clone();
        rows.list(&root, list)?;
        data.each(&entries, [key], |row| {
            rows.entry(&Book::of(row, 0).target())
        })
    })
}

fn sessions(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let book = columns(data)?;
    let sql = format!(
        "SELECT s.userId, s.createdAt, s.timeListening, {book}
           FROM playbackSessions AS s
           LEFT JOIN books AS b ON b.id = s.mediaItemId"
    );
    data.each(&sql, [], |row| {
        let target = Book::of(row, 3).target();
        let seconds = row.real(2).unwrap_or(0.0);
        rows.session(&row.text_or_empty(0), &target, row.time(1), seconds)
    })
}
