//! Kavita: `kavita.db`.
//!
//! Tables and columns: Kavita `DataContextModelSnapshot.cs`. Pages read count over the files of a
//! chapter, in the order of their ids.

use ledge_core::transfer::import::rows::{
    Part, Position, Progress, Rows, Scope, SourceFile, SourceList, SourceUser, Target,
};
use ledge_core::transfer::import::{Columns, ImportResult, ImportSource, SourceData};

use crate::divide::{divide, finished};

inventory::submit! {
    ImportSource {
        id: "kavita",
        label: "Kavita",
        input: "kavita.db",
        is_folder: false,
        library: None,
        refused: &[],
        versions: Some(("20240331172900", "20241011172428")),
        tables: &[
            ("__EFMigrationsHistory", &["MigrationId"]),
            ("AspNetUsers", &["Id", "UserName"]),
            ("Series", &["Id", "Name"]),
            ("Volume", &["Id", "SeriesId"]),
            ("Chapter", &["Id", "Pages", "VolumeId"]),
            ("MangaFile", &["Id", "FilePath", "Bytes", "Pages", "ChapterId"]),
            ("AppUserProgresses", &["PagesRead", "ChapterId", "AppUserId", "LastModifiedUtc"]),
            ("AppUserRating", &["AppUserId", "SeriesId", "Rating", "HasBeenRated"]),
            ("AppUserBookmark", &["Page", "ChapterId", "AppUserId"]),
            ("ReadingList", &["Id", "Title", "Promoted", "AppUserId"]),
            ("ReadingListItem", &["ReadingListId", "ChapterId", "Order"]),
            ("AppUserCollection", &["Id", "Title", "Promoted", "AppUserId"]),
            ("AppUserCollectionSeries", &["CollectionsId", "ItemsId"]),
            ("AppUserWantToRead", &["SeriesId", "AppUserId"]),
        ],
        version,
        users,
        read,
    }
}

/// Limit of the files of a chapter or series.
const MAX_FILES: usize = 5_000;

fn version(data: &SourceData) -> ImportResult<Option<String>> {
    let sql = "SELECT max(MigrationId) FROM __EFMigrationsHistory";
    let version = data.all(sql, [], |row| row.text(0))?;
    let version = version.into_iter().next().flatten();
    Ok(version.map(|id| id.split('_').next().unwrap_or_default().to_owned()))
}

fn users(data: &SourceData) -> ImportResult<Vec<SourceUser>> {
    data.all("SELECT Id, UserName FROM AspNetUsers", [], |row| {
        SourceUser {
            id: row.text_or_empty(0),
            name: row.text_or_empty(1),
            ..SourceUser::default()
        }
    })
}

fn read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    progress(data, rows)?;
    ratings(data, rows)?;
    if data.has("AppUserChapterRating", "Rating")? {
        chapter_ratings(data, rows)?;
    }
    bookmarks(data, rows)?;
    reading_lists(data, rows)?;
    collections(data, rows)?;
    want_to_read(data, rows)
}

/// Returns the files of a chapter with their numbers of pages, in order.
fn chapter(data: &SourceData, id: i64) -> ImportResult<Vec<(SourceFile, f64)>> {
    let sql = format!(
        "SELECT FilePath, Bytes, Pages FROM MangaFile WHERE ChapterId = ?1 ORDER BY Id
          LIMIT {MAX_FILES}"
    );
    data.all(&sql, [id], |row| (file(row), row.real(2).unwrap_or(0.0)))
}

fn file(row: &Columns<'_, '_>) -> SourceFile {
    SourceFile {
        path: row.text_or_empty(0),
        size: row.int(1),
    }
}

/// Returns the files of a series in the order of its volumes and chapters.
fn series(data: &SourceData, id: i64) -> ImportResult<Vec<SourceFile>> {
    let sql = format!(
        "SELECT f.FilePath, f.Bytes
           FROM Volume AS v
           JOIN Chapter AS c ON c.VolumeId = v.Id
           JOIN MangaFile AS f ON f.ChapterId = c.Id
          WHERE v.SeriesId = ?1
          ORDER BY f.Id
          LIMIT {MAX_FILES}"
    );
    data.all(&sql, [id], file)
}

fn index(position: f64) -> Position {
    // Whole numbers of pages stay whole.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a conversion saturates, and a position beyond the end becomes the end"
    )]
    Position::Index(position as i64)
}

fn progress(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "
        SELECT p.AppUserId, p.ChapterId, p.PagesRead, p.LastModifiedUtc, c.Pages, s.Name
          FROM AppUserProgresses AS p
          LEFT JOIN Chapter AS c ON c.Id = p.ChapterId
          LEFT JOIN Volume AS v ON v.Id = c.VolumeId
          LEFT JOIN Series AS s ON s.Id = v.SeriesId
         WHERE p.PagesRead > 0";
    data.each(sql, [], |row| {
        let files = chapter(data, row.int(1).unwrap_or_default())?;
        let (pages_read, pages) = (row.real(2).unwrap_or(0.0), row.real(4).unwrap_or(0.0));
        let parts = if pages > 0.0 && pages_read >= pages {
            finished(files.iter().map(|(file, _)| file))
        } else {
            divide(&files, pages_read, index)
        };
        let progress = Progress {
            title: row.text_or_empty(5),
            at: row.time(3),
            parts,
        };
        rows.progress(&row.text_or_empty(0), progress)
    })
}

