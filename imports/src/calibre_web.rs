//! Calibre-Web: `app.db`, with Calibre's `metadata.db` as the second database.
//!
//! Tables and columns: calibre-web `cps/ub.py` and `cps/db.py`. Ratings belong to the library, so
//! they are not imported.

use ledge_core::transfer::import::rows::{
    Part, Position, Progress, RowType, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{ImportResult, ImportSource, SourceData};

use crate::divide::finished;
use crate::epub;

inventory::submit! {
    ImportSource {
        id: "calibre-web",
        label: "Calibre-Web",
        input: "app.db",
        is_folder: false,
        library: Some("metadata.db"),
        refused: &[],
        versions: None,
        tables: &[
            ("user", &["id", "name"]),
            ("settings", &["config_calibre_dir"]),
            ("book_read_link", &["user_id", "book_id", "read_status"]),
            ("bookmark", &["user_id", "book_id", "format", "bookmark_key"]),
            ("shelf", &["id", "name", "is_public", "user_id"]),
            ("book_shelf_link", &["book_id", "order", "shelf"]),
            ("library.books", &["id", "path"]),
            ("library.data", &["book", "format", "name"]),
        ],
        version: |_| Ok(None),
        users,
        read,
    }
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    data.all("SELECT id, name FROM user", [], |row| SourceUser {
        id: row.text_or_empty(0),
        name: row.text_or_empty(1),
        ..SourceUser::default()
    })
}

/// Reader of the books.
struct Library<'a> {
    data: &'a SourceData,
    /// Folder of the books.
    root: String,
}

/// File of a book with its format in upper case.
type BookFile = (String, SourceFile);

impl Library<'_> {
    /// Returns the title and the files of a book.
    fn book(&self, id: &str) -> ImportResult<(String, Vec<BookFile>)> {
        let title = self.data.column("b", "library.books", "title")?;
        let sql = format!(
            "SELECT {title}, b.path, d.name, d.format
              FROM library.books AS b
              LEFT JOIN library.data AS d ON d.book = b.id
             WHERE b.id = CAST(?1 AS INTEGER)
             ORDER BY d.rowid
             LIMIT 100"
        );
        let root = self.root.trim_end_matches(['/', '\\']);
        let mut title = String::new();
        let mut files = Vec::new();
        self.data.each(&sql, [id], |row| {
            title = row.text_or_empty(0);
            if let (Some(folder), Some(name), Some(format)) =
                (row.text(1), row.text(2), row.text(3))
            {
                let extension = format.to_lowercase();
                let path = format!("{root}/{folder}/{name}.{extension}");
                files.push((format.to_uppercase(), SourceFile { path, size: None }));
            }
            Ok(())
        })?;
        Ok((title, files))
    }
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT config_calibre_dir FROM settings LIMIT 1";
    let root = data.all(sql, [], |row| row.text_or_empty(0))?;
    let library = Library {
        data,
        root: root.into_iter().next().unwrap_or_default(),
    };
    read_status(&library, rows)?;
    bookmarks(&library, rows)?;
    if data.has("kobo_bookmark", "progress_percent")? {
        kobo(&library, rows)?;
    }
    shelves(&library, rows)
}

/// Sends finished books, and started ones without a position.
fn read_status(library: &Library<'_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let data = library.data;
    let modified = data.column("r", "book_read_link", "last_modified")?;
    let sql = format!(
        "SELECT r.user_id, r.book_id, r.read_status, {modified},
                EXISTS (SELECT 1
                          FROM bookmark AS m
                         WHERE m.user_id = r.user_id AND m.book_id = r.book_id)
           FROM book_read_link AS r
          WHERE r.read_status IN (1, 2)"
    );
    data.each(&sql, [], |row| {
        let (title, files) = library.book(&row.text_or_empty(1))?;
        let is_finished = row.int(2) == Some(1);
        if !is_finished && row.flag(4) {
            return Ok(());
        }
        let parts = if is_finished {
            finished(files.iter().map(|(_, file)| file))
        } else {
            let first = files.into_iter().next();
            first.map(|(_, file)| started(file)).into_iter().collect()
        };
        let at = row.time(3);
        rows.progress(&row.text_or_empty(0), Progress { title, at, parts })
    })
}

fn started(file: SourceFile) -> Part {
    Part {
        file,
        position: Position::Index(0),
        finished: false,
    }
}

fn bookmarks(library: &Library<'_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT user_id, book_id, format, bookmark_key FROM bookmark";
    library.data.each(sql, [], |row| {
        let user = row.text_or_empty(0);
        let (title, files) = library.book(&row.text_or_empty(1))?;
        let format = row.text_or_empty(2).to_uppercase();
        let key = row.text_or_empty(3);
        if key.is_empty() {
            return Ok(());
        }
        let position = match format.as_str() {
            "EPUB" => epub::of_cfi(&key),
            "PDF" => key
                .trim()
                .parse()
                .ok()
                .map(|page: i64| Position::Index(page - 1)),
            _ => None,
        };
        let Some(position) = position else {
            return rows.unsupported(&user, RowType::Progress, &title);
        };
        let file = files.into_iter().find(|(one, _)| *one == format);
        let part = Part {
            file: file.map(|(_, file)| file).unwrap_or_default(),
            position,
            finished: false,
        };
        let progress = Progress {
            title,
            at: None,
            parts: vec![part],
        };
        rows.progress(&user, progress)
    })
}

/// Sends the positions of Kobo readers, which read the EPUB.
fn kobo(library: &Library<'_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let data = library.data;
    let modified = data.column("k", "kobo_bookmark", "last_modified")?;
    let sql = format!(
        "SELECT s.user_id, s.book_id, k.progress_percent, {modified}
           FROM kobo_bookmark AS k
           JOIN kobo_reading_state AS s ON s.id = k.kobo_reading_state_id
          WHERE k.progress_percent > 0"
    );
    data.each(&sql, [], |row| {
        let (title, files) = library.book(&row.text_or_empty(1))?;
        let is_read = |(format, _): &BookFile| ["EPUB", "KEPUB"].contains(&format.as_str());
        let file = files.into_iter().find(is_read);
        let part = Part {
            file: file.map(|(_, file)| file).unwrap_or_default(),
            position: Position::Fraction(row.real(2).unwrap_or(0.0) / 100.0),
            finished: false,
        };
        let progress = Progress {
            title,
            at: row.time(3),
            parts: vec![part],
        };
        rows.progress(&row.text_or_empty(0), progress)
    })
}

fn shelves(library: &Library<'_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT id, name, is_public, user_id FROM shelf ORDER BY name, id";
    let books = "SELECT book_id FROM book_shelf_link WHERE shelf = ?1 ORDER BY \"order\", rowid";
    library.data.each(sql, [], |row| {
        let list = SourceList {
            key: row.text_or_empty(0),
            name: row.text_or_empty(1),
            description: None,
            public: row.flag(2),
            is_playlist: false,
        };
        let key = row.int(0).unwrap_or_default();
        rows.list(&row.text_or_empty(3), list)?;
        library.data.each(books, [key], |row| {
            let (title, files) = library.book(&row.text_or_empty(0))?;
            rows.entry(&Target {
                title,
                files: files.into_iter().map(|(_, file)| file).collect(),
                scope: Scope::Item,
            })
        })
    })
}
