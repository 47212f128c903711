//! Walks along all present visible files, items or authors of recordings in the order of their ids.

use std::collections::BTreeSet;

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

/// Returns distinct random files in no particular order. Files after a gap in the ids are more
/// likely. If the gaps are so large that draws of ids yield too few files, it reads the whole index.
pub fn random(conn: &Connection, scope: Scope<'_>, count: u32) -> StoreResult<Vec<FileId>> {
    let mut statement = conn.prepare_cached(
        "SELECT max(file_id) FROM part WHERE library_id = :library AND missing = 0",
    )?;
    let mut last = 0_i64;
    for library in scope.libraries(conn)? {
        let max = statement.query_row(named_params! { ":library": library }, |row| row.get(0));
        last = last.max(max.optional()?.flatten().unwrap_or(0));
    }
    let mut files = Vec::new();
    if last == 0 || count == 0 {
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
            return Ok(files);
        }
    }
    random_places(conn, scope, count)
}

/// Draws files by their places in the index, so that gaps between the ids have no effect.
fn random_places(conn: &Connection, scope: Scope<'_>, count: u32) -> StoreResult<Vec<FileId>> {
    let libraries = scope.libraries(conn)?;
    let mut statement = conn
        .prepare_cached("SELECT count(*) FROM part WHERE library_id = :library AND missing = 0")?;
    let mut total = 0_u64;
    for library in &libraries {
        let range = named_params! { ":library": library };
        total += statement.query_row(range, |row| row.get::<_, u64>(0))?;
    }
    // Each step adds one place, and all sets of places are equally likely (Floyd).
    let mut places = BTreeSet::new();
    for last in total.saturating_sub(u64::from(count))..total {
        if !places.insert(random_below(last + 1)) {
            places.insert(last);
        }
    }
    let mut statement = conn.prepare_cached(
        "SELECT file_id
           FROM part
          WHERE library_id = :library AND missing = 0
          ORDER BY file_id",
    )?;
    let mut files = Vec::with_capacity(places.len());
    let mut place = 0_u64;
    for library in &libraries {
        let mut rows = statement.query(named_params! { ":library": library })?;
        while let Some(row) = rows.next()? {
            if places.remove(&place) {
                files.push(FileId(row.get(0)?));
            }
            place += 1;
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;
    use crate::id::UserId;

    #[test]
    fn random_files_are_found_despite_gaps_between_the_ids() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            Ok(tx.execute_batch(
                "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                 VALUES (1, 'a', 'a', '', 'user', '');
                 INSERT INTO library (id, name, name_key, path, created_at)
                 VALUES (1, 'l', 'l', x'6c', ''), (2, 'm', 'm', x'6d', ''), (3, 'n', 'n', x'6e', '');
                 INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2);
                 INSERT INTO folder (id, library_id, path) VALUES (1, 1, x''), (2, 2, x''), (3, 3, x'');
                 INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                                   added_at)
                 VALUES (1, 1, 'tape', 'a', 'A', 'a', 'A', ''), (2, 2, 'tape', 'b', 'B', 'b', 'B', ''),
                        (3, 3, 'tape', 'c', 'C', 'c', 'C', '');
                 INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, missing)
                 VALUES (1, 1, 1, x'61', 1, 0, '', 0), (2, 1, 1, x'62', 1, 0, '', 0),
                        (3, 2, 2, x'63', 1, 0, '', 0), (4, 1, 1, x'64', 1, 0, '', 1),
                        (5, 3, 3, x'65', 1, 0, '', 0),
                        (900000000000, 1, 1, x'66', 1, 0, '', 0);
                 INSERT INTO part (file_id, library_id, title, artists, missing)
                 SELECT file.id, item.library_id, 'T', '', file.missing
                   FROM file JOIN item ON item.id = file.item_id;",
            )?)
        })
        .expect("rows");
        let draw = |library: Option<i64>, count: u32| {
            let scope = Scope {
                visible: Visible::of(UserId(1)),
                library: library.map(LibraryId),
                kinds: &["tape"],
            };
            let files = db.read_blocking(move |conn| random(conn, scope, count));
            let mut files: Vec<i64> = files.expect("files").iter().map(|file| file.0).collect();
            files.sort_unstable();
            files
        };
        // Nearly every drawn id precedes the last file.
        assert_eq!(draw(None, 9), [1, 2, 3, 900_000_000_000]);
        assert_eq!(draw(None, 4), [1, 2, 3, 900_000_000_000]);
        assert_eq!(draw(Some(1), 9), [1, 2, 900_000_000_000]);
        assert_eq!(draw(Some(3), 9), [0; 0]);
        let mut some = draw(None, 3);
        some.dedup();
        assert_eq!(some.len(), 3);
    }
}
