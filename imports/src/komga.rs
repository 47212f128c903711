//! Komga: `database.sqlite`.
//!
//! Tables and columns: komga `db/migration/sqlite` and `ReadProgressDao.kt`. Pages count from 1. The
//! page of an EPUB is meaningless; its locator is JSON in gzip.

use ledge_core::transfer::import::rows::{
    Part, Position, Progress, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};

use crate::epub;

inventory::submit! {
    ImportSource {
        id: "komga",
        label: "Komga",
        input: "database.sqlite",
        is_folder: false,
        library: None,
        refused: &[],
        versions: Some(("20231206152158", "20260225161438")),
        tables: &[
            ("flyway_schema_history", &["version"]),
            ("USER", &["ID", "EMAIL"]),
            ("BOOK", &["ID", "URL", "FILE_SIZE", "DELETED_DATE"]),
            ("READ_PROGRESS", &["BOOK_ID", "USER_ID", "PAGE", "COMPLETED", "READ_DATE"]),
            ("READLIST", &["ID", "NAME"]),
            ("READLIST_BOOK", &["READLIST_ID", "BOOK_ID", "NUMBER"]),
            ("COLLECTION", &["ID", "NAME"]),
            ("COLLECTION_SERIES", &["COLLECTION_ID", "SERIES_ID", "NUMBER"]),
        ],
        version,
        users,
        read,
    }
}

fn version(data: &SourceData) -> ImportResult<Option<String>> {
    let sql = "
        SELECT version
          FROM flyway_schema_history
         WHERE version IS NOT NULL
         ORDER BY CAST(version AS INTEGER) DESC
         LIMIT 1";
    Ok(data
        .all(sql, [], |row| row.text(0))?
        .into_iter()
        .next()
        .flatten())
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    let admin = if data.has("USER_ROLE", "ROLE")? {
        "EXISTS (SELECT 1
                   FROM USER_ROLE AS r
                  WHERE r.USER_ID = u.ID AND upper(r.ROLE) IN ('ADMIN', 'ROLE_ADMIN'))"
    } else if data.has("USER", "ROLE_ADMIN")? {
        "u.ROLE_ADMIN"
    } else {
        "0"
    };
    let sql = format!("SELECT u.ID, u.EMAIL, {admin} FROM USER AS u ORDER BY u.rowid");
    data.all(&sql, [], |row| {
        let name = row.text_or_empty(1);
        let local = name.split_once('@').map(|(local, _)| local.to_owned());
        SourceUser {
            id: row.text_or_empty(0),
            name,
            aliases: local.into_iter().collect(),
            is_admin: row.flag(2),
            is_nameless: false,
        }
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    progress(data, rows)?;
    let admins = users(data)?.into_iter().filter(|user| user.is_admin);
    let admins: Vec<SourceUser> = admins.collect();
    // Lists have no owner in the source.
    let mapped = admins.iter().find(|user| rows.is_mapped(&user.id));
    let owner = mapped.or(admins.first()).map(|user| user.id.clone());
    let owner = owner.unwrap_or_default();
    read_lists(data, rows, &owner)?;
    if data.has("BOOK", "SERIES_ID")? {
        collections(data, rows, &owner)?;
    }
    Ok(())
}

/// Returns the columns that [`read_file`] reads.
fn columns(data: &SourceData) -> ImportResult<String> {
    let name = data.column("b", "BOOK", "NAME")?;
    Ok(format!(
        "{name}, iif(b.DELETED_DATE IS NULL, b.URL, NULL), b.FILE_SIZE"
    ))
}

/// Returns title and file of the columns of [`columns`]. The path is a percent-encoded URL.
fn read_file(row: &Columns<'_, '_>, first: usize) -> (String, SourceFile) {
    let url = row.text_or_empty(first + 1);
    let path = match url.strip_prefix("file:") {
        Some(rest) => {
            let decoded = percent_encoding::percent_decode_str(rest).decode_utf8_lossy();
            format!("/{}", decoded.trim_start_matches('/'))
        }
        None => url,
    };
    let file = SourceFile {
        path,
        size: row.int(first + 2),
    };
    (row.text_or_empty(first), file)
}

fn progress(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let locator = data.column("p", "READ_PROGRESS", "LOCATOR")?;
    let file = columns(data)?;
    let sql = format!(
        "SELECT p.USER_ID, p.PAGE, p.COMPLETED, p.READ_DATE, {locator}, {file}
           FROM READ_PROGRESS AS p
           LEFT JOIN BOOK AS b ON b.ID = p.BOOK_ID"
    );
    data.each(&sql, [], |row| {
        let (title, file) = read_file(row, 5);
        let is_epub = file.path.to_lowercase().ends_with(".epub");
        let is_finished = row.flag(2);
        let position = if is_finished {
            Position::End
        } else if is_epub {
            let locator = row
                .blob(4)
                .and_then(|packed| epub::of_packed_locator(&packed));
            // Without a locator, the fraction is unknown.
            locator.unwrap_or(Position::Fraction(f64::NAN))
        } else {
            Position::Index(row.int(1).unwrap_or(1) - 1)
        };
        let part = Part {
            file,
            position,
            finished: is_finished,
        };
        let progress = Progress {
            title,
            at: row.time(3),
            parts: vec![part],
        };
        rows.progress(&row.text_or_empty(0), progress)
    })
}

fn entry(row: &Columns<'_, '_>, rows: &mut dyn Rows) -> ImportResult<()> {
    let (title, file) = read_file(row, 0);
    rows.entry(&Target {
        title,
        files: vec![file],
        scope: Scope::Item,
    })
}

fn read_lists(data: &SourceData, rows: &mut dyn Rows, owner: &str) -> ImportResult<()> {
    let summary = data.column("l", "READLIST", "SUMMARY")?;
    let file = columns(data)?;
    let sql = format!("SELECT l.ID, l.NAME, {summary} FROM READLIST AS l ORDER BY l.NAME, l.ID");
    let books = format!(
        "SELECT {file}
           FROM READLIST_BOOK AS l
           LEFT JOIN BOOK AS b ON b.ID = l.BOOK_ID
          WHERE l.READLIST_ID = ?1
          ORDER BY l.NUMBER, l.rowid"
    );
    data.each(&sql, [], |row| {
        let id = row.text_or_empty(0);
        let list = SourceList {
            key: format!("readlist {id}"),
            name: row.text_or_empty(1),
            description: row.text(2),
            public: true,
            is_playlist: false,
        };
        rows.list(owner, list)?;
        data.each(&books, [id], |row| entry(row, rows))
    })
}

/// Sends the collections of series, with all books of each series.
fn collections(data: &SourceData, rows: &mut dyn Rows, owner: &str) -> ImportResult<()> {
    let file = columns(data)?;
    let number = data.column("b", "BOOK", "NUMBER")?;
    let sql = "SELECT ID, NAME FROM COLLECTION ORDER BY NAME, ID";
    let books = format!(
        "SELECT {file}
           FROM COLLECTION_SERIES AS l
           JOIN BOOK AS b ON b.SERIES_ID = l.SERIES_ID
          WHERE l.COLLECTION_ID = ?1
          ORDER BY l.NUMBER, l.rowid, {number}, b.rowid"
    );
    data.each(sql, [], |row| {
        let id = row.text_or_empty(0);
        let list = SourceList {
            key: format!("collection {id}"),
            name: row.text_or_empty(1),
            description: None,
            public: true,
            is_playlist: false,
        };
        rows.list(owner, list)?;
        data.each(&books, [id], |row| entry(row, rows))
    })
}