fn ratings(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let at = data.column("r", "AppUserRating", "LastModifiedUtc")?;
    let sql = format!(
        "SELECT r.AppUserId, r.SeriesId, r.Rating, {at}, s.Name
           FROM AppUserRating AS r
           LEFT JOIN Series AS s ON s.Id = r.SeriesId
          WHERE r.HasBeenRated"
    );
    data.each(&sql, [], |row| {
        let target = Target {
            title: row.text_or_empty(4),
            files: series(data, row.int(1).unwrap_or_default())?,
            scope: Scope::Whole,
        };
        rate(rows, row, &target)
    })
}

/// Sends a rating of 0 to 5 stars in column 2, with its time in column 3.
fn rate(rows: &mut dyn Rows, row: &Columns<'_, '_>, target: &Target) -> ImportResult<()> {
    let stars = row.real(2).unwrap_or(0.0);
    rows.rating(&row.text_or_empty(0), target, stars * 2.0, row.time(3))
}

fn chapter_ratings(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let at = data.column("r", "AppUserChapterRating", "LastModifiedUtc")?;
    let sql = format!(
        "SELECT r.AppUserId, r.ChapterId, r.Rating, {at}
           FROM AppUserChapterRating AS r
          WHERE r.HasBeenRated"
    );
    data.each(&sql, [], |row| {
        let files = chapter(data, row.int(1).unwrap_or_default())?;
        let target = Target {
            title: String::new(),
            files: files.into_iter().map(|(file, _)| file).collect(),
            scope: Scope::Whole,
        };
        rate(rows, row, &target)
    })
}

fn bookmarks(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let at = data.column("b", "AppUserBookmark", "CreatedUtc")?;
    let sql = format!(
        "SELECT b.AppUserId, b.ChapterId, b.Page, {at} FROM AppUserBookmark AS b ORDER BY b.rowid"
    );
    data.each(&sql, [], |row| {
        let files = chapter(data, row.int(1).unwrap_or_default())?;
        let page = row.real(2).unwrap_or(0.0);
        let part = divide(&files, page, index).pop();
        let part = part.unwrap_or_else(|| Part {
            file: SourceFile::default(),
            position: index(page),
            finished: false,
        });
        rows.bookmark(&row.text_or_empty(0), &part, None, row.time(3))
    })
}

/// Sends a list of the columns id, title, owner, visibility and description.
fn list(rows: &mut dyn Rows, row: &Columns<'_, '_>, kind: &str) -> ImportResult<i64> {
    let list = SourceList {
        key: format!("{kind} {}", row.text_or_empty(0)),
        name: row.text_or_empty(1),
        description: row.text(4),
        public: row.flag(3),
        is_playlist: false,
    };
    rows.list(&row.text_or_empty(2), list)?;
    Ok(row.int(0).unwrap_or_default())
}

fn reading_lists(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let summary = data.column("l", "ReadingList", "Summary")?;
    let sql = format!(
        "SELECT l.Id, l.Title, l.AppUserId, l.Promoted, {summary}
           FROM ReadingList AS l
          ORDER BY l.Title, l.Id"
    );
    let items = "
        SELECT ChapterId FROM ReadingListItem WHERE ReadingListId = ?1 ORDER BY \"Order\", rowid";
    data.each(&sql, [], |row| {
        let id = list(rows, row, "reading list")?;
        data.each(items, [id], |row| {
            let files = chapter(data, row.int(0).unwrap_or_default())?;
            rows.entry(&Target {
                title: String::new(),
                files: files.into_iter().map(|(file, _)| file).collect(),
                scope: Scope::Item,
            })
        })
    })
}

fn collections(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let summary = data.column("l", "AppUserCollection", "Summary")?;
    let sql = format!(
        "SELECT l.Id, l.Title, l.AppUserId, l.Promoted, {summary}
           FROM AppUserCollection AS l
          ORDER BY l.Title, l.Id"
    );
    let items = "
        SELECT ItemsId FROM AppUserCollectionSeries WHERE CollectionsId = ?1 ORDER BY ItemsId";
    data.each(&sql, [], |row| {
        let id = list(rows, row, "collection")?;
        data.each(items, [id], |row| {
            of_series(data, rows, row.int(0).unwrap_or_default())
        })
    })
}

/// Sends every file of a series as an entry. A collection contains each item once.
fn of_series(data: &SourceData, rows: &mut dyn Rows, id: i64) -> ImportResult<()> {
    let files = series(data, id)?;
    if files.is_empty() {
        return rows.entry(&Target::default());
    }
    for file in files {
        rows.entry(&Target {
            title: String::new(),
            files: vec![file],
            scope: Scope::Item,
        })?;
    }
    Ok(())
}

/// Sends the series that users want to read, as one collection per user.
fn want_to_read(data: &SourceData, rows: &mut dyn Rows) -> ImportResult<()> {
    let sql = "SELECT DISTINCT AppUserId FROM AppUserWantToRead ORDER BY AppUserId";
    let items = "SELECT SeriesId FROM AppUserWantToRead WHERE AppUserId = ?1 ORDER BY rowid";
    data.each(sql, [], |row| {
        let list = SourceList {
            key: "want to read".to_owned(),
            name: "Want to read".to_owned(),
            ..SourceList::default()
        };
        rows.list(&row.text_or_empty(0), list)?;
        data.each(items, [row.int(0).unwrap_or_default()], |row| {
            of_series(data, rows, row.int(0).unwrap_or_default())
        })
    })
}
