//! Search in the titles and artists of files.

use rusqlite::{Connection, Transaction, named_params};

use super::fold::{fold_with_variants, split_ideographs};
use super::terms::{Term, parse};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::paging::Window;

/// Number of visible matches that are compared. Further ones are not found.
const MAX_MATCHES: u32 = 2_000;

/// Title and artists of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartText {
    /// Title.
    pub title: String,
    /// Names of the artists.
    pub artists: String,
}

/// Writes the index row of a file that has none yet.
pub fn add(tx: &Transaction<'_>, file: FileId, text: &PartText) -> StoreResult<()> {
    let indexed = |text: &str| split_ideographs(&fold_with_variants(text));
    tx.prepare_cached(
        "INSERT INTO part_word (rowid, title, artists) VALUES (:file, :title, :artists)",
    )?
    .execute(named_params! {
        ":file": file,
        ":title": indexed(&text.title),
        ":artists": indexed(&text.artists),
    })?;
    Ok(())
}

/// Removes the index row of a file.
pub fn remove(tx: &Transaction<'_>, file: FileId) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM part_word WHERE rowid = :file")?
        .execute(named_params! { ":file": file })?;
    Ok(())
}

/// Rewrites the index rows of the files of these items.
pub(super) fn reindex(
    tx: &Transaction<'_>,
    items: impl Iterator<Item = ItemId>,
) -> StoreResult<()> {
    let mut statement = tx.prepare_cached(
        "SELECT part.file_id, part.title, part.artists
           FROM file
           JOIN part ON part.file_id = file.id
          WHERE file.item_id = :item",
    )?;
    for item in items {
        let rows = statement.query_map(named_params! { ":item": item }, |row| {
            let text = PartText {
                title: row.get(1)?,
                artists: row.get(2)?,
            };
            Ok((row.get::<_, FileId>(0)?, text))
        })?;
        for row in rows {
            let (file, text) = row?;
            remove(tx, file)?;
            add(tx, file, &text)?;
        }
    }
    Ok(())
}

const FIND: &str = "
    SELECT page.id
      FROM (SELECT part.file_id AS id, bm25(part_word, 4.0, 1.0) AS score
              FROM part_word
              JOIN part ON part.file_id = part_word.rowid
              JOIN library_grant AS g
                ON g.user_id = :viewer AND g.library_id = part.library_id
             WHERE part_word MATCH :query AND part.missing = 0
               AND (:library IS NULL OR part.library_id = :library)
             LIMIT :most) AS page
     ORDER BY page.score, page.id
     LIMIT :limit OFFSET :offset";

/// Returns present visible files that contain all terms as words or starts of words, the best ones
/// first.
pub fn find(
    conn: &Connection,
    visible: Visible,
    library: Option<LibraryId>,
    text: &str,
    window: Window,
) -> StoreResult<Vec<FileId>> {
    let terms = parse(text);
    let phrases: Option<Vec<String>> = terms.iter().map(Term::starts).collect();
    let Some(phrases) = phrases.filter(|phrases| !phrases.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut statement = conn.prepare_cached(FIND)?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":library": library,
            ":query": phrases.join(" AND "),
            ":most": MAX_MATCHES,
            ":limit": window.limit,
            ":offset": i64::try_from(window.offset).unwrap_or(i64::MAX),
        },
        |row| row.get(0),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
