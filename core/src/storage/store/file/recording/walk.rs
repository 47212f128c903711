//! Walks along all present visible files, items or authors of recordings in the order of their ids.

use rusqlite::{Connection, OptionalExtension as _, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{FileId, LibraryId};
use crate::rng::random_below;

/// Number of rows that [`skip`] reads at once.
const CHUNK: u32 = 10_000;

/// Objects of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Noun {
    /// Files.
    Part,
    /// Items.
    Item,
    /// People who are authors.
    Author,
}

/// Limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Libraries that the user may see.
    pub visible: Visible,
    /// Only this library.
    pub library: Option<LibraryId>,
    /// Ids of the kinds.
    pub kinds: &'a [&'static str],
}

impl Scope<'_> {
    /// Returns the libraries of the walk.
    pub(super) fn libraries(self, conn: &Connection) -> StoreResult<Vec<LibraryId>> {
        let mut libraries = self.visible.libraries(conn)?;
        libraries.retain(|library| self.library.is_none_or(|wanted| wanted == *library));
        Ok(libraries)
    }
}

// Each statement reads one range of an index, so that a page costs the same anywhere in a list.
const PARTS: &str = "
    SELECT file_id
      FROM part
     WHERE library_id = :library AND missing = 0 AND file_id > :after
     ORDER BY file_id
     LIMIT :limit";

const ITEMS: &str = "
    SELECT id
      FROM item INDEXED BY item_present
     WHERE library_id = :library AND kind = :kind AND missing = 0 AND id > :after
     ORDER BY id
     LIMIT :limit";

const AUTHORS: &str = "
    SELECT person_id
      FROM author_count
     WHERE library_id = :library AND kind = :kind AND person_id > :after AND n > 0
     ORDER BY person_id
     LIMIT :limit";

/// Returns the ids after this one in ascending order, each once.
pub fn after(
    conn: &Connection,
    scope: Scope<'_>,
    noun: Noun,
    after: i64,
    limit: u32,
) -> StoreResult<Vec<i64>> {
    let mut ids: Vec<i64> = Vec::new();
    for library in scope.libraries(conn)? {
        match noun {
            Noun::Part => {
                let mut statement = conn.prepare_cached(PARTS)?;
                let range = named_params! { ":library": library, ":after": after, ":limit": limit };
                let rows = statement.query_map(range, |row| row.get(0))?;
                ids.extend(rows.collect::<Result<Vec<i64>, _>>()?);
            }
            Noun::Item | Noun::Author => {
                let sql = if noun == Noun::Item { ITEMS } else { AUTHORS };
                let mut statement = conn.prepare_cached(sql)?;
                for kind in scope.kinds {
                    let range = named_params! {
                        ":library": library, ":kind": kind, ":after": after, ":limit": limit,
                    };
                    let rows = statement.query_map(range, |row| row.get(0))?;
                    ids.extend(rows.collect::<Result<Vec<i64>, _>>()?);
                }
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(limit as usize);
    Ok(ids)
}

/// Returns the last of the first `count` ids, or `None` if there are fewer. The cost grows with
/// `count`.
pub fn skip(
    conn: &Connection,
    scope: Scope<'_>,
    noun: Noun,
    count: u64,
) -> StoreResult<Option<i64>> {
    let (mut last, mut left) = (0, count);
    while left > 0 {
        let limit = u32::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        let ids = after(conn, scope, noun, last, limit)?;
        let Some(end) = ids.last().filter(|_| ids.len() == limit as usize) else {
            return Ok(None);
        };
        last = *end;
        left -= u64::from(limit);
    }
    Ok(Some(last))
}

/// Returns distinct random files in random order. Files after deleted ones are more likely.
pub fn random(conn: &Connection, scope: Scope<'_>, count: u32) -> StoreResult<Vec<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT max(file_id) FROM part WHERE library_id = :library AND missing = 0",
    )?;
    let mut last = 0;
    for library in scope.libraries(conn)? {
        let max = statement.query_row(named_params! { ":library": library }, |row| row.get(0));
        last = last.max(max.optional()?.flatten().unwrap_or(0));
    }
    let mut files = Vec::new();
    if last == 0 {
        return Ok(files);
    }
    // A few more attempts than files, because the same file can come again.
    for _ in 0..count.saturating_mul(2) {
        let start = i64::try_from(random_below(u64::try_from(last).unwrap_or(1))).unwrap_or(0);
        let found = after(conn, scope, Noun::Part, start, 1)?;
        let found = found.into_iter().map(FileId);
        files.extend(
            found
                .filter(|file| !files.contains(file))
                .collect::<Vec<_>>(),
        );
        if files.len() >= count as usize {
            break;
        }
    }
    Ok(files)
}
