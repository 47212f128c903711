//! First file of an item: the first of its parts, or the first of its alternatives by name.

use rusqlite::{Connection, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::registry::naming::join;
use crate::{path, text};

/// Returns the first present file of an item.
pub fn present_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<FileId>> {
    first(connection, item, 0)
}

/// Returns the first missing file of an item.
pub fn missing_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<FileId>> {
    first(connection, item, 1)
}

fn first(connection: &Connection, item: ItemId, missing: u8) -> StoreResult<Option<FileId>> {
    // If no file has a number, the minimum is NULL: the files are alternatives.
    let mut statement = connection.prepare_cached(
        "SELECT file.id, folder.path, file.name
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.item_id = :item AND file.missing = :missing
            AND file.sequence IS (SELECT min(f.sequence)
                                    FROM file AS f
                                   WHERE f.item_id = :item AND f.missing = :missing)",
    )?;
    let rows = statement.query_map(
        named_params! { ":item": item, ":missing": missing },
        |row| {
            let folder = path::display(row.get_ref(1)?.as_blob()?);
            let file = path::display(row.get_ref(2)?.as_blob()?);
            Ok((join(&folder, &file), row.get(0)?))
        },
    )?;
    let mut files: Vec<(String, FileId)> = rows.collect::<Result<_, _>>()?;
    if files.len() > 1 {
        files.sort_by_cached_key(|(path, id)| (text::name_sort_key(path), *id));
    }
    Ok(files.into_iter().next().map(|(_, id)| id))
}

/// Returns the index of the file that will be first in a new item. `files` contains sequence and
/// name in the order of insertion; all files are in one folder.
pub fn of_new(folder: &[u8], files: &[(Option<i64>, &[u8])]) -> Option<usize> {
    let least = files.iter().filter_map(|(sequence, _)| *sequence).min();
    let mut candidates = files
        .iter()
        .enumerate()
        .filter(|(_, (sequence, _))| *sequence == least);
    let (first, (_, name)) = candidates.next()?;
    let folder = path::display(folder);
    let key = |name: &[u8]| text::name_sort_key(&join(&folder, &path::display(name)));
    let mut best: Option<(String, usize)> = None;
    for (at, (_, other)) in candidates {
        let (least, _) = best.get_or_insert_with(|| (key(name), first));
        let key = key(other);
        if key < *least {
            best = Some((key, at));
        }
    }
    Some(best.map_or(first, |(_, at)| at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::params;

    use super::*;
    use crate::db::migrate;

    const WORLD: &str = "
        INSERT INTO library (id, name, name_key, path, created_at) VALUES (1, 'A', 'a', x'61', '');
        INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
        VALUES (1, 1, 'paper', '', 'A', 'a', 'A', '');";

    /// Inserts files in the given order and returns the index of the stored first file.
    fn stored(folder: &[u8], files: &[(Option<i64>, &[u8])]) -> Option<usize> {
        let mut connection = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut connection).expect("a schema");
        connection.execute_batch(WORLD).expect("an item");
        connection
            .execute(
                "INSERT INTO folder (id, library_id, path) VALUES (1, 1, ?1)",
                [folder],
            )
            .expect("a folder");
        for (id, (sequence, name)) in files.iter().enumerate() {
            connection
                .execute(
                    "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at,
                                       sequence)
                     VALUES (?1, 1, 1, ?2, 0, 0, '', ?3)",
                    params![id, name, sequence],
                )
                .expect("a file");
        }
        let first = present_unscoped(&connection, ItemId(1)).expect("an answer");
        first.map(|id| usize::try_from(id.0).expect("a place"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn first_of_new_files_equals_first_of_stored_files(
            folder in prop::sample::select(vec!["", "Shelf", "A very long way down"]),
            files in prop::collection::btree_map(
                "[ab2]{0,2}(10|2|é| )[.]x",
                prop::option::of(0..3_i64),
                0..6,
            ),
        ) {
            let mut files: Vec<(Option<i64>, &[u8])> =
                files.iter().map(|(name, at)| (*at, name.as_bytes())).collect();
            // Kinds may use any order.
            files.reverse();
            let folder = folder.repeat(8);
            prop_assert_eq!(
                of_new(folder.as_bytes(), &files),
                stored(folder.as_bytes(), &files)
            );
        }
    }
}
